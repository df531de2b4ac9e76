/**
 * Customers of the phone gateway: accounts, PINs, logins, identities, and the index of sessions (contract/ussd.md
 * section 7). All SQL on them lies in `accounts/`; this file puts the parts together behind the port of the session
 * object and the operators' desk. A database that cannot be asked is a fault in the answer, never thrown.
 */
import type { AccountsPort, Caller, DigestPort } from "../../durable-objects/ussd-session/ports.ts";
import type { ConfigProblem } from "../platform/config.ts";
import { fail } from "../platform/failure.ts";
import { createLogger, describeThrown } from "../platform/log.ts";
import { success, type Result } from "../platform/result.ts";
import { purgeAttempts } from "./accounts/attempts.ts";
import { auditStatement, callerKeys, purgeStrangers } from "./accounts/audit.ts";
import { createAccount } from "./accounts/creation.ts";
import { findCustomer, mintInvocation, purgeQuestions, takeQuestion } from "./accounts/customers.ts";
import { login } from "./accounts/login.ts";
import {
  linkDid,
  reportOperatorRead,
  resetPin,
  unlock,
  type LinkedDid,
  type TemporaryPin,
  type Unlocked,
} from "./accounts/operator-desk.ts";
import { dial, setLanguage } from "./accounts/phones.ts";
import { changePin, matchesPin, preparePin } from "./accounts/pin-change.ts";
import { rotateKeys, type RotationReport } from "./accounts/rotation.ts";
import { listActiveSessions, purgeSessions, saveSession, type ActiveSessions } from "./accounts/session-index.ts";
import type { AccountSettings } from "./accounts/settings.ts";
import { readUssdConfig, type UssdConfig } from "./config.ts";
import { PIN_ITERATIONS } from "./pin.ts";
import { openKeyRing, type KeyRing } from "./secrets/key-ring.ts";
import { rememberMacs } from "./secrets/remembered-macs.ts";
import { openNoticeBell } from "./sms/notice-bell.ts";

export interface OperatorDesk {
  unlock(customerId: string): Promise<Result<Unlocked>>;
  resetPin(customerId: string): Promise<Result<TemporaryPin>>;
  linkDid(customerId: string, did: string | null): Promise<Result<LinkedDid>>;
  rotateKeys(after: number): Promise<Result<RotationReport>>;
  activeSessions(): Promise<Result<ActiveSessions>>;
  /** `what`: which operator's route was read. */
  reportRead(what: string): Promise<Result<void>>;
}

export interface Accounts {
  readonly port: AccountsPort;
  readonly digests: DigestPort;
  readonly operators: OperatorDesk;
  /** A session as logs and the audit know it: the MAC of its name. */
  sessionKey(name: string): Promise<string>;
  /** Deletes what no longer matters; for the scheduled handler. */
  purge(): Promise<Result<void>>;
}

