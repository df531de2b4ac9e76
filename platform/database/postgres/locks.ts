/**
 * The locks of a batch that writes. D1 runs one batch at a time, and our batches rely on it: they check a condition and then write.
 * Under READ COMMITTED a statement sees what was committed before it began, so a batch that holds the lock of its tables from its
 * first statement to its end sees and leaves the same states as in D1. Readers take no lock.
 */

/** Domains, votes, the roll, keys and imports; the triggers that number changes take it too. */
const REGISTRY = 7_305_101;
/** Customers, phones and the audit log of the phone gateway. */
const ACCOUNTS = 7_305_102;

/** The counts of ended sessions. */
const STATISTICS = 7_305_103;
/** The people of the console, and how they sign in. */
const STAFF = 7_305_104;

const accountTables: ReadonlySet<string> = new Set([
  "audit_log",
  "customer_phones",
  "customers",
  "login_guard",
  "login_phones",
  "phones",
  // The daily limit is counted by the statement that inserts.
  "ussd_questions",
]);
/**
 * Each report adds to the same few rows, which PostgreSQL locks until the end of its batch anyway; in another order of
 * rows, two reports would wait for each other. The sums are increased by the counts that they do not contain yet.
 */
const statisticsTables: ReadonlySet<string> = new Set([
  "ussd_counter_totals",
  "ussd_counters",
  "ussd_screen_totals",
  "ussd_stats",
  "ussd_totals_until",
]);
const staffTables: ReadonlySet<string> = new Set([
  "staff",
  "staff_challenge_key",
  "staff_invitations",
  "staff_passkeys",
  "staff_sessions",
  "staff_used_challenges",
]);
/**
 * Tables whose statements are independent of each other: they write rows by key, and check the condition on the row
 * that they write, which PostgreSQL locks and reads again automatically. A row of the audit log gets its number from
 * the row of `audit_numbers`, which its batch writes first and PostgreSQL then locks until the batch ends; concurrent
 * runs write equal seals.
 */
const unlockedTables: ReadonlySet<string> = new Set([
  "audit_numbers",
  "audit_rows",
  "audit_seals",
  "claims",
  "ussd_gateways",
  "ussd_sessions",
  "user_preferences",
]);

/** In the order in which every batch takes them. */
export function locksOf(tables: readonly string[]): readonly number[] {
  const locks = new Set(tables.flatMap((name) => (unlockedTables.has(name) ? [] : [lockOf(name)])));
  return [REGISTRY, ACCOUNTS, STATISTICS, STAFF].filter((lock) => locks.has(lock));
}

function lockOf(table: string): number {
  if (accountTables.has(table)) return ACCOUNTS;
  if (staffTables.has(table)) return STAFF;
  return statisticsTables.has(table) ? STATISTICS : REGISTRY;
}
