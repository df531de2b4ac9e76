/**
 * A search combined with a filter that matches few domains: reads the rows of the filter first, and then walks the
 * full-text index for these rows only. The alternative reads every domain with the words and compares it with the
 * filter.
 */
import { refusedQuery } from "../store/refused-query.ts";
import { allOf, bound, createBindings, indexedValue, SEARCH_ROWID, type Bindings } from "../store/sql.ts";
import type { AccessPath } from "./access-paths.ts";
import type { DomainListQuery } from "./domain-query.ts";
import { meteredList, weightOf, type DomainReading } from "./metered-list.ts";
import { FEW, fewestOf, numberOf, type MeteredList } from "./metered-reader.ts";
import type { Segment } from "./order.ts";
import { conditionsOf } from "./page-statements.ts";
import { PROBE_UNITS, type Admit } from "./row-budget.ts";

/** Units for skipping a match of the words. */
const PASSED_ROW = 5;
/** Units for reading the number of a wanted row, in each statement. */
const LISTED = 3;

/** The refusal of an order that would need all matches of frequent words. */
export function tooManyToSort(): Error {
  const message = `q matches more than ${FEW} domains, too many to sort in another order`;
  return refusedQuery("query_too_costly", `${message}: add a word, or omit sort`);
}

export interface NarrowedSearch {
  readonly list: MeteredList;
  /** The part of a segment that contains these rows. */
  readonly between: (segment: Segment) => Segment;
}

/** The rows of a filter; empty without a path. */
export interface FewFiltered {
  readonly path: AccessPath | undefined;
  readonly matches: number;
}

/** The rows that a search's filter matches; undefined if there are more than a few, or no index. */
export async function fewFiltered(reading: DomainReading, query: DomainListQuery): Promise<FewFiltered | undefined> {
  const filter = { ...query, words: undefined };
  const list = meteredList(reading, filter);
  if (list.kept !== undefined && (await numberOf(list, list.kept)) === 0) return { path: undefined, matches: 0 };
  return fewestOf(list, list.paths);
}

/**
 * The matches of the words among these rows; undefined if there are none. A walk along the full-text index skips all
 * other rows without reading them. Looking up each row in the index would be slower: for a word that no later domain
 * contains, it reads to the end of the index.
 */
export async function narrowedSearch(
  reading: DomainReading,
  query: DomainListQuery,
  few: FewFiltered,
  admit: Admit,
): Promise<NarrowedSearch | undefined> {
  const numbers = await numbersOf(reading, query, few, admit);
  if (numbers.length === 0) return undefined;
  const list: MeteredList = {
    ...meteredList(reading, query),
    where: ({ bind }) =>
      `domains.number IN (SELECT CAST(value AS INTEGER) FROM json_each(${bind(JSON.stringify(numbers))}))`,
    weight: { units: PASSED_ROW, fixed: numbers.length * LISTED, jsonReads: 0 },
  };
  const [first, last] = [
    numbers.reduce((one, other) => Math.min(one, other)),
    numbers.reduce((one, other) => Math.max(one, other)),
  ];
  const between = (segment: Segment): Segment => ({
    ...segment,
    where: (bindings) =>
      allOf([
        segment.where(bindings),
        `${SEARCH_ROWID} BETWEEN ${placeOf(bindings, first)} AND ${placeOf(bindings, last)}`,
      ]),
  });
  return { list, between };
}

const placeOf = ({ bind }: Bindings, number: number) => indexedValue(SEARCH_ROWID, bind(number));

/** The path's rows that all other filters match. */
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