export function createAccounts(settings: AccountSettings): Accounts {
  const { database, ring, log } = settings;

  /** What the database throws becomes a fault; its text goes to the log, since it names tables and never values. */
  async function guarded<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
    try {
      return success(await work());
    } catch (thrown) {
      log.error("accounts-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "Service temporarily unavailable");
    }
  }

  async function guardedResult<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const outcome = await guarded(work);
    return outcome.ok ? outcome.value : outcome;
  }

  async function reportBindRefusal(caller: Caller): Promise<void> {
    const keys = await callerKeys(ring, caller);
    await auditStatement(settings, { event: "SESSION_BIND_REFUSED", customerId: null, caller: keys }).run();
  }

  return {
    port: {
      dial: (call) => guarded(() => dial(settings, call)),
      login: (attempt) => guarded(() => login(settings, attempt)),
      preparePin: (pin) => guarded(() => preparePin(settings, pin)),
      matchesPin: (confirmation) => guarded(() => matchesPin(settings, confirmation)),
      createAccount: (account) => guarded(() => createAccount(settings, account)),
      changePin: (change) => guarded(() => changePin(settings, change)),
      customer: (granted) => guarded(() => findCustomer(settings, granted)),
      setLanguage: (caller, granted, language) => guarded(() => setLanguage(settings, caller, granted, language)),
      mintInvocation: (granted, audience) => guarded(() => mintInvocation(settings, granted, audience)),
      takeQuestion: (granted, jobId) => guarded(() => takeQuestion(settings, granted, jobId)),
      saveSession: (entry) => guarded(() => saveSession(settings, entry)),
      reportBindRefusal: (caller) => guarded(() => reportBindRefusal(caller)),
    },
    digests: createDigests(ring),
    sessionKey: rememberMacs((name) => ring.mac("session", name)),
    operators: {
      unlock: (id) => guardedResult(() => unlock(settings, id)),
      resetPin: (id) => guardedResult(() => resetPin(settings, id)),
      linkDid: (id, did) => guardedResult(() => linkDid(settings, id, did)),
      rotateKeys: (after) => guarded(() => rotateKeys(settings, after)),
      activeSessions: () => guarded(() => listActiveSessions(settings)),
      reportRead: (what) => guarded(() => reportOperatorRead(settings, what)),
    },
    purge: () =>
      guarded(async () => {
        await database.batch([
          purgeAttempts(settings),
          purgeSessions(settings),
          purgeQuestions(settings),
          purgeStrangers(settings),
        ]);
      }),
  };
}

function createDigests(ring: KeyRing): DigestPort {
  return {
    keyId: ring.currentId,
    digest: async (text, keyId) => (await ring.macUnder(keyId, "text", text)) ?? "",
  };
}

type AccountBindings = Pick<Env, "DATABASE" | "OUTBOX">;
type AccountsOutcome = Result<Accounts, readonly ConfigProblem[]>;

const opened = new WeakMap<object, AccountsOutcome>();

/**
 * The accounts of a deployed Worker, once per isolate; a failure names every wrong variable of the slice. Only the outcome
 * is kept, never the promise: one that belongs to a cancelled request would never settle for others.
 */
export async function openAccounts(env: AccountBindings): Promise<AccountsOutcome> {
  const known = opened.get(env);
  if (known !== undefined) return known;
  const outcome = await assemble(env);
  opened.set(env, outcome);
  return outcome;
}

async function assemble(env: AccountBindings): Promise<AccountsOutcome> {
  const config = readUssdConfig(env);
  if (!config.ok) return config;
  const bell = openNoticeBell(env, config.value);
  return success(
    createAccounts({
      database: env.DATABASE,
      ring: await openRing(config.value, randomBytes),
      limits: {
        pinAttempts: config.value.USSD_PIN_MAX_ATTEMPTS,
        lockSeconds: config.value.USSD_PIN_LOCK_SECONDS,
        temporaryPinSeconds: config.value.USSD_TEMP_PIN_SECONDS,
        accountsPerPhone: config.value.USSD_MAX_ACCOUNTS_PER_PHONE,
        questionsPerDay: config.value.USSD_ORACLE_DAILY_LIMIT,
      },
      iterations: PIN_ITERATIONS,
      clock: () => Date.now(),
      random: randomBytes,
      log: createLogger({ surface: "ussd" }),
      ...(bell === undefined ? {} : { noticeDue: () => void bell() }),
    }),
  );
}

type KeyVariables = Pick<UssdConfig, "PIN_ENCRYPTION_KEY" | "PIN_ENCRYPTION_KEY_ID" | "PIN_ENCRYPTION_KEYS_OLD">;

function openRing(config: KeyVariables, random: AccountSettings["random"]): Promise<KeyRing> {
  return openKeyRing(
    {
      currentId: config.PIN_ENCRYPTION_KEY_ID,
      current: config.PIN_ENCRYPTION_KEY,
      old: config.PIN_ENCRYPTION_KEYS_OLD,
    },
    random,
  );
}

function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes));
}
