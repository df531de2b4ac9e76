/**
 * Turns the snapshots of earlier releases into differences: one pass over the history in the order of its key, in
 * bounded steps of the scheduled run. A step stores nothing that it has not verified, and may run twice.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../domain/domain.ts";
import {
  type ChainRow,
  chainColumns,
  differenceOf,
  earlierIn,
  newestJoin,
  NO_SNAPSHOT,
  recordAt,
  SNAPSHOT_EVERY,
} from "./version-chain.ts";

/** Rows of one step: more than the distance between two snapshots, so that every step makes progress. */
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
  const { undos, restored, newest, last } = shrunk(rows);
  const position = last === undefined ? null : JSON.stringify(last);
  const writes = [
    [undoSql, undos],
    [restoredSql, restored],
    [newestSql, newest],
  ] as const;
  await database.batch([
    ...writes.flatMap(([sql, list]): Statement[] =>
      list.length === 0 ? [] : [database.prepare(sql).bind(JSON.stringify(list))],
    ),
    database
      .prepare(
        `INSERT INTO registry_jobs (job, position) VALUES (?1, ?2)
         ON CONFLICT (job) DO UPDATE SET position = excluded.position`,
      )
      .bind(JOB, position),
  ]);
  return position !== null;
}

/** The writes of one step. */
interface Shrunk {
  readonly undos: readonly (readonly [domainId: string, version: number, undo: string])[];
  /** Versions that the next version's difference restores. */
  readonly restored: readonly Place[];
  /** Versions that were equal to the domain's row. */
  readonly newest: readonly Place[];
  /** The last row that is done; undefined if there are no more rows. */
  readonly last: Place | undefined;
}

/** From the newest row to the oldest, because each record is reconstructed from its successor. */
function shrunk(rows: readonly ChainRow[]): Shrunk {
  const undos: [string, number, string][] = [];
  const [restored, newest]: [Place[], Place[]] = [[], []];
  let last: Place | undefined;
  let next: DomainRecord | undefined;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row === undefined) continue;
    const nextRow = rows[at + 1]?.domain_id === row.domain_id ? rows[at + 1] : undefined;
    const record = recordAt(row, nextRow === undefined ? undefined : next, nextRow);
    const place: Place = [row.domain_id, row.version];
    // The step ends with a row whose record is known and whose next version is here; the next step begins after it.
    const isCut = at === rows.length - 1 && row.id === null;
    if (record !== undefined && !isCut) last ??= place;
    if (record !== undefined && row.snapshot !== NO_SNAPSHOT && row.version % SNAPSHOT_EVERY !== 0) {
      const undo = nextRow === undefined ? undefined : undoFor({ row, record }, { row: nextRow, record: next });
      if (undo !== undefined) {
        undos.push([row.domain_id, row.version + 1, undo]);
        restored.push(place);
      }
      if (nextRow === undefined && isDomainRow(row, record)) newest.push(place);
    }
    next = record;
  }
  const end = rows.at(-1);
  return { undos, restored, newest, last: last ?? (end === undefined ? undefined : [end.domain_id, end.version]) };
}

interface Version {
  readonly row: ChainRow;
  readonly record: DomainRecord | undefined;
}

/** The difference that restores a version; undefined if it keeps its snapshot. */
function undoFor(version: Version, next: Version): string | undefined {
  if (version.record === undefined || next.record === undefined || next.row.undo !== null) return undefined;
  const step = { before: version.record, after: next.record };
  return differenceOf(step, next.row.changes, earlierIn(version.row)).undo ?? undefined;
}

/** Whether the snapshot of the newest version is equal to the domain's row. */
function isDomainRow(row: ChainRow, record: DomainRecord): boolean {
  const own = row.id === null ? undefined : recordAt({ ...row, snapshot: NO_SNAPSHOT }, undefined, undefined);
  return own !== undefined && JSON.stringify(own) === JSON.stringify(record);
}

/** A statement of all rows: D1 limits the statements of an invocation. Exported for plans. */
const undoSql = `
  UPDATE domain_history SET undo = sent.value ->> 2 FROM json_each(?1) AS sent
  WHERE domain_history.domain_id = sent.value ->> 0 AND domain_history.version = CAST(sent.value ->> 1 AS INTEGER)`;
const restoredSql = `
  UPDATE domain_history SET snapshot = '{}'
  WHERE (domain_id, version) IN (SELECT sent.value ->> 0, CAST(sent.value ->> 1 AS INTEGER) FROM json_each(?1) AS sent)`;
/** A writer may have stored a later version meanwhile. */
const newestSql = `${restoredSql}
    AND EXISTS (SELECT 1 FROM domains WHERE domains.id = domain_history.domain_id AND domains.version = domain_history.version)`;
