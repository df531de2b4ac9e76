/**
 * REST's list of domains in the form that metered readers use, and the number of domains that match its words, counted
 * up to a small limit.
 */
import type { Database } from "../../../platform/database/database.ts";
import { entityFilterColumns } from "./columns.ts";
import { keptCount } from "./domain-counts.ts";
import { matchOf, orderingOfQuery } from "./domain-order.ts";
import { filterOf, type DomainListQuery } from "./domain-query.ts";
import { FEW, type MeteredList } from "./metered-reader.ts";
import { conditionsOf, pathsOf, rangesOf } from "./page-statements.ts";
import type { RowMeter } from "./row-budget.ts";
import { rowWeight, type RowWeight } from "./row-weight.ts";
import { allOf, type Bindings } from "../store/sql.ts";

/** The database and the row meter of one request. */
export interface DomainReading {
  readonly database: Database;
  readonly meter: RowMeter;
}

/** The list in the form that metered readers use. */
export function meteredList({ database, meter }: DomainReading, query: DomainListQuery): MeteredList {
  return {
    database,
    meter,
    budget: { read: (load) => load() },
    content: "domains.number AS number",
    where: (bindings) => allOf(conditionsOf(query, undefined, bindings)),
    weight: weightOf(query),
    paths: pathsOf(query),
    ordering: orderingOfQuery(query),
    kept: keptOf(query),
  };
}

export function weightOf(query: DomainListQuery): RowWeight {
  const { units, ...weight } = rowWeight(filterOf(query), undefined, entityFilterColumns);
  return { ...weight, units: units + rangesOf(query).length };
}

/** SQL of the total, if the database maintains it. */
function keptOf(query: DomainListQuery): ((bindings: Bindings) => string) | undefined {
  return query.words === undefined && rangesOf(query).length === 0 ? keptCount(filterOf(query), undefined) : undefined;
}

/** The number of domains that match the words, counted up to a small limit. */
export async function matchesOfWords(
  { database, meter }: DomainReading,
  { words = [] }: DomainListQuery,
): Promise<number> {
  const row = await database
    .prepare(
      "SELECT count(*) AS matches FROM (SELECT rowid FROM domain_search WHERE domain_search MATCH ? ORDER BY rowid DESC LIMIT ?)",
    )
    .bind(matchOf(words), FEW + 1)
    .first<{ matches: number }>();
  meter.charge(row?.matches ?? 0);
  return row?.matches ?? 0;
}
