/**
 * The counter of wrong PINs (contract/ussd.md section 7). A guess is reserved before it is hashed, by one statement that
 * adds one where nothing is locked; the guess that reaches the limit sets the lock in the same statement. So guesses in
 * parallel are never more than the limit, and a crash in between leaves an account neither stuck nor free. Ids of nobody
 * are counted in `login_guard` by the same expressions.
 */
import type { CustomerRow } from "./customer-row.ts";
import type { AccountSettings } from "./settings.ts";

const DAY_MS = 86_400_000;
/** Milliseconds: the longest lock. */
const LONGEST_LOCK = DAY_MS;
/**
 * Milliseconds after the last attempt, or the end of the lock it led to, when the counters are forgotten. Needed for ids
 * of nobody, whose rows must go some day; the same for customers, since a difference would tell them apart.
 */
const ATTEMPTS_REMEMBERED = DAY_MS;
/** Doublings beyond this change nothing: even a second would be over the longest lock. */
const MOST_DOUBLINGS = 17;

export interface AttemptSubject {
  /** Upper-case. */
  readonly customerId: string;
  /** What an id of nobody is counted under. */
  readonly subjectKey: string;
}

interface CounterRow {
  readonly failed_attempts: number;
  readonly locked_until: number | null;
}

export type Reservation =
  /** Unix milliseconds. */
  | { readonly state: "locked"; readonly until: number }
  | {
      readonly state: "reserved";
      /** Nothing for an id of nobody. */
      readonly customer: CustomerRow | undefined;
      /** Guesses used, this one included. */
      readonly used: number;
      /** The lock that this guess set, should it be wrong. */
      readonly ownLock: number | null;
    };

/** ?2 now, ?3 limit, ?4 first lock in milliseconds; `at` is the column with the time of the last attempt. */
function counterExpressions(table: string, at: string) {
  const forgotten = `max(${table}.${at}, coalesce(${table}.locked_until, 0)) + ${ATTEMPTS_REMEMBERED} <= ?2`;
  const used = `(CASE WHEN ${forgotten} THEN 0 ELSE ${table}.failed_attempts END + 1)`;
  const level = `(CASE WHEN ${forgotten} THEN 0 ELSE ${table}.lock_level END)`;
  return {
    assignments: `
      failed_attempts = CASE WHEN ${used} >= ?3 THEN 0 ELSE ${used} END,
      locked_until = CASE WHEN ${used} >= ?3 THEN ?2 + min(?4 << min(${level}, ${MOST_DOUBLINGS}), ${LONGEST_LOCK}) END,
      lock_level = CASE WHEN ${used} >= ?3 THEN ${level} + 1 ELSE ${level} END,
      ${at} = ?2`,
    unlocked: `coalesce(${table}.locked_until, 0) <= ?2`,
  };
}

const customerCounter = counterExpressions("customers", "attempted_at");
const guardCounter = counterExpressions("login_guard", "updated_at");

const RESERVE_CUSTOMER = `
  UPDATE customers SET ${customerCounter.assignments}
  WHERE customer_id = ?1 AND ${customerCounter.unlocked} RETURNING *`;

// A first attempt inserts; the counters are those of a row that was forgotten, plus one.
const RESERVE_NOBODY = `
  INSERT INTO login_guard (subject_key, failed_attempts, locked_until, lock_level, updated_at)
  SELECT ?1, CASE WHEN ?3 <= 1 THEN 0 ELSE 1 END, CASE WHEN ?3 <= 1 THEN ?2 + min(?4, ${LONGEST_LOCK}) END, ?3 <= 1, ?2
  WHERE NOT EXISTS (SELECT 1 FROM customers WHERE customer_id = ?5)
  ON CONFLICT (subject_key) DO UPDATE SET ${guardCounter.assignments} WHERE ${guardCounter.unlocked} RETURNING *`;

const LOCKED_UNTIL = `
  SELECT locked_until FROM customers WHERE customer_id = ?1
  UNION ALL
  SELECT locked_until FROM login_guard
  WHERE subject_key = ?2 AND NOT EXISTS (SELECT 1 FROM customers WHERE customer_id = ?1)`;

/** One trip to the database, the same one whether or not the id is a customer's. */
export async function reserveAttempt(
  { database, clock, limits }: Pick<AccountSettings, "database" | "clock" | "limits">,
  { customerId, subjectKey }: AttemptSubject,
): Promise<Reservation> {
  const now = clock();
  const rules = [limits.pinAttempts, limits.lockSeconds * 1_000];
  const [customers, nobodies, locks] = await database.batch([
    database.prepare(RESERVE_CUSTOMER).bind(customerId, now, ...rules),
    database.prepare(RESERVE_NOBODY).bind(subjectKey, now, ...rules, customerId),
    database.prepare(LOCKED_UNTIL).bind(customerId, subjectKey),
  ]);
  const customer = customers?.results[0] as (CustomerRow & CounterRow) | undefined;
  const counted = customer ?? (nobodies?.results[0] as CounterRow | undefined);
  if (counted === undefined) {
    const lock = locks?.results[0] as { readonly locked_until: number | null } | undefined;
    return { state: "locked", until: lock?.locked_until ?? now };
  }
  const ownLock = counted.locked_until;
  return {
    state: "reserved",
    customer,
    used: ownLock === null ? counted.failed_attempts : limits.pinAttempts,
    ownLock,
  };
}

/** For the batch of a right PIN: clears the count and the lock that its own reservation set, never another's. */
export function forgiveAttempts(
  { database }: Pick<AccountSettings, "database">,
  customerId: string,
  ownLock: number | null,
): D1PreparedStatement {
  const free = "(locked_until IS NULL OR locked_until = ?2)";
  return database
    .prepare(
      `UPDATE customers SET failed_attempts = 0,
         lock_level = CASE WHEN ${free} THEN 0 ELSE lock_level END,
         locked_until = CASE WHEN ${free} THEN NULL ELSE locked_until END
       WHERE customer_id = ?1`,
    )
    .bind(customerId, ownLock);
}

/** Forgets the ids of nobody whose counters no longer matter. */
export function purgeAttempts({ database, clock }: Pick<AccountSettings, "database" | "clock">): D1PreparedStatement {
  return database
    .prepare(`DELETE FROM login_guard WHERE max(updated_at, coalesce(locked_until, 0)) + ${ATTEMPTS_REMEMBERED} <= ?1`)
    .bind(clock());
}
