/**
 * Limits the growth of a ledger: entries older than the retention are replaced by one entry with their sums. Only
 * settled and claimed runs are removed, and never a grant, whose key must count once forever.
 */
import type { ObjectStorage } from "../../platform/object-schema.ts";

/** How many runs, and how many reports of a subscription service, one call removes: more than one call adds. */
export const OLD_AT_ONCE = 10;
/** The entry that replaces all removed ones. */
export const CARRIED = "carried";

interface OldRun extends Record<string, SqlStorageValue> {
  readonly run_id: string;
  readonly entries: number;
}

/** Within a transaction. `before` is in Unix milliseconds. */
export function carryOn({ sql }: Pick<ObjectStorage, "sql">, before: number): void {
  const runs = sql
    .exec<OldRun>(
      `SELECT run_id, entries FROM runs INDEXED BY runs_over
       WHERE state = 'settled' AND (charged = 0 OR reported_at IS NOT NULL) AND settled_at < ?1
         AND (charged = 0 OR reported_at < ?1) ORDER BY settled_at LIMIT ?2`,
      before,
      OLD_AT_ONCE,
    )
    .toArray();
  const keysOf = ({ run_id: id, entries }: OldRun): readonly string[] => [
    ...Array.from({ length: entries }, (_, at) => `hold:${at + 1}:${id}`),
    `settle:${id}`,
  ];
  // Their keys are times with equal numbers of digits, so they sort like times.
  const reports = sql
    .exec<{ key: string }>(
      "SELECT key FROM entries WHERE key >= 'report:' AND key < ? ORDER BY key LIMIT ?",
      `report:${before}`,
      OLD_AT_ONCE,
    )
    .toArray();
  const keys = JSON.stringify([...runs.flatMap(keysOf), ...reports.map(({ key }) => key)]);
  sql.exec(
    `INSERT INTO entries (key, at, granted, balance, held, spent)
     SELECT ?1, MAX(at), SUM(granted), SUM(balance), SUM(held), SUM(spent) FROM entries
       WHERE key IN (SELECT value FROM json_each(?2)) HAVING COUNT(*) > 0
     ON CONFLICT (key) DO UPDATE SET at = excluded.at, granted = granted + excluded.granted,
       balance = balance + excluded.balance, held = held + excluded.held, spent = spent + excluded.spent`,
    CARRIED,
    keys,
  );
  sql.exec("DELETE FROM entries WHERE key IN (SELECT value FROM json_each(?))", keys);
  sql.exec(
    "DELETE FROM runs WHERE run_id IN (SELECT value FROM json_each(?))",
    JSON.stringify(runs.map(({ run_id }) => run_id)),
  );
}
