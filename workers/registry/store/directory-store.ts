/** SQL behind the port that no route needs (workers/registry/port.ts). */
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";

/** Exported for the test that holds its plan to the index `domains_by_suffix`. */
export const suffixQuery = `
  SELECT ${domainColumns} FROM domains
  WHERE substr(id, -6) = substr(?1, -6) AND substr(id, -length(?1)) = ?1
  ORDER BY id LIMIT ?2`;

/** `suffix`: 6 lower-case characters or more. */
export async function domainsBySuffix(
  database: D1Database,
  suffix: string,
  limit: number,
): Promise<readonly DomainRecord[]> {
  const { results } = await database.prepare(suffixQuery).bind(suffix, limit).all<DomainRow>();
  return results.map(recordOf);
}

/** By id. */
export async function domainsAfter(database: D1Database, id: string, limit: number): Promise<readonly DomainRecord[]> {
  const { results } = await database
    .prepare(`SELECT ${domainColumns} FROM domains WHERE id > ?1 ORDER BY id LIMIT ?2`)
    .bind(id, limit)
    .all<DomainRow>();
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

/** A stretch of all domains by id, how many there are when asked for, and the newest change: read together. */
export async function domainRange(
  database: D1Database,
  { from, offset, limit, reverse, count }: DomainRange,
): Promise<{ readonly records: readonly DomainRecord[]; readonly total?: number; readonly revision: number }> {
  const bound = reverse ? "id <= ?1" : "id >= ?1";
  const range = database
    .prepare(
      `SELECT ${domainColumns} FROM domains ${from === undefined ? "WHERE ?1 IS NULL" : `WHERE ${bound}`}
       ORDER BY id ${reverse ? "DESC" : "ASC"} LIMIT ?2 OFFSET ?3`,
    )
    .bind(from ?? null, limit, offset);
  const totals = database.prepare(
    `SELECT (SELECT max(seq) FROM changes) AS seq${count ? ", (SELECT count(*) FROM domains) AS domains" : ""}`,
  );
  const [rows, counted] = await database.batch([range, totals]);
  const { seq, domains } = (counted?.results[0] ?? {}) as { seq?: number | null; domains?: number };
  return {
    records: ((rows?.results ?? []) as DomainRow[]).map(recordOf),
    ...(domains === undefined ? {} : { total: domains }),
    revision: seq ?? 0,
  };
}

export async function countDomains(database: D1Database): Promise<number> {
  const row = await database.prepare("SELECT count(*) AS domains FROM domains").first<{ domains: number }>();
  return row?.domains ?? 0;
}
