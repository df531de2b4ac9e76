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

export async function countDomains(database: D1Database): Promise<number> {
  const row = await database.prepare("SELECT count(*) AS domains FROM domains").first<{ domains: number }>();
  return row?.domains ?? 0;
}

/** 0 while nothing has changed. */
export async function greatestChange(database: D1Database): Promise<number> {
  const row = await database.prepare("SELECT max(seq) AS seq FROM changes").first<{ seq: number | null }>();
  return row?.seq ?? 0;
}
