/**
 * The counter of wrong PINs. A guess is reserved before it is hashed (PH-58), by one statement that adds one where nothing is
 * locked; the guess that reaches the limit sets the lock in the same statement. So parallel guesses never exceed the limit,
 * and a crash in between leaves an account neither stuck nor unlocked.
 *
 * A phone that the customer logs in from (`login_phones`) has its own count and lock, so that nobody else can use up its
 * attempts (PH-60). All other phones share those of the account. Unknown ids are counted in `login_guard` by the same
 * expressions.
 */
import type { CustomerRow } from "./customers.ts";
import type { AccountSettings } from "./settings.ts";

const DAY_MS = 86_400_000;
/** Milliseconds: the longest lock. */
const LONGEST_LOCK = DAY_MS;
/**
 * Milliseconds after the last attempt, or the end of its lock, when the counters are reset. Rows of unknown ids have to
 * expire; those of customers expire alike, since a difference would reveal which ids exist.
 */
const ATTEMPTS_RETENTION = DAY_MS;
/** Phones with attempts of their own, not counting the one that the account was made from. */
const MAX_LOGIN_PHONES = 3;
/** More doublings change nothing: even one second would exceed the longest lock. */
const MOST_DOUBLINGS = 17;

export interface AttemptSubject {
  /** Upper-case. */
  readonly customerId: string;
  /** The key under which an unknown id is counted. */
  readonly subjectKey: string;
  /** The phone that the guess comes from. */
  readonly phoneNumber: string;
}

/** Which counter holds a guess: the phone's own, or that of all phones which the customer does not log in from. */
export type AttemptScope = "phone" | "others";

interface CounterRow {
  readonly failed_attempts: number;
  readonly locked_until: number | null;
}

export type Reservation =
  /** Unix milliseconds. */
  | { readonly state: "locked"; readonly until: number }
  | {
      readonly state: "reserved";
      /** Undefined for an unknown id. */
      readonly customer: CustomerRow | undefined;
      /** Guesses used, this one included. */
      readonly used: number;
      /** The lock that this guess sets if it is wrong. */
      readonly ownLock: number | null;
      readonly scope: AttemptScope;
    };

