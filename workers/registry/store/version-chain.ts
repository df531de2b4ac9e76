/**
 * Rebuilds versions of domains. The newest version is the row of the domain; each other version is a whole snapshot, or
 * the next version with its changes undone. Every 32nd version has a snapshot, so at most 31 are undone.
 */
import type { Database } from "../../../platform/database/database.ts";
import { parseStoredJson } from "../../../platform/json.ts";
import * as z from "zod";
import type { DomainAction, DomainRecord, DomainStep } from "../domain/domain.ts";
import { printTime } from "../domain/time.ts";
import { type EarlierVersion, type Undo, earlierOf, undoOf, undone } from "../domain/version-difference.ts";
import { type DomainRow, domainColumns, recordOf } from "./domain-rows.ts";
import { readChanges, readSnapshot } from "./stored-columns.ts";

/** The distance between two snapshots. */
export const SNAPSHOT_EVERY = 32;
/** Characters of a difference; with a larger one, the version before it gets a snapshot. */
export const DIFFERENCE_CHARACTERS = 4_096;
/** The column `snapshot` of a version that has none. */
export const NO_SNAPSHOT = "{}";

/** SQL: a length is known without reading the long value. */
export const hasSnapshot = (history: string) => `octet_length(${history}.snapshot) > 2`;

/** How a step stores its difference. */
export interface StoredDifference {
  /** The snapshot of the new version. */
  readonly snapshot: string;
  readonly undo: string | null;
  /** The snapshot of the previous version, if that version gets one. */
  readonly snapshotBefore: string | undefined;
}

/** `earlier`: the columns of the version before, if they are known. */
export function differenceOf(
  { before, after }: Pick<DomainStep, "before" | "after">,
  changes: string,
  earlier: EarlierVersion | undefined = before === undefined ? undefined : earlierOf(before),
): StoredDifference {
  const snapshot = after.version % SNAPSHOT_EVERY === 0 ? JSON.stringify(after) : NO_SNAPSHOT;
  if (before === undefined || earlier === undefined) return { snapshot, undo: null, snapshotBefore: undefined };
  const made = readChanges(changes);
  const undo = undoOf(before, after, made, earlier);
  const text = JSON.stringify(undo);
  const isExact = sameText(undone(after, made, undo, earlier), before);
  if (!isExact || changes.length + text.length > DIFFERENCE_CHARACTERS) {
    return { snapshot, undo: null, snapshotBefore: JSON.stringify(before) };
  }
  return { snapshot, undo: text, snapshotBefore: undefined };
}

function sameText(one: DomainRecord, other: DomainRecord): boolean {
  const members = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([name, value]) => JSON.stringify(value) === JSON.stringify(members.get(name)));
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
}

type JoinedRow = { readonly [Column in keyof DomainRow]: DomainRow[Column] | null };

/** A row of the history; the newest one has the columns of its domain. */
export interface ChainRow extends HistoryRow, Omit<JoinedRow, "version" | "version_id"> {
  readonly domain_id: string;
  readonly snapshot: string;
  readonly undo: string | null;
}

const domainOnly = domainColumns
  .split(", ")
  .filter((column) => !/\.version(?:_id)?$/.test(column))
  .join(", ");
export const chainColumns = `history.domain_id, history.version, history.version_id, history.at, history.actor, history.action,
  history.changes, history.reason, history.proposal_id, history.snapshot, history.undo, ${domainOnly}`;
export const newestJoin = "LEFT JOIN domains ON domains.id = history.domain_id AND domains.version = history.version";

/** SQL: the last version that rebuilding `version` reads. */
export const chainEnd = (id: string, version: string) =>
  `coalesce((SELECT whole.version FROM domain_history AS whole
     WHERE whole.domain_id = ${id} AND whole.version >= ${version} AND whole.version < ${version} + ${SNAPSHOT_EVERY}
       AND ${hasSnapshot("whole")} ORDER BY whole.version LIMIT 1), ${version} + ${SNAPSHOT_EVERY - 1})`;

/**
 * The record of the first row; `rows` are the versions from it to a snapshot or the newest one, in order. Throws if the
 * rows do not reach either.
 */
export function rebuilt(rows: readonly ChainRow[]): DomainRecord {
  const record = rows.reduceRight<DomainRecord | undefined>(
    (next, row, at) => recordAt(row, next, rows[at + 1]),
    undefined,
  );
  if (record === undefined) throw new Error("a stored version of a domain is damaged: it cannot be rebuilt");
  // In the order of members that every reader of a snapshot gets.
  return readSnapshot(JSON.stringify(record));
}

/** The columns of a version's own row, from which undoing its next version begins. */
export const earlierIn = ({ version_id: versionId, at }: ChainRow): EarlierVersion => ({
  versionId,
  at: printTime(at),
});

/** The record of a row, if it is whole or the next record is known. */
export function recordAt(
  row: ChainRow,
  next: DomainRecord | undefined,
  nextRow: ChainRow | undefined,
): DomainRecord | undefined {
  if (row.snapshot !== NO_SNAPSHOT) return snapshotOf(row.snapshot);
  if (row.id !== null) return recordOf(row as unknown as DomainRow);
  if (next === undefined || nextRow === undefined || nextRow.undo === null) return undefined;
  return undone(next, readChanges(nextRow.changes), readUndo(nextRow.undo), earlierIn(row));
}

const columns = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const copiedRow = z.object({ row: columns, rest: columns });

/** A trigger copies the domain's row for the release before this format (migrations/0018_registry_history.sql). */
function snapshotOf(text: string): DomainRecord {
  if (!text.startsWith('{"row":')) return readSnapshot(text);
  const { row, rest } = parseStoredJson(copiedRow, text, "version of a domain");
  return recordOf({ ...row, ...rest } as unknown as DomainRow);
}

const undoText = z.record(z.string(), z.unknown()) satisfies z.ZodType<Undo>;
const readUndo = (text: string): Undo => parseStoredJson(undoText, text, "difference of a domain");

/** The first versions of these domains, by id; damaged ones are missing. */
export async function readFirstVersions(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ChainRow[]>> {
  if (ids.length === 0) return new Map();
  const { results } = await database
    .prepare(
      `SELECT ${chainColumns} FROM json_each(?1) AS asked
       CROSS JOIN domain_history AS history ON history.domain_id = asked.value ${newestJoin}
       WHERE history.version >= 1 AND history.version <= ${chainEnd("asked.value", "1")}
       ORDER BY history.domain_id, history.version`,
    )
    .bind(JSON.stringify(ids))
    .all<ChainRow>();
  return Map.groupBy(results, ({ domain_id: id }) => id);
}
