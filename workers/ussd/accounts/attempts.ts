/**
 * The counters of wrong PINs. A guess is reserved before it is hashed (PH-58), by statements that add one if nothing is
 * locked; the guess that reaches a limit sets the lock in the same batch. So parallel guesses never exceed the limit,
 * and a crash in between leaves an account neither stuck nor unlocked.
 *
 * A phone from which the customer logs in (`login_phones`) has its own count and lock, so that no other phone can use
 * up its attempts (PH-60). A guess from any other phone is counted three times in `login_guard`, whether or not the id
 * exists: for this phone and this id, for this id from all such phones, and for this phone over all ids.
 */
import type { DatabaseResult, Statement } from "../../../platform/database/database.ts";
import type { CustomerRow } from "./customers.ts";
import type { AccountSettings } from "./settings.ts";

const DAY_MS = 86_400_000;
/** Milliseconds: the longest lock. */
const LONGEST_LOCK = DAY_MS;
/** Milliseconds after the last attempt, or the end of its lock, after which a counter is reset. */
const ATTEMPTS_RETENTION = DAY_MS;
/** Phones with separate attempts, in addition to the one from which the account was created. */
const MAX_LOGIN_PHONES = 3;
/** More doublings change nothing: even one second would exceed the longest lock. */
const MOST_DOUBLINGS = 17;
/** Phones unknown to an account that can use up their attempts on it before all such phones are locked. */
const STRANGERS_PER_LOCK = 3;
/** Ids on which one phone can use up its attempts before it is locked for all ids to which it is unknown. */
const IDS_PER_LOCK = 2;

export interface AttemptSubject {
  /** In upper case. */
  readonly customerId: string;
  /** The keys under which the id and the phone are counted, with the current key first. */
  readonly subjectKeys: readonly string[];
  readonly phoneKeys: readonly string[];
  /** The phone of the guess. */
  readonly phoneNumber: string;
}

interface CounterRow {
  readonly failed_attempts: number;
  readonly locked_until: number | null;
}

/** The keys of the counters of a phone that an account does not know. */
interface GuardKeys {
  readonly pair: string;
  readonly subject: string;
  readonly phone: string;
}
type GuardLocks = Readonly<Record<keyof GuardKeys, number | null>>;

/** The counters of a guess, to be decremented if it was right: the phone's own counter, or those of unknown phones. */
export type CountedGuess =
  | { readonly scope: "phone"; readonly lock: number | null }
  | { readonly scope: "others"; readonly keys: GuardKeys; readonly locks: GuardLocks };

export type Reservation =
  /** Unix milliseconds. */
  | { readonly state: "locked"; readonly until: number }
  | {
      readonly state: "reserved";
      /** Undefined for an unknown id. */
      readonly customer: CustomerRow | undefined;
      /** Guesses used, including this one. */
      readonly used: number;
      /** The lock that this guess sets if it is wrong. */
      readonly ownLock: number | null;
      readonly counted: CountedGuess;
    };

/** ?2 now, ?3 limit, ?4 first lock in milliseconds; `at` is the column with the time of the last attempt. */
function counterAssignments(table: string, at: string): string {
  const expired = `max(${table}.${at}, coalesce(${table}.locked_until, 0)) + ${ATTEMPTS_RETENTION} <= ?2`;
  const used = `(CASE WHEN ${expired} THEN 0 ELSE ${table}.failed_attempts END + 1)`;
  const level = `(CASE WHEN ${expired} THEN 0 ELSE ${table}.lock_level END)`;
  return `
    failed_attempts = CASE WHEN ${used} >= ?3 THEN 0 ELSE ${used} END,
    locked_until = CASE WHEN ${used} >= ?3 THEN ?2 + min(?4 << min(${level}, ${MOST_DOUBLINGS}), ${LONGEST_LOCK}) END,
    lock_level = CASE WHEN ${used} >= ?3 THEN ${level} + 1 ELSE ${level} END,
    ${at} = ?2`;
}

/** The row of a phone from which the customer logs in. */
const LOGIN_PHONE = (customerId: string, phoneNumber: string): string => `
  login_phones.customer_id = (SELECT id FROM customers WHERE customer_id = ${customerId})
  AND login_phones.phone_id = (SELECT id FROM phones WHERE phone_e164 = ${phoneNumber})`;
const IS_KNOWN = (customerId: string, phoneNumber: string): string =>
  `EXISTS (SELECT 1 FROM login_phones WHERE ${LOGIN_PHONE(customerId, phoneNumber)})`;

const RESERVE_PHONE = `
  UPDATE login_phones SET ${counterAssignments("login_phones", "attempted_at")}
  WHERE ${LOGIN_PHONE("?1", "?5")} AND coalesce(login_phones.locked_until, 0) <= ?2
  RETURNING failed_attempts, locked_until`;

