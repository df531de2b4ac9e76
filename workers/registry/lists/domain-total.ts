/** `page.total` of REST's list: from the database's counts, from an index, or counted row by row with the meter. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { AccessPath } from "./access-paths.ts";
import { keptTotal } from "./domain-counts.ts";
import { matchOf, searchSource, segmentsOfQuery } from "./domain-order.ts";
import type { DomainListQuery } from "./domain-query.ts";
import { fewFiltered, narrowedSearch } from "./filtered-search.ts";
import { matchesOfWords, meteredList, weightOf, type DomainReading } from "./metered-list.ts";
import { countAll, FEW, fewestOf, walking } from "./metered-reader.ts";
import type { Segment } from "./order.ts";
import { conditionsOf, restOf } from "./page-statements.ts";
import { PROBE_UNITS, type Admit } from "./row-budget.ts";
import { unorderedSearch } from "./unordered-search.ts";
import { allOf, bound, createBindings } from "../store/sql.ts";

/** Maximum domains counted in one statement along an index, without their rows: 50 million a second. */
const PLAIN_COUNT = 500_000;
/** Index entries counted per unit. */
const COUNTED_PER_UNIT = 10;

export async function countDomains(reading: DomainReading, query: DomainListQuery, admit: Admit): Promise<number> {
  if (query.words !== undefined) return countMatches(reading, query, admit);
  const list = meteredList(reading, query);
  if (list.kept !== undefined) return countAll(list, admit);
  const { paths, weight } = list;
  const best = await fewestOf(list, paths);
  if (best !== undefined) {
    return countAtOnce(reading, query, { path: best.path, units: best.matches * weight.units }, admit);
  }
  const [path, ...more] = paths;
  // One path alone, or the time of validity alone.
  const isIndexed = more.length === 0 && (path === undefined || restOf({ ...query, sort: BY_RELEVANCE }, path) === 0);
  const domains = isIndexed ? await countAll({ ...list, kept: keptTotal }, admit) : Infinity;
  if (domains > PLAIN_COUNT) return countAll(list, admit);
  return countAtOnce(reading, query, { path, units: domains / COUNTED_PER_UNIT }, admit);
}

/** Not the order of a member, so every range is a filter. */
const BY_RELEVANCE = { field: "relevance", descending: true } as const;

async function countMatches(reading: DomainReading, query: DomainListQuery, admit: Admit): Promise<number> {
  if (reading.database.hasUnorderedSearch === true) return unorderedSearch(reading, query).count(admit);
  const matches = await matchesOfWords(reading, query);
  if (matches <= FEW)
    return countAtOnce(reading, query, { path: undefined, units: matches * weightOf(query).units }, admit);
  const [segment] = segmentsOfQuery({ ...query, sort: BY_RELEVANCE });
  if (segment === undefined) throw new Error("a search has an order");
  const anywhere: Segment = {
    ...segment,
    where: ({ bind }) => `domain_search MATCH ${bind(matchOf(query.words ?? []))}`,
    descending: false,
    prefix: [],
  };
  const few = restOf(query, undefined) > 0 ? await fewFiltered(reading, query) : undefined;
  if (few === undefined) return walking(meteredList(reading, query), [anywhere]).count({}, Infinity, admit);
  const narrowed = await narrowedSearch(reading, query, few, admit);
  if (narrowed === undefined) return 0;
  return walking(narrowed.list, [narrowed.between(anywhere)]).count({}, Infinity, admit);
}

/** In one statement. */
async function countAtOnce(
  { database, meter }: DomainReading,
  query: DomainListQuery,
  { path, units: cost }: { readonly path: AccessPath | undefined; readonly units: number },
  admit: Admit,
): Promise<number> {
  const units = Math.ceil(cost);
  const statement = countStatement(database, query, path);
  const isScan = units > PROBE_UNITS;
  if (isScan) await admit(units);
  const row = await meter.run(isScan, () => statement.first<{ total: number }>());
  meter.charge(units);
  return row?.total ?? 0;
}

/** Exported for the tests of query plans. */
export function countStatement(database: Database, query: DomainListQuery, path: AccessPath | undefined): Statement {
  const bindings = createBindings();
  const { words, times } = query;
  if (path === undefined && words === undefined && times.validAt !== undefined) {
    // Without another filter: all domains except those that are not yet valid and those that have expired, each counted
    // in its index.
    const at = bindings.bind(times.validAt);
    const count = (where: string) => `(SELECT count(*) FROM domains ${where})`;
    const invalid = `${count(`WHERE valid_from_ms > ${at}`)} - ${count(`WHERE valid_until_ms <= ${at}`)}`;
    return bound(database, `SELECT ${count("")} - ${invalid} AS total`, bindings);
  }
  const [source, match] =
    words === undefined ? ["domains", []] : [searchSource, [`domain_search MATCH ${bindings.bind(matchOf(words))}`]];
  const conditions = [...match, ...conditionsOf(query, path, bindings)];
  if (path === undefined) {
    return bound(database, `SELECT count(*) AS total FROM ${source} WHERE ${allOf(conditions)}`, bindings);
  }
  // A domain with two of the wanted controllers counts once. With any other filter, a domain has one value.
  const counted = path.member === "controller" ? "count(DISTINCT domains.number)" : "count(*)";
  const where = allOf([path.where(bindings), ...conditions]);
  return bound(database, `SELECT ${counted} AS total FROM ${path.from(path.index)} WHERE ${where}`, bindings);
}
