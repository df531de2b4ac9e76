/** SQL behind the port that no route needs (workers/registry/port.ts). */
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";

/** Exported for the test that holds its plan to the index `domains_by_suffix`. */
export const suffixQuery = `
  SELECT ${domainColumns} FROM domains
  WHERE substr(id, -6) = substr(?1, -6) AND substr(id, -length(?1)) = ?1
  ORDER BY id LIMIT ?2`;

/** Of the columns that can be large. */
const sizeOfRow = ["metadata", "document", "credentials", "accounts", "controllers"]
  .map((column) => `octet_length(${column})`)
  .join(" + ");

/** `suffix`: 6 lower-case characters or more. */
export async function domainsBySuffix(
  database: D1Database,
  suffix: string,
  limit: number,
): Promise<readonly DomainRecord[]> {
  const { results } = await database.prepare(suffixQuery).bind(suffix, limit).all<DomainRow>();
  return results.map(recordOf);
}

export interface DomainRange {
  /** The first id of the range; absent: from the very first. */
  readonly from?: string;
  readonly offset: number;
  readonly limit: number;
  readonly reverse: boolean;
  readonly count: boolean;
}

/**
 * Bytes at rest of the domains in one range, after which it ends early. An isolate has 128 MB and holds a range several times
 * over: as rows, as records, as messages and as the answer.
 */
export const RANGE_BYTES = 2 * 1024 * 1024;

/**
 * A stretch of all domains by id, how many there are when asked for, and the newest change: read together. It holds at most
 * `limit` domains and ends early when they are large, with one domain at least; `next` is the id that follows it.
 */
export async function domainRange(
  database: D1Database,
  { from, offset, limit, reverse, count }: DomainRange,
): Promise<{
  readonly records: readonly DomainRecord[];
  readonly next?: string;
  readonly total?: number;
  readonly revision: number;
}> {
  const bound = reverse ? "id <= ?1" : "id >= ?1";
  const order = `id ${reverse ? "DESC" : "ASC"}`;
  // Sizes are looked at before any large column is read, so that the database sends no more than the range holds.
  const range = database
    .prepare(
      `WITH listed AS (
         SELECT id, ${sizeOfRow} AS bytes FROM domains ${from === undefined ? "WHERE ?1 IS NULL" : `WHERE ${bound}`}
         ORDER BY ${order} LIMIT ?2 + 1 OFFSET ?3
       ), placed AS (
         SELECT id, row_number() OVER (ORDER BY ${order}) AS place,
           sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
         FROM listed
       ), marked AS (
         SELECT id AS page_id, place, place <= ?2 AND bytes_before < ?4 AS fits FROM placed
       )
       SELECT page_id, fits, ${domainColumns} FROM marked LEFT JOIN domains ON fits AND domains.id = page_id
       WHERE fits OR place = (SELECT count(*) FROM marked WHERE fits) + 1
       ORDER BY place`,
    )
    .bind(from ?? null, limit, offset, RANGE_BYTES);
  const totals = database.prepare(
    `SELECT (SELECT max(seq) FROM changes) AS seq${count ? ", (SELECT count(*) FROM domains) AS domains" : ""}`,
  );
  const [rows, counted] = await database.batch([range, totals]);
  const { seq, domains } = (counted?.results[0] ?? {}) as { seq?: number | null; domains?: number };
  const listed = (rows?.results ?? []) as (DomainRow & { readonly page_id: string; readonly fits: number })[];
  const next = listed.find(({ fits }) => fits === 0)?.page_id;
  return {
    records: listed.filter(({ fits }) => fits === 1).map(recordOf),
    ...(next === undefined ? {} : { next }),
    ...(domains === undefined ? {} : { total: domains }),
    revision: seq ?? 0,
  };
}

export async function countDomains(database: D1Database): Promise<number> {
  const row = await database.prepare("SELECT count(*) AS domains FROM domains").first<{ domains: number }>();
  return row?.domains ?? 0;
}
