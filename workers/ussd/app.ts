/** The phone gateway as a surface: its routes, its configuration, its sessions' settings, and its scheduled work. */
import { databaseOf } from "../../platform/database/database-of.ts";
import { oncePerIsolate } from "../../platform/config.ts";
import { createLogger, type Logger } from "../../platform/log.ts";
import type { Surface } from "../../platform/surface.ts";
import type { Sender } from "../../durable-objects/outbox/sender.ts";
import type { SecurityNoticeText } from "../../durable-objects/ussd-session/texts/security-notice.ts";
import type { UssdSettings } from "../../durable-objects/ussd-session/settings.ts";
import { readUssdConfig, type UssdConfig } from "./config.ts";
import { guardHost } from "./http/access.ts";
import { describeUssd } from "./http/openapi.ts";
import { createRouter } from "./http/router.ts";
import { openAccounts, openSessionSettings, type SessionPorts } from "./deployment.ts";
import { continueErasures } from "./people/erase-person.ts";
import { openPeople, type OpenOracleUsers } from "./people/open-people.ts";
import { openSecurityNoticeTrigger } from "./sms/outbox.ts";
import { openSmsSender } from "./sms/africas-talking.ts";
import { createStatistics, metricsLines } from "./statistics.ts";

export interface UssdSurface extends Surface {
  /** Undefined while the configuration is invalid. */
  sessionSettings(env: Env, ports: SessionPorts): Promise<UssdSettings | undefined>;
  /** Delivers the messages of the Outbox `sms`, and collects security notices, whose texts `noticeText` returns. */
  smsSender(env: Env, noticeText: SecurityNoticeText): Sender;
  scheduled(env: Env, context: Pick<ExecutionContext, "waitUntil">): Promise<void>;
}

/** `openOracle`: the oracle's users; without it, customers who asked the oracle cannot be erased. */
export function createUssdApp(openOracle: OpenOracleUsers = () => Promise.resolve(undefined)): UssdSurface {
  const router = createRouter(openOracle);
  return {
    fetch(request, exchange, context) {
      const config = readUssdConfig(exchange.env);
      const log = config.ok ? atLevel(exchange.log, config.value.LOG_LEVEL) : exchange.log;
      return router.fetch(request, { ...exchange, log }, context);
    },
    configProblems(env) {
      const config = readUssdConfig(env);
      return config.ok ? [] : config.error;
    },
    openapi: oncePerIsolate(() => describeUssd()),
    async metrics(env) {
      const log = createLogger({ surface: "ussd", requestId: "metrics" });
      const totals = await createStatistics(databaseOf(env), () => Date.now(), log).totals();
      if (!totals.ok) throw new Error(totals.error.message);
      return metricsLines(totals.value);
    },
    guardHost,
    sessionSettings: openSessionSettings,
    smsSender: openSmsSender,
    async scheduled(env, context) {
      const config = readUssdConfig(env);
      const accounts = await openAccounts(env);
      if (!accounts.ok || !config.ok) return;
      await openSecurityNoticeTrigger(env, config.value)?.();
      const log = createLogger({ surface: "ussd" });
      const purged = await accounts.value.purge();
      if (!purged.ok) log.warn("purge-failed", { reason: purged.error.message });
      // Logs its own failures; the next run adds the days that this one did not.
      const statistics = createStatistics(databaseOf(env), () => Date.now(), log);
      await statistics.addUp();
      const { USSD_STATISTICS_DAYS: days } = config.value;
      if (days > 0) await statistics.removeOlder(days);
      const people = await openPeople(env, openOracle, (work) => context.waitUntil(work));
      if (people.ok) await continueErasures(people.value);
    },
  };
}

type Level = UssdConfig["LOG_LEVEL"];

const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

/** Drops log lines below `level`. */
function atLevel(log: Logger, level: Level): Logger {
  const write = (own: "info" | "warn" | "error"): Logger["info"] =>
    LEVELS.indexOf(own) < LEVELS.indexOf(level) ? () => undefined : (event, members) => log[own](event, members);
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
