/** Accounts over the test's D1 database, with a manual clock, a cheap hash and a recorded log. Runs in Node and in workerd. */
import type { Database } from "../../../platform/database/database.ts";
import type { AccountsPort, Caller, Login, LoginOutcome } from "../../../durable-objects/ussd-session/ports.ts";
import { createLogger } from "../../../platform/log.ts";
import type { Result } from "../../../platform/result.ts";
import { createAccounts, type Accounts } from "../../../workers/ussd/accounts/accounts.ts";
import type { Retention } from "../../../workers/ussd/accounts/settings.ts";
import type { AccountLimits } from "../../../workers/ussd/accounts/settings.ts";
import { openKeyRing, type KeyTexts } from "../../../workers/ussd/key-ring.ts";

export const PIN = "43219";
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const LIMITS: AccountLimits = {
  pinAttempts: 3,
  lockSeconds: 900,
  temporaryPinSeconds: 1_800,
  accountsPerPhone: 5,
  questionsPerDay: 20,
};

export interface TestAccounts extends Accounts {
  /** Unix milliseconds; the test advances it. */
  readonly clock: { now: number };
  readonly log: readonly string[];
}

export interface AccountsOptions {
  readonly clock?: { now: number };
  readonly keys?: Partial<KeyTexts>;
  readonly limits?: Partial<AccountLimits>;
  readonly iterations?: number;
  readonly retention?: Retention;
  readonly random?: (bytes: number) => Uint8Array<ArrayBuffer>;
  readonly onSecurityEvent?: () => void;
}

export async function testAccounts(database: Database, options: AccountsOptions = {}): Promise<TestAccounts> {
  const {
    clock = { now: Date.parse("2026-11-21T09:00:00Z") },
    keys,
    limits,
    iterations = 10,
    onSecurityEvent,
    retention,
  } = options;
  const random = options.random ?? ((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  const log: string[] = [];
  const accounts = createAccounts({
    database,
    ring: await openKeyRing({ currentId: "k1", current: "ab".repeat(32), old: {}, ...keys }, random),
    limits: { ...LIMITS, ...limits },
    iterations,
    clock: () => clock.now,
    random,
    log: createLogger({}, (_level, line) => log.push(line)),
    ...(retention === undefined ? {} : { retention }),
    ...(onSecurityEvent === undefined ? {} : { onSecurityEvent }),
  });
  return { ...accounts, clock, log };
}

/** A caller that no other test uses. */
export function newCaller(): Caller {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => String(byte % 10));
  return { phoneNumber: `+260${digits.join("")}`, sessionId: crypto.randomUUID() };
}

/** The value of an answer; a failure fails the test. */
export async function valueOf<Value>(answer: Promise<Result<Value>>): Promise<Value> {
  const result = await answer;
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export async function pendingPin(port: AccountsPort, effectKey: string, pin = PIN): Promise<string> {
  const prepared = await valueOf(port.preparePin({ pin, phoneNumber: "+15550000000", effectKey }));
  if (!prepared.accepted) throw new Error(`the PIN was refused: ${prepared.problem}`);
  return prepared.sealed;
}

/** Creates an account of that caller and returns its customer id. */
export async function newCustomer(port: AccountsPort, caller: Caller, name = "John Doe"): Promise<string> {
  const creationKey = crypto.randomUUID();
  const sealedPin = await pendingPin(port, creationKey);
  const account = { caller, creationKey, name, email: null, language: null, sealedPin };
  const outcome = await valueOf(port.createAccount(account));
  if (outcome.state !== "created") throw new Error(outcome.state);
  return outcome.customerId;
}

/** The login of an accepted attempt; any other outcome fails the test. */
export function granted(outcome: LoginOutcome): Login {
  if (outcome.state !== "accepted") throw new Error(`the login was ${outcome.state}`);
  return outcome.login;
}

export async function customerColumn(database: Database, customerId: string, name: string): Promise<unknown> {
  const row = await database.prepare("SELECT * FROM customers WHERE customer_id = ?").bind(customerId).first();
  return row?.[name];
}

/** The audit log of a customer, oldest first. */
export async function auditEvents(database: Database, customerId: string): Promise<readonly unknown[]> {
  const entries = database.prepare("SELECT event FROM audit_log WHERE customer_id = ? ORDER BY id").bind(customerId);
  return (await entries.all()).results.map(({ event }) => event);
}

/** `table`: a table, optionally with conditions, as in a FROM clause. */
export async function countRows(database: Database, table: string, ...values: readonly unknown[]): Promise<number> {
  const row = await database
    .prepare(`SELECT count(*) AS count FROM ${table}`)
    .bind(...values)
    .first<{ count: number }>();
  return row?.count ?? 0;
}
