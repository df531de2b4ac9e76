/**
 * The phone gateway's surface: its routes, what is wrong with its configuration, and what it clears away every minute
 * (contract/ussd.md). Sessions are Durable Objects, customers `accounts.ts`'s.
 */
import { oncePerIsolate } from "../platform/config.ts";
import { createLogger } from "../platform/log.ts";
import type { Surface } from "../platform/surface.ts";
import type { Sender } from "../../durable-objects/outbox/sender.ts";
import type { SecurityNoticeText } from "../../durable-objects/ussd-session/texts/security-notice.ts";
import type { UssdSettings } from "../../durable-objects/ussd-session/settings.ts";
import { openAccounts } from "./accounts.ts";
import { readUssdConfig } from "./config.ts";
import { guardHost } from "./access/host-guard.ts";
import { atLevel } from "./log-level.ts";
import { describeUssd } from "./openapi.ts";
import { composeRoutes } from "./router.ts";
import { openSessionSettings, type LentPorts } from "./session-settings.ts";
import { openNoticeBell } from "./sms/notice-bell.ts";
import { openSmsSender } from "./sms/sender.ts";

export interface UssdSurface extends Surface {
  /** What phone sessions are made of; undefined while the configuration is wrong. */
  sessionSettings(env: Env, ports: LentPorts): Promise<UssdSettings | undefined>;
  /** Delivers what the Outbox `sms` holds, and what it collects itself: security notices, in these words. */
  smsSender(env: Env, noticeText: SecurityNoticeText): Sender;
  scheduled(env: Env): Promise<void>;
}

export function createUssdApp(): UssdSurface {
  const router = composeRoutes();
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
    guardHost,
    sessionSettings: openSessionSettings,
    smsSender: openSmsSender,
    async scheduled(env) {
      const config = readUssdConfig(env);
      const accounts = await openAccounts(env);
      if (!accounts.ok || !config.ok) return;
      await openNoticeBell(env, config.value)?.();
      const purged = await accounts.value.purge();
      if (!purged.ok) createLogger({ surface: "ussd" }).warn("purge-failed", { reason: purged.error.message });
    },
  };
}

export const ussd: UssdSurface = createUssdApp();
