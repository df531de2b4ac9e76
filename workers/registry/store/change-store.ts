/**
 * Reads the change feed: every history entry in the order of its commit. D1 writes one transaction at a time, and a
 * failed one releases its number. So the numbers have no gaps, and no new number is lower than one already read.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { HistoryEntry } from "../domain/representation.ts";
import { entryOf, historyColumns } from "./history-store.ts";
import { readRow } from "./stored-columns.ts";
import { chainEnd, hasSnapshot, type HistoryRow, readFirstVersions, rebuilt, SNAPSHOT_EVERY } from "./version-chain.ts";

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

/** Characters of a record's other members. */
const ROW_LENGTH = 1_000;
/** The versions from which a domain's first version is rebuilt. */
const firstChain = `domain_history AS chain WHERE chain.domain_id = listed.domain_id AND chain.version <= ${chainEnd("listed.domain_id", "1")}`;

interface FeedRow extends HistoryRow {
  readonly seq: number;
  readonly domain_id: string;
}

/** SQL: about the bytes from which a domain's first version is rebuilt. The domain's row counts in any case. */
const firstVersionLength = `(
  (SELECT CAST(sum(octet_length(chain.snapshot) + octet_length(chain.changes) + coalesce(octet_length(chain.undo), 0)) AS INTEGER)
   FROM ${firstChain})
  + (SELECT octet_length(metadata) + octet_length(document) + octet_length(controllers) + ${ROW_LENGTH} FROM domains
     WHERE domains.id = listed.domain_id))`;

/** At most `limit` changes after `after`; at least one if there is one. */
export async function readChanges(database: Database, after: number, limit: number): Promise<FeedPage> {
  const [page, newest] = await database.batch([
    database
      .prepare(
        `WITH page AS (
           SELECT seq, domain_id, ${historyColumns},
             length(changes) + CASE version WHEN 1 THEN ${firstVersionLength} ELSE 0 END AS size
           FROM (SELECT * FROM changes WHERE seq > ?1 ORDER BY seq LIMIT ?2) AS listed
             JOIN domain_history USING (domain_id, version)
         ), sized AS (
           SELECT *, sum(size) OVER (ORDER BY seq) AS total FROM page
         )
         SELECT * FROM sized WHERE total - size < ?3 ORDER BY seq`,
      )
      .bind(after, limit, PAGE_CHARACTERS),
    newestStatement(database),
  ]);
  const rows = (page?.results ?? []) as FeedRow[];
  const created = rows.filter(({ version }) => version === 1).map(({ domain_id: id }) => id);
  const chains = await readFirstVersions(database, created);
  return {
    changes: rows.map((row) => ({
      seq: row.seq,
      domainId: row.domain_id,
      // The feed skips the details of a damaged entry: the event is still listed, without its changes.
      ...(readRow("domain_history", `${row.domain_id} ${row.version}`, row, (each) =>
        entryOf(each, each.version === 1 ? rebuilt(chains.get(each.domain_id) ?? []) : undefined),
      ) ?? entryOf({ ...row, changes: "[]" }, undefined)),
    })),
    newest: seqOf(newest?.results[0]),
  };
}

/**
 * The class of each domain after its change, by seq: the class that the next change of it replaced, or the class of the
 * next snapshot, or the domain's own.
 */
export async function readClasses(
  database: Database,
  changes: readonly Pick<FeedChange, "seq" | "domainId" | "version">[],
): Promise<ReadonlyMap<number, string>> {
  const asked = changes.map(({ seq, domainId, version }) => [seq, domainId, version]);
  const { results } = await database
    .prepare(
      `WITH asked AS (
         SELECT CAST(value ->> 0 AS INTEGER) AS seq, value ->> 1 AS domain_id, CAST(value ->> 2 AS INTEGER) AS version
         FROM json_each(?1)
       )
       SELECT asked.seq AS seq, coalesce(
         (SELECT change.value ->> '$.from' FROM domain_history AS later CROSS JOIN json_each(later.changes) AS change
          WHERE later.domain_id = asked.domain_id AND later.version > asked.version
            AND later.version < asked.version + ${SNAPSHOT_EVERY} AND change.value ->> '$.path' = '/class'
          ORDER BY later.version LIMIT 1),
         (SELECT coalesce(whole.snapshot ->> '$.class', whole.snapshot ->> '$.row.class') FROM domain_history AS whole
          WHERE whole.domain_id = asked.domain_id AND whole.version >= asked.version
            AND whole.version < asked.version + ${SNAPSHOT_EVERY} AND ${hasSnapshot("whole")}
          ORDER BY whole.version LIMIT 1),
         domains.class) AS class
       FROM asked CROSS JOIN domains ON domains.id = asked.domain_id`,
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
