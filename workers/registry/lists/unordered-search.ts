/**
 * Full-text search on an engine whose index has no order: it collects all rows of the words before it returns the first
 * one. Words of few domains are read through the index. Frequent words are a filter like any other: a walk reads the
 * domains from the newest to the oldest, and the meter charges for them. The first window finds out which words are
 * frequent, because the index would have to collect all their rows for this.
 */
import type { AccessPath } from "./access-paths.ts";
import { matchOf, tiersOf } from "./domain-order.ts";
import type { DomainListQuery } from "./domain-query.ts";
import { fewFiltered, tooManyToSort } from "./filtered-search.ts";
import { meteredList, weightOf, type DomainReading } from "./metered-list.ts";
import { FEW, walking, whole, type ListRange, type MeteredList } from "./metered-reader.ts";
import type { Keyset, Segment } from "./order.ts";
import { conditionsOf, restOf } from "./page-statements.ts";
import type { Admit } from "./row-budget.ts";
import { allOf, TRUE } from "../store/sql.ts";
import type { OrderedRow } from "./window-walk.ts";

/** Units for reading and comparing the words of one domain. */
const WORDS = 10;

/** Domains of a filter that are compared with the words at once, without a look at the index of the words. */
const VERY_FEW = 100;

interface Place {
  readonly number: number;
}

interface Slice {
  readonly skip: number;
  readonly limit: number;
}

export interface UnorderedSearch {
  rows(range: ListRange, slice: Slice, admit: Admit): Promise<readonly OrderedRow<Place>[]>;
  count(admit: Admit): Promise<number>;
}

/** Few domains, among which are all matches. */
interface Few {
  readonly path: AccessPath;
  readonly matches: number;
}

/** A walk would read more than a probe. */
class BeyondProbe extends Error {}

export function unorderedSearch(reading: DomainReading, query: DomainListQuery): UnorderedSearch {
  const { database, meter } = reading;
  const match = matchOf(query.words ?? []);
  const isFiltered = restOf({ ...query, sort: RELEVANCE }, undefined) > 0;
  const weight = weightOf(query);

  /** The domains that all filters and the text of a search match. */
  const matching = (text: string): MeteredList => ({
    ...meteredList(reading, query),
    where: (bindings) => allOf([hit(bindings.bind(text)), ...conditionsOf(query, undefined, bindings)]),
    weight: { ...weight, units: weight.units + WORDS },
    kept: undefined,
  });

  /** The domains with the words, by the index; undefined if there are more than a few. */
  async function foundBy(condition: string): Promise<Few | undefined> {
    // Without an order, because PostgreSQL would rather pass the table in that order until enough domains have matched.
    const statement = database.prepare(`SELECT rowid AS number FROM domain_search WHERE ${condition} LIMIT ?2`);
    const { results } = await meter.run(false, () => statement.bind(match, FEW + 1).all<Place>());
    meter.charge(results.length);
    return results.length > FEW ? undefined : numbered(results.map(({ number }) => number));
  }

  /** By the index of a filter, or by the index of the words. */
  async function fewOf(): Promise<Few | undefined> {
    const filtered = isFiltered ? await fewFiltered(reading, query) : undefined;
    const few =
      filtered === undefined ? undefined : { path: filtered.path ?? numbered([]).path, matches: filtered.matches };
    if (few !== undefined && few.matches <= VERY_FEW) return few;
    return (await foundBy(ANYWHERE)) ?? few;
  }

  const reader = (list: MeteredList, { path, matches }: Few) =>
    whole<Place>(list, { path, matches, units: matches * list.weight.units });

  /** Whether the newest domains alone fill the page. */
  async function isFrequent(slice: Slice): Promise<boolean> {
    const rows = await probed(walking<Place>(matching(match), [newestFirst([])]).rows({}, slice, beyondProbe));
    return rows !== undefined && rows.length >= slice.limit;
  }

  async function byRelevance(after: Keyset | undefined, slice: Slice, admit: Admit) {
    const few = (await isFrequent(slice)) ? undefined : await fewOf();
    const rows: OrderedRow<Place>[] = [];
    for (const [tier, text] of tiersOf(match).entries()) {
      if (tier < Number(after?.[0] ?? 0) || rows.length >= slice.limit) continue;
      const list = { ...matching(text), ordering: NEWEST_FIRST };
      const place = tier === after?.[0] ? after.slice(1) : undefined;
      const room = { skip: 0, limit: slice.limit - rows.length };
      const walked = (admitted: Admit) =>
        walking<Place>(list, [newestFirst([tier])]).rows({ after: place && [tier, ...place] }, room, admitted);
      // Frequent words can be rare in names.
      const tried = few === undefined && tier === IN_NAME ? await probed(walked(beyondProbe)) : undefined;
      const own = few ?? (tier === IN_NAME && tried === undefined ? await foundBy(NAMED) : undefined);
      if (own === undefined) rows.push(...(tried ?? (await walked(admit))));
      else if (own.matches > 0) {
        const found = await reader(list, own).rows({ after: place }, room, admit);
        rows.push(...found.map(({ number }) => ({ number, order_0: tier, order_1: number })));
      }
    }
    return rows;
  }

  return {
    async rows({ after }, slice, admit) {
      if (query.sort.field === "relevance") return byRelevance(after, slice, admit);
      const found = await foundBy(ANYWHERE);
      if (found === undefined) throw tooManyToSort();
      return found.matches === 0 ? [] : reader(matching(match), found).rows({ after }, slice, admit);
    },
    async count(admit) {
      const few = await fewOf();
      const list = matching(match);
      if (few !== undefined) return few.matches === 0 ? 0 : reader(list, few).count({}, Infinity, admit);
      return walking(list, [{ ...newestFirst([]), descending: false }]).count({}, Infinity, admit);
    },
  };
}

const ANYWHERE = "domain_search MATCH ?1";
/** In PostgreSQL's SQL, in the form of its index of names. */
const NAMED = "search_words(name, '') @@ search_query(?1)";
/** The first of `tiersOf`. */
const IN_NAME = 0;
const RELEVANCE = { field: "relevance", descending: true } as const;
const NEWEST_FIRST = { terms: [{ sql: "domains.number", nullable: false, descending: true }] } as const;

/** All domains, whether they match or not. */
const newestFirst = (prefix: Keyset): Segment => ({
  source: "domains",
  where: () => TRUE,
  columns: ["domains.number"],
  descending: true,
  prefix,
});

/** IS TRUE keeps the index of the words out of the plan: the domain is given. */
const hit = (text: string) =>
  `EXISTS (SELECT 1 FROM domain_search WHERE domain_search.rowid = domains.number AND (domain_search MATCH ${text}) IS TRUE)`;

const beyondProbe: Admit = () => Promise.reject(new BeyondProbe());

/** The rows of a walk that ends within a probe. */
async function probed<Row>(walk: Promise<readonly Row[]>): Promise<readonly Row[] | undefined> {
  try {
    return await walk;
  } catch (thrown) {
    if (thrown instanceof BeyondProbe) return undefined;
    throw thrown;
  }
}

function numbered(numbers: readonly number[]): Few {
  return {
    matches: numbers.length,
    path: {
      member: "",
      from: () => "domains",
      where: ({ bind }) =>
        `domains.number IN (SELECT CAST(value AS INTEGER) FROM json_each(${bind(JSON.stringify(numbers))}))`,
      column: "domains.number",
      index: undefined,
      id: "domains.id",
      created: "domains.created_at",
    },
  };
}
