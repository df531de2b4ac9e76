/**
 * Reads the change feed: every history entry in the order of its commit. D1 writes one transaction at a time, and a
 * failed one releases its number. So the numbers have no gaps, and no new number is lower than one already read.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { HistoryEntry } from "../domain/representation.ts";
import { entryOf, historyColumns, type HistoryRow } from "./history-store.ts";
import { readRow } from "./stored-columns.ts";

/** A history entry with its position in the feed and its domain. */
export interface FeedChange extends HistoryEntry {
  readonly seq: number;
  readonly domainId: string;
}

export interface FeedPage {
  /** Ascending. */
  readonly changes: readonly FeedChange[];
  /** The seq of the newest change; 0 if there is none. */
  readonly newest: number;
}

/** Characters of changes in one page, after which it ends early: a domain's first entry contains its whole record. */
export const PAGE_CHARACTERS = 2 * 1024 * 1024;

interface FeedRow extends HistoryRow {
  readonly seq: number;
  readonly domain_id: string;
}

/** At most `limit` changes after `after`; at least one if there is one. */
export async function readChanges(database: Database, after: number, limit: number): Promise<FeedPage> {
  const [page, newest] = await database.batch([
    database
      .prepare(
        `WITH page AS (
           SELECT seq, domain_id, ${historyColumns}, CASE version WHEN 1 THEN snapshot END AS snapshot
           FROM (SELECT * FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2) JOIN domain_history USING (domain_id, version)
         ), sized AS (
           SELECT *, length(changes) + coalesce(length(snapshot), 0) AS size,
             sum(length(changes) + coalesce(length(snapshot), 0)) OVER (ORDER BY seq) AS total
           FROM page
         )
         SELECT * FROM sized WHERE total - size < ?3 ORDER BY seq`,
      )
      .bind(after, limit, PAGE_CHARACTERS),
    newestStatement(database),
  ]);
  return {
    changes: ((page?.results ?? []) as FeedRow[]).map((row) => ({
      seq: row.seq,
      domainId: row.domain_id,
      // The feed skips the details of a damaged entry: the event is still listed, without its changes.
      ...(readRow("domain_history", `${row.domain_id} ${row.version}`, row, entryOf) ??
        entryOf({ ...row, changes: "[]", snapshot: null })),
    })),
    newest: seqOf(newest?.results[0]),
  };
}

/** The class of each domain after its change, by seq. */
export async function readClasses(
  database: Database,
  changes: readonly Pick<FeedChange, "seq" | "domainId" | "version">[],
): Promise<ReadonlyMap<number, string>> {
  const asked = changes.map(({ seq, domainId, version }) => [seq, domainId, version]);
  const { results } = await database
    .prepare(
      `SELECT asked.value ->> 0 AS seq, history.snapshot ->> '$.class' AS class FROM json_each(?1) AS asked
       CROSS JOIN domain_history AS history
         ON history.domain_id = asked.value ->> 1 AND history.version = asked.value ->> 2`,
    )
    .bind(JSON.stringify(asked))
    .all<{ seq: number; class: string }>();
  return new Map(results.map((row) => [row.seq, row.class]));
}

/** The seq of the newest change; 0 if there is none. */
export async function newestChange(database: Database): Promise<number> {
  return seqOf(await newestStatement(database).first());
}

function newestStatement(database: Database): Statement {
  return database.prepare("SELECT max(seq) AS seq FROM changes");
}

function seqOf(row: unknown): number {
  return (row as { readonly seq: number | null } | null | undefined)?.seq ?? 0;
}