/** A first attempt inserts a row; its counters equal those of a reset row, plus one. */
const RESERVE_GUARD = (condition: string): string => `
  INSERT INTO login_guard (subject_key, failed_attempts, locked_until, lock_level, updated_at)
  SELECT ?1, CASE WHEN ?3 <= 1 THEN 0 ELSE 1 END, CASE WHEN ?3 <= 1 THEN ?2 + min(?4, ${LONGEST_LOCK}) END,
    CASE WHEN ?3 <= 1 THEN 1 ELSE 0 END, ?2
  WHERE ${condition}
  ON CONFLICT (subject_key) DO UPDATE SET ${counterAssignments("login_guard", "updated_at")}
  RETURNING failed_attempts, locked_until`;

/** The first of the three decides: nothing is counted if one of them is locked. */
const RESERVE_PAIR = RESERVE_GUARD(`NOT ${IS_KNOWN("?5", "?6")}
  AND NOT EXISTS (SELECT 1 FROM login_guard WHERE subject_key IN (?1, ?7, ?8) AND locked_until > ?2)`);
const RESERVE_NEXT = RESERVE_GUARD("changes() = 1");

const LOCKED_UNTIL = `
  SELECT locked_until FROM login_phones WHERE ${LOGIN_PHONE("?1", "?2")}
  UNION ALL
  SELECT max(locked_until) FROM login_guard WHERE subject_key IN (?3, ?4, ?5) AND NOT ${IS_KNOWN("?1", "?2")}`;

/** Counters made under an earlier key continue under the current one. */
const CARRY_OVER = `UPDATE login_guard SET subject_key = ?1
  WHERE subject_key = ?2 AND NOT EXISTS (SELECT 1 FROM login_guard WHERE subject_key = ?1)`;

/** One round trip to the database, with equal statements whether or not the id exists. */
export async function reserveAttempt(
  { database, clock, limits }: Pick<AccountSettings, "database" | "clock" | "limits">,
  { customerId, subjectKeys, phoneKeys, phoneNumber }: AttemptSubject,
): Promise<Reservation> {
  const now = clock();
  const lockMs = limits.lockSeconds * 1_000;
  const [keys = guardKeys("", ""), ...earlier] = subjectKeys.map((key, at) => guardKeys(key, phoneKeys[at] ?? ""));
  const carried = earlier.flatMap((old) =>
    (["pair", "subject", "phone"] as const).map((name) => database.prepare(CARRY_OVER).bind(keys[name], old[name])),
  );
  const next = (key: string, limit: number) => database.prepare(RESERVE_NEXT).bind(key, now, limit, lockMs);
  const results = await database.batch([
    ...carried,
    database.prepare(RESERVE_PHONE).bind(customerId, now, limits.pinAttempts, lockMs, phoneNumber),
    database
      .prepare(RESERVE_PAIR)
      .bind(keys.pair, now, limits.pinAttempts, lockMs, customerId, phoneNumber, keys.subject, keys.phone),
    next(keys.subject, limits.pinAttempts * STRANGERS_PER_LOCK),
    next(keys.phone, limits.pinAttempts * IDS_PER_LOCK),
    database.prepare(LOCKED_UNTIL).bind(customerId, phoneNumber, keys.pair, keys.subject, keys.phone),
    database.prepare("SELECT * FROM customers WHERE customer_id = ?1").bind(customerId),
  ]);
  const [known, pair, subject, phone, locks, customers] = results.slice(carried.length);
  const customer = customers?.results[0] as CustomerRow | undefined;
  const ofPhone = known?.results[0] as CounterRow | undefined;
  const ofPair = pair?.results[0] as CounterRow | undefined;
  const counter = ofPhone ?? ofPair;
  if (counter === undefined) {
    const lock = locks?.results[0] as { readonly locked_until: number | null } | undefined;
    return { state: "locked", until: lock?.locked_until ?? now };
  }
  const lockOf = (result: DatabaseResult | undefined) =>
    (result?.results[0] as CounterRow | undefined)?.locked_until ?? null;
  const guardLocks = { pair: lockOf(pair), subject: lockOf(subject), phone: lockOf(phone) };
  const counted: CountedGuess =
    ofPhone === undefined
      ? { scope: "others", keys, locks: guardLocks }
      : { scope: "phone", lock: ofPhone.locked_until };
  const set = ofPhone === undefined ? Object.values(guardLocks) : [ofPhone.locked_until];
  const latest = Math.max(...set.map((lock) => lock ?? 0));
  const ownLock = latest === 0 ? null : latest;
  const used = ownLock === null ? counter.failed_attempts : limits.pinAttempts;
  return { state: "reserved", customer, used, ownLock, counted };
}

function guardKeys(subject: string, phone: string): GuardKeys {
  return { pair: `${subject}:${phone}`, subject, phone: `phone:${phone}` };
}

