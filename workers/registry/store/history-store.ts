/** Reads the stored history of a domain; callers store due steps first. */
import type { Database } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { changesBetween, type HistoryEntry } from "../domain/representation.ts";
import { printTime } from "../domain/time.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { readChanges } from "./stored-columns.ts";
import {
  chainColumns,
  chainEnd,
  type ChainRow,
  type HistoryRow,
  newestJoin,
  readFirstVersions,
  rebuilt,
} from "./version-chain.ts";

/** An entry with the whole record at that version. */
export interface HistoricVersion {
  readonly entry: HistoryEntry;
  readonly record: DomainRecord;
}

export const historyColumns = "version, version_id, at, actor, action, changes, reason, proposal_id";

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** There are older entries. */
  readonly more: boolean;
}

/** Newest first, versions below `before`; fewer than `limit` if their changes are large. */
export async function listHistory(
  database: Database,
  id: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<HistoryPage> {
  // Lengths are known without reading the long values.
  const { results } = await database
    .prepare(
      `WITH page AS (
         SELECT version, octet_length(changes) AS bytes FROM domain_history
         WHERE domain_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3
       ), weighed AS (
         SELECT version, SUM(bytes) OVER (ORDER BY version DESC) - bytes AS ahead FROM page
       )
       SELECT ${historyColumns}, (SELECT count(*) FROM page) AS found
       FROM domain_history
       WHERE domain_id = ?1 AND version IN (SELECT version FROM weighed WHERE ahead < ?4) ORDER BY version DESC`,
    )
    .bind(id, before ?? Number.MAX_SAFE_INTEGER, limit + 1, PAGE_LENGTH)
    .all<HistoryRow & { readonly found: number }>();
  const rows = results.slice(0, limit);
  const first = rows.at(-1)?.version === 1 ? (await readFirstVersions(database, [id])).get(id) : undefined;
  const entries = rows.map((row) =>
    entryOf(row, row.version === 1 && first !== undefined ? rebuilt(first) : undefined),
  );
  return { entries, more: (results[0]?.found ?? 0) > entries.length };
}

/** The requested version: by number, by content digest, or at a time (Unix milliseconds). */
export type VersionWanted = { readonly version: number } | { readonly versionId: string } | { readonly at: number };

/** Undefined if the domain has no such version, or did not exist at that time. */
export async function readVersion(
  database: Database,
  id: string,
  wanted: VersionWanted,
): Promise<HistoricVersion | undefined> {
  const [condition, value] = conditionOf(wanted);
  // Force the index that finds the version directly; in version order, SQLite would read all versions.
  const index = "versionId" in wanted ? "INDEXED BY domain_history_by_digest" : "";
  const { results } = await database
    .prepare(
      `WITH wanted AS (
         SELECT version FROM domain_history ${index} WHERE domain_id = ?1 AND ${condition} ORDER BY version DESC LIMIT 1
       )
       SELECT ${chainColumns} FROM wanted CROSS JOIN domain_history AS history ${newestJoin}
       WHERE history.domain_id = ?1 AND history.version >= wanted.version
         AND history.version <= ${chainEnd("?1", "wanted.version")}
       ORDER BY history.version`,
    )
    .bind(id, value)
    .all<ChainRow>();
  const [row] = results;
  if (row === undefined) return undefined;
  const record = rebuilt(results);
  return { entry: entryOf(row, record), record };
}

function conditionOf(wanted: VersionWanted): readonly [string, string | number] {
  if ("version" in wanted) return ["version = ?2", wanted.version];
  return "versionId" in wanted ? [BY_DIGEST, wanted.versionId] : [LAST_AT, wanted.at];
}

/** The index has the first eight digits, which hardly any two versions share. */
const BY_DIGEST = "substr(version_id, 1, 8) = substr(?2, 1, 8) AND version_id = ?2";

/** A binary search: the times of a domain's versions never decrease. The last version of a millisecond counts. */
const LAST_AT = `version = (
  WITH RECURSIVE halved (low, high) AS (
    SELECT CAST(0 AS INTEGER), max(version) FROM domain_history WHERE domain_id = ?1
    UNION ALL
    SELECT CASE WHEN middle.at <= ?2 THEN middle.version ELSE halved.low END,
      CASE WHEN middle.at <= ?2 THEN halved.high ELSE middle.version - 1 END
    FROM halved CROSS JOIN domain_history AS middle
      ON middle.domain_id = ?1 AND middle.version = (halved.low + halved.high + 1) / 2
    WHERE halved.low < halved.high
  )
  SELECT halved.low FROM halved WHERE halved.low = halved.high)`;

/** The changes of the first version are its whole record, which the caller has rebuilt. */
export function entryOf(row: HistoryRow, record: DomainRecord | undefined): HistoryEntry {
  const isFirst = row.version === 1 && record !== undefined;
  return {
    version: row.version,
    versionId: row.version_id,
    at: printTime(row.at),
    actor: row.actor,
    action: row.action,
    changes: isFirst ? changesBetween(undefined, record) : readChanges(row.changes),
    reason: row.reason,
    proposalId: row.proposal_id,
  };
}
