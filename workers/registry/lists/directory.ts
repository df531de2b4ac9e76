/** Lists that only other surfaces read (port.ts). */
import type { Database } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordsOf, type DomainRow } from "../store/domain-rows.ts";
import { totalSql } from "./domain-counts.ts";
import { segmentsOfQuery } from "./domain-order.ts";
import { listDomains } from "./domain-page.ts";
import type { DeploymentBudget } from "./deployment-budget.ts";
import type { DomainListQuery } from "./domain-query.ts";
import type { DomainReading } from "./metered-list.ts";
import { pageStatement, type PagedRow } from "./page-statements.ts";
import { createRowMeter, LIST_ROW, type RowMeter } from "./row-budget.ts";
import { scanGateOf } from "./scan-gate.ts";

/** Exported for the test that its plan uses the index `domains_by_suffix`. */
export const suffixQuery = `
  SELECT ${domainColumns} FROM domains
  WHERE substr(id, -6) = substr(?1, -6) AND substr(id, -length(?1)) = ?1
  ORDER BY id LIMIT ?2`;

/** `suffix`: at least 6 lower-case characters. */
export async function domainsBySuffix(
  database: Database,
  suffix: string,
  limit: number,
): Promise<readonly DomainRecord[]> {
  const { results } = await database.prepare(suffixQuery).bind(suffix, limit).all<DomainRow>();
  return recordsOf(results);
}

/** Units of rows for one list of another surface. It has an index, so it hardly ever reaches the limit. */
const LIST_UNITS = 1_000_000;
/** Other surfaces limit their own callers. */
const unlimited = {
  caller: { wait: () => 0, charge: () => undefined, note: () => undefined, last: 0 },
  deployment: { spend: () => undefined, reserve: async () => 0, refund: async () => undefined },
};

/** The first domains of a list. */
export async function domainsOf(
  database: Database,
  query: DomainListQuery,
  limit: number,
): Promise<readonly DomainRecord[]> {
  return (await listDomains(readingOf(database), { query, limit, after: undefined })).domains;
}

/** The reading for one list of another surface. */
export function readingOf(database: Database): DomainReading {
  return { database, meter: meterOf(database, undefined) };
}

/** The meter for one list. Callers without a key share one `budget`. */
export function meterOf(database: Database, budget: DeploymentBudget | undefined): RowMeter {
  return createRowMeter({
    kind: budget === undefined ? "key" : "public",
    limit: LIST_UNITS,
    caller: unlimited.caller,
    deployment: budget ?? unlimited.deployment,
    gate: scanGateOf(database),
  });
}

/** Maximum domains that a range skips, because they are walked one by one. A key reaches any position. */
export const OFFSET = 10_000;

export interface DomainRange {
  /** The first id of the range; absent for the start. */
  readonly from?: string;
  readonly offset: number;
  readonly limit: number;
  readonly reverse: boolean;
  readonly count: boolean;
}

/** The cost of a range in displayed rows. Skipped domains are read in the index alone, at one unit each. */
export function rowsOfRange({ offset, limit }: Pick<DomainRange, "offset" | "limit">): number {
  return limit + 1 + Math.ceil(offset / LIST_ROW);
}

/**
 * Stored bytes of the domains in one range, after which it ends early. An isolate has 128 MB and holds a range several
 * times: as rows, records, messages and response.
 */
export const RANGE_BYTES = 2 * 1024 * 1024;

/**
 * A range of all domains by id, their total number if requested, and the newest change, from one consistent read. The
 * range has at most `limit` domains and ends early if they are large, but contains at least one; `next` is the id after
 * it.
 */
export async function domainRange(
  database: Database,
  { from, offset, limit, reverse, count }: DomainRange,
): Promise<{
  readonly records: readonly DomainRecord[];
  readonly next?: string;
  readonly total?: number;
  readonly revision: number;
}> {
  const query = { equal: {}, times: {}, words: undefined, sort: { field: "id", descending: reverse }, count } as const;
  const [segment] = segmentsOfQuery(query);
  if (segment === undefined) throw new Error("the order of ids has no index");
  const range = pageStatement(database, {
    query,
    path: undefined,
    segment,
    ...(from === undefined ? {} : { after: [from], inclusive: true }),
    skip: offset,
    limit: limit + 1,
    bytes: RANGE_BYTES,
  });
  const totals = database.prepare(
    `SELECT (SELECT max(seq) FROM changes) AS seq${count ? `, (${totalSql}) AS domains` : ""}`,
  );
  const [rows, counted] = await database.batch([range, totals]);
  const { seq, domains } = (counted?.results[0] ?? {}) as { seq?: number | null; domains?: number };
  const listed = (rows?.results ?? []) as unknown as PagedRow[];
  const shown = listed.slice(0, limit).filter((row): row is PagedRow & DomainRow => row.id !== null);
  const next = listed[shown.length]?.page_id;
  return {
    records: recordsOf(shown),
    ...(next === undefined ? {} : { next }),
    ...(domains === undefined ? {} : { total: domains }),
    revision: seq ?? 0,
  };
}

export async function countDomains(database: Database): Promise<number> {
  const row = await database.prepare(totalSql).first<{ domains: number }>();
  return row?.domains ?? 0;
}
