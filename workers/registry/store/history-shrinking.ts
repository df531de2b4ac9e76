/**
 * Turns the snapshots of earlier releases into differences: one pass over the history in the order of its key, in
 * bounded steps of the scheduled run. A step stores nothing that it has not verified, and may run twice.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { type ChainRow, chainColumns, differenceOf, newestJoin, NO_SNAPSHOT, recordAt, SNAPSHOT_EVERY } from "./version-chain.ts";

/** Rows of one step; more than two snapshots are apart, so that a step always gets further. */
const STEP_ROWS = 100;
/** Bytes of one step, after which it ends early. */
const STEP_BYTES = 8_000_000;
const JOB = "shrink-history";

type Place = readonly [domainId: string, version: number];

/** The rows of one step, in the order of the key; a statement for plans and tests. */
export const stepRowsSql = `
  WITH page AS (
    SELECT domain_id, version, octet_length(snapshot) + octet_length(changes) AS bytes FROM domain_history
    WHERE (domain_id, version) > (?1, ?2) ORDER BY domain_id, version LIMIT ?3
  ), weighed AS (
    SELECT domain_id, version, sum(bytes) OVER (ORDER BY domain_id, version) - bytes AS ahead FROM page
  )
  SELECT ${chainColumns} FROM weighed CROSS JOIN domain_history AS history
    ON history.domain_id = weighed.domain_id AND history.version = weighed.version ${newestJoin}
  WHERE weighed.ahead < ?4 ORDER BY history.domain_id, history.version`;

/** Runs at most `steps`; false when the job has ended. */
export async function shrinkHistory(database: Database, steps: number): Promise<boolean> {
  for (let step = 0; step < steps; step += 1) if (!(await shrinkStep(database))) return false;
  return true;
}

async function shrinkStep(database: Database): Promise<boolean> {
  const stored = await database
    .prepare("SELECT position FROM registry_jobs WHERE job = ?1")
    .bind(JOB)
    .first<{ readonly position: string | null }>();
  if (stored?.position === null) return false;
  const [id, version] = stored === null ? ["", 0] : (JSON.parse(stored.position) as Place);
  const { results: rows } = await database
    .prepare(stepRowsSql)
    .bind(id, version, STEP_ROWS, STEP_BYTES)
    .all<ChainRow>();
  const { statements, last } = shrunk(database, rows);
  const position = last === undefined ? null : JSON.stringify(last);
  await database.batch([
    ...statements,
    database
      .prepare(
        `INSERT INTO registry_jobs (job, position) VALUES (?1, ?2)
         ON CONFLICT (job) DO UPDATE SET position = excluded.position`,
      )
      .bind(JOB, position),
  ]);
  return position !== null;
}

/** From the newest row to the oldest, because each record follows from the one behind it. */
function shrunk(database: Database, rows: readonly ChainRow[]) {
  const statements: Statement[] = [];
  let last: Place | undefined;
  let next: DomainRecord | undefined;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row === undefined) continue;
    const nextRow = rows[at + 1]?.domain_id === row.domain_id ? rows[at + 1] : undefined;
    const record = recordAt(row, nextRow === undefined ? undefined : next, nextRow);
    // The step ends with a row whose record is known and whose next version is here; the next step begins behind it.
    const isCut = at === rows.length - 1 && row.id === null;
    if (record !== undefined && !isCut) last ??= [row.domain_id, row.version];
    if (record !== undefined && row.snapshot !== NO_SNAPSHOT && row.version % SNAPSHOT_EVERY !== 0) {
      statements.push(...shrinking(database, row, record, nextRow === undefined ? undefined : { row: nextRow, record: next }));
    }
    next = record;
  }
  const end = rows.at(-1);
  return { statements, last: last ?? (end === undefined ? undefined : ([end.domain_id, end.version] as const)) };
}

function shrinking(
  database: Database,
  row: ChainRow,
  record: DomainRecord,
  next: { readonly row: ChainRow; readonly record: DomainRecord | undefined } | undefined,
): readonly Statement[] {
  const place = [row.domain_id, row.version] as const;
  if (next === undefined) {
    const own = row.id === null ? undefined : recordAt({ ...row, snapshot: NO_SNAPSHOT }, undefined, undefined);
    if (own === undefined || JSON.stringify(own) !== JSON.stringify(record)) return [];
    return [
      database
        .prepare(
          `UPDATE domain_history SET snapshot = '{}' WHERE domain_id = ?1 AND version = ?2
             AND EXISTS (SELECT 1 FROM domains WHERE id = ?1 AND version = ?2)`,
        )
        .bind(...place),
    ];
  }
  if (next.record === undefined || next.row.undo !== null) return [];
  const { undo } = differenceOf({ before: record, after: next.record }, next.row.changes);
  if (undo === null) return [];
  return [
    database
      .prepare("UPDATE domain_history SET undo = ?3 WHERE domain_id = ?1 AND version = ?2")
      .bind(row.domain_id, next.row.version, undo),
    database
      .prepare("UPDATE domain_history SET snapshot = '{}' WHERE domain_id = ?1 AND version = ?2")
      .bind(...place),
  ];
}
