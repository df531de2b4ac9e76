/**
 * The locks of a batch that writes. D1 runs one batch at a time, and our batches rely on it: they check a condition and then write.
 * Under READ COMMITTED a statement sees what was committed before it began, so a batch that holds the lock of its tables from its
 * first statement to its end sees and leaves the same states as in D1. Readers take no lock.
 */

/** Domains, votes, the roll, keys and imports; the triggers that number changes take it too. */
const REGISTRY = 7_305_101;
/** Customers, phones and the audit log of the phone gateway. */
const ACCOUNTS = 7_305_102;

const accountTables: ReadonlySet<string> = new Set([
  "audit_log",
  "customer_phones",
  "customers",
  "login_guard",
  "login_phones",
  "phones",
]);
/** Tables whose statements each stand alone: rows by key, which PostgreSQL locks by itself. */
const unlockedTables = /^(?:user_preferences|claims|ussd_\w+)$/;

/** In the order in which every batch takes them. */
export function locksOf(tables: readonly string[]): readonly number[] {
  const locked = tables.filter((name) => !unlockedTables.test(name));
  const registry = locked.some((name) => !accountTables.has(name));
  const accounts = locked.some((name) => accountTables.has(name));
  return [...(registry ? [REGISTRY] : []), ...(accounts ? [ACCOUNTS] : [])];
}