/** ?2 now, ?3 limit, ?4 first lock in milliseconds; `at` is the column with the time of the last attempt. */
function counterExpressions(table: string, at: string) {
  const expired = `max(${table}.${at}, coalesce(${table}.locked_until, 0)) + ${ATTEMPTS_RETENTION} <= ?2`;
  const used = `(CASE WHEN ${expired} THEN 0 ELSE ${table}.failed_attempts END + 1)`;
  const level = `(CASE WHEN ${expired} THEN 0 ELSE ${table}.lock_level END)`;
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
const phoneCounter = counterExpressions("login_phones", "attempted_at");
const guardCounter = counterExpressions("login_guard", "updated_at");

/** The row of a phone that the customer logs in from. */
const LOGIN_PHONE = (customerId: string, phoneNumber: string): string => `
  login_phones.customer_id = (SELECT id FROM customers WHERE customer_id = ${customerId})
  AND login_phones.phone_id = (SELECT id FROM phones WHERE phone_e164 = ${phoneNumber})`;
const IS_KNOWN = (customerId: string, phoneNumber: string): string =>
  `EXISTS (SELECT 1 FROM login_phones WHERE ${LOGIN_PHONE(customerId, phoneNumber)})`;

const RESERVE_PHONE = `
  UPDATE login_phones SET ${phoneCounter.assignments}
  WHERE ${LOGIN_PHONE("?1", "?5")} AND ${phoneCounter.unlocked} RETURNING failed_attempts, locked_until`;

const RESERVE_CUSTOMER = `
  UPDATE customers SET ${customerCounter.assignments}
  WHERE customer_id = ?1 AND ${customerCounter.unlocked} AND NOT ${IS_KNOWN("?1", "?5")}
  RETURNING failed_attempts, locked_until`;

// A first attempt inserts a row; its counters are those of a reset row, plus one.
const RESERVE_UNKNOWN = `
  INSERT INTO login_guard (subject_key, failed_attempts, locked_until, lock_level, updated_at)
  SELECT ?1, CASE WHEN ?3 <= 1 THEN 0 ELSE 1 END, CASE WHEN ?3 <= 1 THEN ?2 + min(?4, ${LONGEST_LOCK}) END, ?3 <= 1, ?2
  WHERE NOT EXISTS (SELECT 1 FROM customers WHERE customer_id = ?5)
  ON CONFLICT (subject_key) DO UPDATE SET ${guardCounter.assignments} WHERE ${guardCounter.unlocked} RETURNING *`;

const LOCKED_UNTIL = `
  SELECT locked_until FROM login_phones WHERE ${LOGIN_PHONE("?1", "?3")}
  UNION ALL
  SELECT locked_until FROM customers WHERE customer_id = ?1 AND NOT ${IS_KNOWN("?1", "?3")}
  UNION ALL
  SELECT locked_until FROM login_guard
  WHERE subject_key = ?2 AND NOT EXISTS (SELECT 1 FROM customers WHERE customer_id = ?1)`;

/** One trip to the database, the same one whether or not the id exists. */
export async function reserveAttempt(
  { database, clock, limits }: Pick<AccountSettings, "database" | "clock" | "limits">,
  { customerId, subjectKey, phoneNumber }: AttemptSubject,
): Promise<Reservation> {
  const now = clock();
  const rules = [limits.pinAttempts, limits.lockSeconds * 1_000];
  const [phones, others, unknown, locks, customers] = await database.batch([
    database.prepare(RESERVE_PHONE).bind(customerId, now, ...rules, phoneNumber),
    database.prepare(RESERVE_CUSTOMER).bind(customerId, now, ...rules, phoneNumber),
    database.prepare(RESERVE_UNKNOWN).bind(subjectKey, now, ...rules, customerId),
    database.prepare(LOCKED_UNTIL).bind(customerId, subjectKey, phoneNumber),
    database.prepare("SELECT * FROM customers WHERE customer_id = ?1").bind(customerId),
  ]);
  const ofPhone = phones?.results[0] as CounterRow | undefined;
  const counted = ofPhone ?? ((others?.results[0] ?? unknown?.results[0]) as CounterRow | undefined);
  if (counted === undefined) {
    const lock = locks?.results[0] as { readonly locked_until: number | null } | undefined;
    return { state: "locked", until: lock?.locked_until ?? now };
  }
  const ownLock = counted.locked_until;
  return {
    state: "reserved",
    customer: customers?.results[0] as CustomerRow | undefined,
    scope: ofPhone === undefined ? "others" : "phone",
    used: ownLock === null ? counted.failed_attempts : limits.pinAttempts,
    ownLock,
  };
}

/** For the batch of a right PIN: clears the count, and the lock that its own reservation set, never another one. */
export function clearAttempts(
  { database }: Pick<AccountSettings, "database">,
  customerId: string,
  phoneNumber: string,
  { scope, ownLock }: { readonly scope: AttemptScope; readonly ownLock: number | null },
): D1PreparedStatement {
  const free = "(locked_until IS NULL OR locked_until = ?2)";
  const cleared = `failed_attempts = 0,
    lock_level = CASE WHEN ${free} THEN 0 ELSE lock_level END,
    locked_until = CASE WHEN ${free} THEN NULL ELSE locked_until END`;
  if (scope === "others") {
    return database.prepare(`UPDATE customers SET ${cleared} WHERE customer_id = ?1`).bind(customerId, ownLock);
  }
  return database
    .prepare(`UPDATE login_phones SET ${cleared} WHERE ${LOGIN_PHONE("?1", "?3")}`)
    .bind(customerId, ownLock, phoneNumber);
}

/**
 * For the batch of a login: from now on this phone has attempts of its own. Besides the phone that the account was made
 * from, only the latest few have them: each adds a few guesses that an attacker could make.
 */
export function rememberLoginPhone(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  customer: Pick<CustomerRow, "id">,
  phoneNumber: string,
): readonly D1PreparedStatement[] {
  const isOther = `NOT EXISTS (SELECT 1 FROM customer_phones AS first
    WHERE first.customer_id = login_phones.customer_id AND first.phone_id = login_phones.phone_id)`;
  return [
    database
      .prepare(
        `INSERT INTO login_phones (customer_id, phone_id, logged_in_at)
         SELECT ?1, id, ?3 FROM phones WHERE phone_e164 = ?2
         ON CONFLICT (customer_id, phone_id) DO UPDATE SET logged_in_at = excluded.logged_in_at`,
      )
      .bind(customer.id, phoneNumber, clock()),
    database
      .prepare(
        `DELETE FROM login_phones WHERE customer_id = ?1 AND ${isOther} AND phone_id NOT IN (
           SELECT phone_id FROM login_phones WHERE customer_id = ?1 AND ${isOther}
           ORDER BY logged_in_at DESC, phone_id = (SELECT id FROM phones WHERE phone_e164 = ?3) DESC LIMIT ?2)`,
      )
      .bind(customer.id, MAX_LOGIN_PHONES, phoneNumber),
  ];
}

/** Clears every lock of the customer, for an operator. */
export function unlockPhones({ database }: Pick<AccountSettings, "database">, customerId: string): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE login_phones SET failed_attempts = 0, locked_until = NULL, lock_level = 0
       WHERE customer_id = (SELECT id FROM customers WHERE customer_id = ?1)`,
    )
    .bind(customerId);
}

/** Deletes expired counters of unknown ids. */
export function purgeAttempts({ database, clock }: Pick<AccountSettings, "database" | "clock">): D1PreparedStatement {
  return database
    .prepare(`DELETE FROM login_guard WHERE max(updated_at, coalesce(locked_until, 0)) + ${ATTEMPTS_RETENTION} <= ?1`)
    .bind(clock());
}
