/**
 * A search beside a filter that matches few domains: the rows of the filter are read, and the full-text index is asked about each
 * of them. The other way looks at every domain that has the words, which may be all of them.
 */
import { allOf, bound, createBindings } from "../store/sql.ts";
import type { AccessPath } from "./access-paths.ts";
import { keptCount } from "./domain-counts.ts";
import { matchOf } from "./domain-order.ts";
import { filterOf, type DomainListQuery } from "./domain-query.ts";
import { FEW, matchesOf, weightOf, type DomainReading } from "./metered-list.ts";
import type { Keyset } from "./order.ts";
import { conditionsOf, pathsOf, rangesOf } from "./page-statements.ts";
import { PROBE_UNITS, STATEMENT_UNITS, type Admit } from "./row-budget.ts";

/** Units for asking the full-text index about one domain: it opens the lists of all words again, in up to 0.3 ms. */
const LOOKUP_UNITS = 500;
const LOOKUPS_OF_STATEMENT = Math.floor(STATEMENT_UNITS / LOOKUP_UNITS);

/** A domain that the words find: 0 where all of them are in its name, otherwise 1; and its number. */
export interface FoundByWords {
  readonly tier: 0 | 1;
  readonly number: number;
}

/** Rows of a filter; without a path, none. */
export interface FewFiltered {
  readonly path: AccessPath | undefined;
  readonly matches: number;
}

/** What the filter of a search matches; undefined when that is more than a few, or when it has no index. */
export async function fewFiltered(reading: DomainReading, query: DomainListQuery): Promise<FewFiltered | undefined> {
  const filter = { ...query, words: undefined };
  if ((await keptTotalOf(reading, filter)) === 0) return { path: undefined, matches: 0 };
  const paths = pathsOf(filter);
  const [best] = paths.length === 0 ? [] : await matchesOf(reading, paths);
  return best !== undefined && best.matches <= FEW ? best : undefined;
}

/** How many domains the filter matches, where the database keeps that number. */
async function keptTotalOf({ database, meter }: DomainReading, query: DomainListQuery): Promise<number | undefined> {
  const kept = rangesOf(query).length === 0 ? keptCount(filterOf(query), undefined) : undefined;
  if (kept === undefined) return undefined;
  const bindings = createBindings();
  const row = await bound(database, `SELECT ${kept(bindings)} AS total`, bindings).first<{ total: number }>();
  meter.charge(KEPT_COUNT);
  return row?.total;
}

/** Units of a count that is kept: one entry for each pair of statuses. */
const KEPT_COUNT = 20;

/** Those of these rows that the words find, in the order of relevance. */
export async function searchFew(
  reading: DomainReading,
  query: DomainListQuery,
  few: FewFiltered,
  admit: Admit,
): Promise<readonly FoundByWords[]> {
  const numbers = await numbersOf(reading, query, few, admit);
  const { database, meter } = reading;
  const isScan = numbers.length > LOOKUPS_OF_STATEMENT;
  if (isScan) await admit(numbers.length * LOOKUP_UNITS);
  const match = matchOf(query.words ?? []);
  const found: FoundByWords[] = [];
  for (let at = 0; at < numbers.length; at += LOOKUPS_OF_STATEMENT) {
    const asked = numbers.slice(at, at + LOOKUPS_OF_STATEMENT);
    meter.allow(1, asked.length * LOOKUP_UNITS);
    const bindings = createBindings();
    const has = (words: string) =>
      `EXISTS (SELECT 1 FROM domain_search WHERE domain_search.rowid = asked.value AND domain_search MATCH ${bindings.bind(words)})`;
    const text = `SELECT asked.value AS number, iif(${has(`{name} : (${match})`)}, 0, 1) AS tier
      FROM json_each(${bindings.bind(JSON.stringify(asked))}) AS asked WHERE ${has(match)}`;
    const statement = bound(database, text, bindings);
    const { results } = await meter.run(isScan, () => statement.all<FoundByWords>());
    meter.charge(asked.length * LOOKUP_UNITS);
    found.push(...results);
  }
  return found.toSorted((one, other) => one.tier - other.tier || other.number - one.number);
}

/** Of the path's rows those that all other filters match. */
async function numbersOf(
  { database, meter }: DomainReading,
  query: DomainListQuery,
  { path, matches }: FewFiltered,
  admit: Admit,
): Promise<readonly number[]> {
  if (path === undefined || matches === 0) return [];
  const units = matches * weightOf(query).units;
  const isScan = units > PROBE_UNITS;
  if (isScan) await admit(units);
  const bindings = createBindings();
  const where = allOf([path.where(bindings), ...conditionsOf(query, path, bindings)]);
  // A domain may have two of the wanted controllers.
  const text = `SELECT DISTINCT domains.number AS number FROM ${path.from(path.index)} WHERE ${where}`;
  const statement = bound(database, text, bindings);
  const { results } = await meter.run(isScan, () => statement.all<{ number: number }>());
  meter.charge(units);
  return results.map(({ number }) => number);
}

/** What a page shows behind `after`, a place in the order of relevance. */
export function behindPlace(found: readonly FoundByWords[], after: Keyset | undefined): readonly FoundByWords[] {
  const [tier, number] = after ?? [];
  if (typeof tier !== "number" || typeof number !== "number") return found;
  return found.filter((each) => each.tier > tier || (each.tier === tier && each.number < number));
}
