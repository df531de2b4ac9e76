/**
 * Customers of the phone gateway: accounts, PINs, logins, identities, and the index of sessions. All SQL on them is in
 * this folder; this file combines it into the port of the session objects and the operators' commands. An unavailable or
 * full database is a failure in the result, never thrown.
 */
import type { AccountsPort, Caller, DigestPort } from "../../../durable-objects/ussd-session/ports.ts";
import { fail } from "../../../platform/failure.ts";
import { isDatabaseFull } from "../../../platform/database/database-size.ts";
import { describeThrown } from "../../../platform/log.ts";
import { success, type Result } from "../../../platform/result.ts";
import { purgeAttempts } from "./attempts.ts";
import { auditStatement, callerKeys, purgeAnonymousEntries } from "./audit.ts";
import { createAccount } from "./creation.ts";
import {
  dial,
  findCustomer,
  learnTextMode,
  purgeGateways,
  purgeQuestions,
  setLanguage,
  takeQuestion,
} from "./customers.ts";
import { mintInvocation } from "./identity.ts";
import { login } from "./login.ts";
import {
  linkDid,
  linkPhone,
  recordOperatorRead,
  resetPin,
  unlock,
  type LinkedDid,
  type LinkedPhone,
  type TemporaryPin,
  type Unlocked,
} from "./operator-commands.ts";
import { changePin, matchesPin, preparePin } from "./pin-change.ts";
import { rotateKeys, type RotationReport } from "./key-rotation.ts";
import { retentionStatements } from "./retention.ts";
import { listActiveSessions, purgeSessions, saveSession, type ActiveSessions } from "./session-index.ts";
import type { AccountSettings } from "./settings.ts";
import { cacheMacs } from "../key-ring.ts";

/**
 * Rows of each table that one run deletes: a run every minute deletes up to 1.4 million a day, and no run blocks the
 * database for long.
 */
export const PURGED_ROWS = 1_000;

export interface OperatorCommands {
  /** `phoneNumber`: adds a phone from which the customer logs in. */
  unlock(customerId: string, phoneNumber?: string): Promise<Result<Unlocked>>;
  /** Null for no phone; the customer's next login adds one. */
  linkPhone(customerId: string, phoneNumber: string | null): Promise<Result<LinkedPhone>>;
  resetPin(customerId: string): Promise<Result<TemporaryPin>>;
  linkDid(customerId: string, did: string | null): Promise<Result<LinkedDid>>;
  rotateKeys(after: number): Promise<Result<RotationReport>>;
  activeSessions(): Promise<Result<ActiveSessions>>;
  /** `what`: the route that was read. */
  reportRead(what: string): Promise<Result<void>>;
}

export interface Accounts {
  readonly port: AccountsPort;
  readonly digests: DigestPort;
  readonly operators: OperatorCommands;
  /** A session's id in logs and the audit log: the MAC of its name. */
  sessionKey(name: string): Promise<string>;
  /** Deletes expired rows; for the scheduled handler. */
  purge(): Promise<Result<void>>;
}

export function createAccounts(settings: AccountSettings): Accounts {
  const { database, ring, log } = settings;

  /** An exception of the database becomes a failure; its text is logged, because it names tables and never values. */
  async function guarded<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
    try {
      return success(await work());
    } catch (thrown) {
      log.error("accounts-failed", { reason: describeThrown(thrown) });
      if (isDatabaseFull(thrown)) return fail("storage_full", "The database is full");
      return fail("unavailable", "Service temporarily unavailable");
    }
  }

  async function guardedResult<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const outcome = await guarded(work);
    return outcome.ok ? outcome.value : outcome;
  }

  async function recordBindRefusal(caller: Caller): Promise<void> {
    const keys = await callerKeys(ring, caller);
    await auditStatement(settings, { event: "SESSION_BIND_REFUSED", customerId: null, caller: keys }).run();
  }

  return {
    port: {
      dial: (call) => guarded(() => dial(settings, call)),
      learnTextMode: (learned) => guarded(() => learnTextMode(settings, learned)),
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
      reportBindRefusal: (caller) => guarded(() => recordBindRefusal(caller)),
    },
    digests: {
      keyId: ring.currentId,
      digest: async (text, keyId) => (await ring.macUnder(keyId, "text", text)) ?? "",
    },
    sessionKey: cacheMacs((name) => ring.mac("session", name)),
    operators: {
      unlock: (id, phoneNumber) => guardedResult(() => unlock(settings, id, phoneNumber)),
      linkPhone: (id, phoneNumber) => guardedResult(() => linkPhone(settings, id, phoneNumber)),
      resetPin: (id) => guardedResult(() => resetPin(settings, id)),
      linkDid: (id, did) => guardedResult(() => linkDid(settings, id, did)),
      rotateKeys: (after) => guarded(() => rotateKeys(settings, after)),
      activeSessions: () => guarded(() => listActiveSessions(settings)),
      reportRead: (what) => guarded(() => recordOperatorRead(settings, what)),
    },
    purge: () =>
      guarded(async () => {
        await database.batch([
          ...[purgeAttempts, purgeSessions, purgeQuestions, purgeAnonymousEntries, purgeGateways].map((purge) =>
            purge(settings, PURGED_ROWS),
          ),
          ...retentionStatements(settings, PURGED_ROWS),
        ]);
      }),
  };
}
