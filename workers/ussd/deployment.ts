/**
 * The parts that a deployed Worker builds from its environment: the accounts, once per isolate, and the settings of
 * phone sessions.
 */
import { databaseOf } from "../../platform/database/database-of.ts";
import type { UssdSettings } from "../../durable-objects/ussd-session/settings.ts";
import type { ConfigProblem } from "../../platform/config.ts";
import { createLogger } from "../../platform/log.ts";
import type { DomainDirectory, OraclePort } from "../../platform/ports.ts";
import { success, type Result } from "../../platform/result.ts";
import { createAccounts, type Accounts } from "./accounts/accounts.ts";
import { PIN_ITERATIONS } from "./accounts/pin.ts";
import { readUssdConfig } from "./config.ts";
import { openKeyRing, type KeyRing } from "./key-ring.ts";
import { openSecurityNoticeTrigger, openSms } from "./sms/outbox.ts";
import { createStatistics } from "./statistics.ts";

const MS_PER_SECOND = 1_000;
const MS_PER_DAY = 86_400_000;

type AccountBindings = Pick<Env, "DATABASE" | "OUTBOX">;
type AccountsOutcome = Result<Accounts, readonly ConfigProblem[]>;

const opened = new WeakMap<object, AccountsOutcome>();

/**
 * The accounts of a deployed Worker, once per isolate; a failure names every invalid variable. Only the result is
 * cached, not the promise: the promise of a cancelled request would never settle for other requests.
 */
export async function openAccounts(env: AccountBindings): Promise<AccountsOutcome> {
  const known = opened.get(env);
  if (known !== undefined) return known;
  const outcome = await assemble(env);
  opened.set(env, outcome);
  return outcome;
}

const rings = new WeakMap<object, KeyRing>();

/** The keys of a deployed Worker, once per isolate. */
export async function openRing(env: object): Promise<Result<KeyRing, readonly ConfigProblem[]>> {
  const read = readUssdConfig(env);
  if (!read.ok) return read;
  const { PIN_ENCRYPTION_KEY: current, PIN_ENCRYPTION_KEY_ID: currentId, PIN_ENCRYPTION_KEYS_OLD: old } = read.value;
  const ring = rings.get(env) ?? (await openKeyRing({ currentId, current, old }, randomBytes));
  rings.set(env, ring);
  return success(ring);
}

async function assemble(env: AccountBindings): Promise<AccountsOutcome> {
  const read = readUssdConfig(env);
  if (!read.ok) return read;
  const config = read.value;
  const ring = await openRing(env);
  if (!ring.ok) return ring;
  const trigger = openSecurityNoticeTrigger(env, config);
  return success(
    createAccounts({
      database: databaseOf(env),
      ring: ring.value,
      limits: {
        pinAttempts: config.USSD_PIN_MAX_ATTEMPTS,
        lockSeconds: config.USSD_PIN_LOCK_SECONDS,
        temporaryPinSeconds: config.USSD_TEMP_PIN_SECONDS,
        accountsPerPhone: config.USSD_MAX_ACCOUNTS_PER_PHONE,
        questionsPerDay: config.USSD_ORACLE_DAILY_LIMIT,
      },
      retention: {
        ...(config.USSD_RECORD_DAYS === 0 ? {} : { records: config.USSD_RECORD_DAYS * MS_PER_DAY }),
        ...(config.USSD_PHONE_DAYS === 0 ? {} : { phones: config.USSD_PHONE_DAYS * MS_PER_DAY }),
      },
      iterations: PIN_ITERATIONS,
      clock: () => Date.now(),
      random: randomBytes,
      log: createLogger({ surface: "ussd" }),
      ...(trigger === undefined ? {} : { onSecurityEvent: () => void trigger() }),
    }),
  );
}

function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}

/** Ports to other surfaces. */
export interface SessionPorts {
  readonly domains: DomainDirectory;
  /** Absent while the oracle is misconfigured: phones continue without it. */
  readonly oracle?: { readonly client: OraclePort; readonly audience: string };
}

/** Undefined while the configuration is invalid; `/health` names the variables. */
export async function openSessionSettings(env: Env, ports: SessionPorts): Promise<UssdSettings | undefined> {
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
    statistics: createStatistics(databaseOf(env), () => Date.now(), createLogger({ surface: "ussd" })),
    app: config.APP_NAME,
    ...(config.SUPPORT_PHONE === undefined ? {} : { supportPhone: config.SUPPORT_PHONE }),
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
