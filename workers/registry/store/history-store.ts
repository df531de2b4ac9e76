/** Reads the stored history of a domain; callers store due steps first. */
import type { Database } from "../../../platform/database/database.ts";
import type { Change, DomainAction, DomainRecord } from "../domain/domain.ts";
import { changesBetween, type HistoryEntry } from "../domain/representation.ts";
import { printTime } from "../domain/time.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { readChanges, readSnapshot } from "./stored-columns.ts";

/** An entry with the whole record at that version. */
export interface HistoricVersion {
  readonly entry: HistoryEntry;
  readonly record: DomainRecord;
}

export interface HistoryRow {
  readonly version: number;
  readonly version_id: string;
  readonly at: number;
  readonly actor: string;
  readonly action: DomainAction;
  readonly changes: string;
  readonly reason: string | null;
  readonly proposal_id: string | null;
  /** Absent in a list, except for the first version, whose changes are the whole record. */
  readonly snapshot: string | null;
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
       SELECT ${historyColumns}, CASE version WHEN 1 THEN snapshot END AS snapshot, (SELECT count(*) FROM page) AS found
       FROM domain_history
       WHERE domain_id = ?1 AND version IN (SELECT version FROM weighed WHERE ahead < ?4) ORDER BY version DESC`,
    )
    .bind(id, before ?? Number.MAX_SAFE_INTEGER, limit + 1, PAGE_LENGTH)
    .all<HistoryRow & { readonly found: number }>();
  const entries = results.slice(0, limit).map(entryOf);
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
  const index = "versionId" in wanted ? "INDEXED BY domain_history_by_version_id" : "";
  const row = await database
    .prepare(
      `SELECT ${historyColumns}, snapshot FROM domain_history ${index}
       WHERE domain_id = ?1 AND ${condition} ORDER BY version DESC LIMIT 1`,
    )
    .bind(id, value)
    .first<HistoryRow>();
  return row === null ? undefined : { entry: entryOf(row), record: readSnapshot(row.snapshot ?? "") };
}

function conditionOf(wanted: VersionWanted): readonly [string, string | number] {
  if ("version" in wanted) return ["version = ?2", wanted.version];
  return "versionId" in wanted ? ["version_id = ?2", wanted.versionId] : [LAST_AT, wanted.at];
}

const byTime = "FROM domain_history INDEXED BY domain_history_by_time WHERE domain_id = ?1";
/** The index ends at the time; the last version of a millisecond counts. */
const LAST_AT = `version = (SELECT max(version) ${byTime} AND at = (SELECT max(at) ${byTime} AND at <= ?2))`;

export function entryOf(row: HistoryRow): HistoryEntry {
  return {
    version: row.version,
    versionId: row.version_id,
    at: printTime(row.at),
    actor: row.actor,
    action: row.action,
    changes: changesOf(row),
    reason: row.reason,
    proposalId: row.proposal_id,
  };
}

function changesOf({ version, changes, snapshot }: HistoryRow): readonly Change[] {
  if (version === 1 && snapshot !== null) return changesBetween(undefined, readSnapshot(snapshot));
  return readChanges(changes);
}
