/** What the environment says of phone sessions, put together with the accounts and the ports of the other surfaces. */
import type { UssdSettings } from "../../durable-objects/ussd-session/settings.ts";
import { createLogger } from "../platform/log.ts";
import type { DomainDirectory, OracleDesk } from "../platform/ports.ts";
import { openAccounts } from "./accounts.ts";
import { createStatistics } from "./statistics.ts";
import { readUssdConfig } from "./config.ts";
import { openSms } from "./sms/outbox-port.ts";

/** What other surfaces lend. */
export interface LentPorts {
  readonly domains: DomainDirectory;
  /** Absent while the oracle is misconfigured: phones go on without it. */
  readonly oracle?: { readonly desk: OracleDesk; readonly audience: string };
}

const MS_PER_SECOND = 1_000;

/** Undefined when the slice of the configuration is wrong; `/health` names what. */
export async function openSessionSettings(env: Env, ports: LentPorts): Promise<UssdSettings | undefined> {
  const read = readUssdConfig(env);
  const accounts = await openAccounts(env);
  if (!read.ok || !accounts.ok) return undefined;
  const config = read.value;
  const sms = openSms(env, config);
  return {
    ...ports,
    ...(sms === undefined ? {} : { sms }),
    accounts: accounts.value.port,
    digests: accounts.value.digests,
    statistics: createStatistics(env.DATABASE, () => Date.now(), createLogger({ surface: "ussd" })),
    app: config.APP_NAME,
    rules: {
      textMode: config.USSD_TEXT_MODE,
      replayWindowMs: config.USSD_REPLAY_WINDOW_MS,
      directDial: config.USSD_DIRECT_DIAL,
      lifetimeMs: config.USSD_SESSION_TTL_SECONDS * MS_PER_SECOND,
      resumeWindowMs: config.USSD_RESUME_WINDOW_SECONDS * MS_PER_SECOND,
      defaultLanguage: config.USSD_DEFAULT_LANGUAGE,
    },
    limit: { septets: config.USSD_SCREEN_SEPTETS, countPrefix: config.USSD_COUNT_PREFIX },
    answerPages: config.USSD_ORACLE_MAX_PAGES,
    replyBudgetMs: config.USSD_REPLY_BUDGET_MS,
    oracleBudgetMs: config.USSD_ORACLE_BUDGET_MS,
    phoneRatePerMinute: config.USSD_PHONE_RATE_PER_MINUTE,
  };
}