/** For the batch of a right PIN: clears the counts, and only the locks that its own reservation set. */
export function clearAttempts(
  { database, limits }: Pick<AccountSettings, "database" | "limits">,
  customerId: string,
  phoneNumber: string,
  counted: CountedGuess,
): readonly Statement[] {
  const free = "(locked_until IS NULL OR locked_until = ?2)";
  const cleared = `failed_attempts = 0,
    lock_level = CASE WHEN ${free} THEN 0 ELSE lock_level END,
    locked_until = CASE WHEN ${free} THEN NULL ELSE locked_until END`;
  if (counted.scope === "phone") {
    const clear = database.prepare(`UPDATE login_phones SET ${cleared} WHERE ${LOGIN_PHONE("?1", "?3")}`);
    return [clear.bind(customerId, counted.lock, phoneNumber)];
  }
  const { keys, locks } = counted;
  const clear = database.prepare(`UPDATE login_guard SET ${cleared} WHERE subject_key = ?1`);
  // Clears only this guess of the phone: a login to one's own account must not clear guesses at others.
  const taken = database.prepare(
    `UPDATE login_guard SET
       failed_attempts = CASE WHEN locked_until = ?2 THEN ?3 ELSE max(failed_attempts - 1, 0) END,
       lock_level = CASE WHEN locked_until = ?2 THEN max(lock_level - 1, 0) ELSE lock_level END,
       locked_until = CASE WHEN locked_until = ?2 THEN NULL ELSE locked_until END
     WHERE subject_key = ?1`,
  );
  return [
    clear.bind(keys.pair, locks.pair),
    clear.bind(keys.subject, locks.subject),
    taken.bind(keys.phone, locks.phone, limits.pinAttempts * IDS_PER_LOCK - 1),
  ];
}

/**
 * For the batch of a login: from now on this phone has separate attempts. In addition to the phone from which the
 * account was created, only the latest few have them, because each adds a few guesses for an attacker.
 */
export function rememberLoginPhone(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  customer: Pick<CustomerRow, "id">,
  phoneNumber: string,
): readonly Statement[] {
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

/** A phone from which the customer will log in, and which may never have called. */
export function addLoginPhone(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  customerId: string,
  phoneNumber: string,
): readonly Statement[] {
  const now = clock();
  return [
    database
      .prepare(
        `INSERT INTO phones (phone_e164, first_seen, last_seen, visits)
         SELECT ?2, ?3, ?3, 0 WHERE EXISTS (SELECT 1 FROM customers WHERE customer_id = ?1)
         ON CONFLICT (phone_e164) DO NOTHING`,
      )
      .bind(customerId, phoneNumber, now),
    database
      .prepare(
        `INSERT INTO login_phones (customer_id, phone_id, logged_in_at)
         SELECT customers.id, phones.id, ?3 FROM customers JOIN phones ON phone_e164 = ?2 WHERE customer_id = ?1
         ON CONFLICT (customer_id, phone_id) DO UPDATE SET
           logged_in_at = excluded.logged_in_at, failed_attempts = 0, locked_until = NULL, lock_level = 0`,
      )
      .bind(customerId, phoneNumber, now),
  ];
}

/**
 * Clears every count and lock of the customer, for an operator. `subjectKeys`: the keys of the customer's id, under all
 * keys.
 */
export function unlockPhones(
  { database }: Pick<AccountSettings, "database">,
  customerId: string,
  subjectKeys: readonly string[],
): readonly Statement[] {
  return [
    database
      .prepare(
        `UPDATE login_phones SET failed_attempts = 0, locked_until = NULL, lock_level = 0
         WHERE customer_id = (SELECT id FROM customers WHERE customer_id = ?1)`,
      )
      .bind(customerId),
    ...deleteGuesses({ database }, subjectKeys),
  ];
}

/** Deletes the counts of guesses from unknown phones at a customer's id. */
export function deleteGuesses(
  { database }: Pick<AccountSettings, "database">,
  subjectKeys: readonly string[],
): readonly Statement[] {
  // The counter of the id, and those of the id and a phone, whose keys start with the id and a colon; `;` follows the
  // colon.
  return subjectKeys.map((key) =>
    database
      .prepare(
        "DELETE FROM login_guard WHERE subject_key = ?1 OR (subject_key > ?1 || ':' AND subject_key < ?1 || ';')",
      )
      .bind(key),
  );
}

/** Deletes expired counters, at most `limit`. */
export function purgeAttempts(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  limit: number,
): Statement {
  const end = "max(updated_at, coalesce(locked_until, 0))";
  return database
    .prepare(
      `DELETE FROM login_guard WHERE subject_key IN (
         SELECT subject_key FROM login_guard WHERE ${end} <= ?1 ORDER BY ${end} LIMIT ?2)`,
    )
    .bind(clock() - ATTEMPTS_RETENTION, limit);
}
