/**
 * Chooses how a metered list is read. A path of the filter that matches few rows is read completely and sorted;
 * otherwise the list is walked along an index with its order (window-walk.ts). An order without an index requires
 * sorting all rows, which only a registry with few domains allows.
 */
import type { Database } from "../../../platform/database/database.ts";
import { everything, inOrderOf, probeSql, segmentOf, sourceOf, type AccessPath } from "./access-paths.ts";
import { keptRows, keptTotal } from "./domain-counts.ts";
import { beyond, orderClause, placeOf, segmentsOf, type Keyset, type Ordering, type Segment } from "./order.ts";
import { refusedQuery } from "../store/refused-query.ts";
import {
  PROBE_UNITS,
  SORT_UNITS,
  STATEMENT_UNITS,
  unitsOfText,
  type Admit,
  type ReadBudget,
  type RowMeter,
} from "./row-budget.ts";
import { type RowWeight, JSON_PER_UNIT } from "./row-weight.ts";
import { allOf, amongFew, bound, createBindings, type Bindings } from "../store/sql.ts";
import type { WalkedList } from "./window.ts";
import { walkCount, walkRows, type OrderedRow, type WalkRange } from "./window-walk.ts";

export interface MeteredList {
  readonly database: Database;
  /** SQL of the columns that a page shows of a domain. */
  readonly content: string;
  readonly budget: ReadBudget;
  readonly meter: RowMeter;
  /** Compiles the filter and condition for each statement. */
  readonly where: (bindings: Bindings) => string;
  /** The cost of that condition per row. */
  readonly weight: RowWeight;
  /** Access paths that the filter offers. */
  readonly paths: readonly AccessPath[];
  /** SQL of the number of matching domains, if the database maintains it. */
  readonly kept: ((bindings: Bindings) => string) | undefined;
  readonly ordering: Ordering;
}

/** A part of a list: between two positions, or up to one. */
export interface ListRange {
  readonly after?: Keyset | undefined;
  readonly before?: Keyset | undefined;
  /** The range includes its end positions. */
  readonly inclusive?: boolean;
  readonly backwards?: boolean;
}

export interface ListReader<Content> {
  rows(
    range: ListRange,
    slice: { readonly skip: number; readonly limit: number },
    admit: Admit,
  ): Promise<readonly OrderedRow<Content>[]>;
  /** Matches in the range, counted up to `limit`. */
  count(range: ListRange, limit: number, admit: Admit): Promise<number>;
}

/** Maximum rows of a path that are read completely and sorted; for more rows, a walk is faster. */
export const FEW = 2_000;
/** Sorting costs as much as reading. */
const SORTED = 2;
/** Reading and sorting one row, without a filter. */
const SORTED_ROW = 20;
/** Reading a maintained count: one entry per pair of statuses. */
const KEPT_COUNT = 20;

/** `areMany`: it is known that each path matches more than a few rows. */
export function createListReader<Content>(query: MeteredList, areMany = false): ListReader<Content> {
  const { ordering, paths } = query;
  const [only] = paths;
  const few = once(async () => (areMany ? undefined : fewestOf(query, paths)));
  const along = (path: AccessPath) => walking<Content>(query, [segmentOf(path, ordering)], path);

  async function choose(): Promise<ListReader<Content>> {
    if (paths.length === 1 && only !== undefined && inOrderOf(only, ordering)) return along(only);
    const best = await few();
    if (best !== undefined) return whole(query, best);
    const path = await shortestOf(paths.filter((each) => inOrderOf(each, ordering)));
    if (path !== undefined) return along(path);
    if (inOrderOf(everything, ordering)) return along(everything);
    const segments = segmentsOf(ordering);
    if (segments !== undefined) return walking(query, ...within(segments));
    const most = Math.floor(SORT_UNITS / Math.max(SORTED_ROW, SORTED * query.weight.units));
    const isSmall = (await rowsOf(query, everything)) <= most;
    const all = isSmall ? await fewOf(query, [everything], { rows: most, units: SORT_UNITS }) : undefined;
    if (all !== undefined) return whole(query, all);
    const way = "Order by one of ID, TYPE, NAME, START_DATE, END_DATE, STATUS, OWNER, CREATED_AT and UPDATED_AT alone";
    throw refusedQuery(
      "query_too_costly",
      `This order is not covered by an index, and there are too many domains to sort. ${way}`,
    );
  }

  async function shortestOf(candidates: readonly AccessPath[]): Promise<AccessPath | undefined> {
    if (candidates.length < 2) return candidates[0];
    const counted = await Promise.all(candidates.map(async (path) => ({ path, rows: await rowsOf(query, path) })));
    return counted.toSorted((one, other) => one.rows - other.rows)[0]?.path;
  }

  /** The part of an order that a path bounds, such as the names with one prefix. */
  function within(segments: readonly Segment[]): readonly [readonly Segment[], AccessPath] {
    const [first] = ordering.terms;
    const path = paths.find(({ column, values }) => column === first?.sql && (values?.length ?? 1) === 1);
    if (path === undefined) return [segments, everything];
    const valued = segments.filter(({ prefix }) => prefix.length === 0);
    return [
      valued.map((segment) => ({
        ...segment,
        where: (bindings) => allOf([segment.where(bindings), path.where(bindings)]),
      })),
      path,
    ];
  }

  const chosen = once(choose);
  return {
    rows: async (range, slice, admit) => (await chosen()).rows(range, slice, admit),
    count: async (range, limit, admit) => (await chosen()).count(range, limit, admit),
  };
}

/** The number of entries of a path, or an upper bound. */
async function rowsOf(query: MeteredList, path: AccessPath): Promise<number> {
  const rows = keptRows(path);
  if (rows !== undefined) return numberOf(query, rows);
  const known = totals.get(query.meter) ?? numberOf(query, keptTotal);
  totals.set(query.meter, known);
  return known;
}

/** The number of domains, read once per request. */
const totals = new WeakMap<RowMeter, Promise<number>>();

export async function numberOf(
  { database, budget, meter }: MeteredList,
  rows: (bindings: Bindings) => string,
): Promise<number> {
  const bindings = createBindings();
  const statement = bound(database, `SELECT ${rows(bindings)} AS number`, bindings);
  const load = async () => (await statement.all<{ number: number }>()).results;
  const [row] = await budget.read(() => meter.run(false, load));
  meter.charge(KEPT_COUNT);
  return row?.number ?? 0;
}

/** The order of rows does not affect a count. */
export async function countAll(query: MeteredList, admit: Admit): Promise<number> {
  const { database, content, budget, meter, where, weight, paths, kept } = query;
  if (kept === undefined) {
    const ordering: Ordering = { terms: [{ sql: "domains.id", nullable: false, descending: false }] };
    const reader = createListReader({ database, content, budget, meter, where, weight, paths, kept, ordering });
    return reader.count({}, Infinity, admit);
  }
  return numberOf(query, kept);
}

export interface Candidates {
  readonly path: AccessPath;
  readonly matches: number;
  readonly units: number;
}

/** The path that matches the fewest rows, if they are few enough to be read completely. */
export async function fewestOf(query: MeteredList, paths: readonly AccessPath[]): Promise<Candidates | undefined> {
  return paths.length === 0 ? undefined : fewOf(query, paths, { rows: FEW, units: STATEMENT_UNITS });
}

/** The path that matches the fewest rows, if they and their JSON are within `most`. */
async function fewOf(
  query: MeteredList,
  paths: readonly AccessPath[],
  most: { readonly rows: number; readonly units: number },
): Promise<Candidates | undefined> {
  const { database, meter, weight, budget } = query;
  let allowed = 0;
  const size = "octet_length(domains.metadata) + octet_length(domains.document) + octet_length(domains.credentials)";
  const found = await budget.read(async () => {
    if (weight.fixed > 0) meter.allow(1, weight.fixed);
    allowed = Math.min(meter.allow(most.rows, 1), Math.floor(most.units / weight.units));
    const statements = paths.map((path) => {
      const bindings = createBindings();
      const text = probeSql(path, bindings, allowed + 1, weight.jsonReads === 0 ? "0" : size);
      return bound(database, text, bindings);
    });
    const answers = await meter.run(false, () => database.batch<{ matches: number; bytes: number }>(statements));
    const counts = answers.flatMap(({ results }) => results);
    meter.charge(counts.reduce((sum, { matches }) => sum + matches, weight.fixed));
    return counts;
  });
  const counted = paths.flatMap((path, at) => {
    const { matches, bytes } = found[at] ?? { matches: allowed + 1, bytes: 0 };
    const units = weight.fixed + matches * weight.units + Math.ceil((bytes * weight.jsonReads) / JSON_PER_UNIT);
    return matches <= allowed && units - weight.fixed <= most.units ? [{ path, matches, units }] : [];
  });
  return counted.toSorted((one, other) => one.units - other.units).at(0);
}

/** All rows of the path at once. */
export function whole<Content>(query: MeteredList, { path, units }: Candidates): ListReader<Content> {
  const { ordering } = query;

  const conditionsOf = (range: ListRange, bindings: Bindings) => {
    const chosen = `SELECT domains.number FROM ${sourceOf(path)} WHERE ${path.where(bindings)}`;
    return allOf([
      amongFew("domains.number", chosen),
      query.where(bindings),
      ...(range.after === undefined ? [] : [sideOf("after", ordering, range.after, range, bindings)]),
      ...(range.before === undefined ? [] : [sideOf("before", ordering, range.before, range, bindings)]),
    ]);
  };

  async function read<Row extends object>(text: string, bindings: Bindings, admit: Admit): Promise<readonly Row[]> {
    const statement = bound(query.database, text, bindings);
    const all = units + unitsOfText(text);
    const isScan = all > PROBE_UNITS;
    if (isScan) await admit(all);
    const load = async () => {
      query.meter.allow(1, Math.max(1, units));
      const { results } = await statement.all<Row>();
      query.meter.charge(all);
      return results;
    };
    return query.budget.read(() => query.meter.run(isScan, load));
  }

  return {
    async rows(range, { skip, limit }, admit) {
      const bindings = createBindings();
      const keys = ordering.terms.map(({ sql }, at) => `${sql} AS order_${at}`).join(", ");
      const order = orderClause(ordering, range.backwards ?? false);
      // Content can be 300 KB per row, so it is read only for the page. In SQLite, CROSS JOIN keeps the page's order.
      const text = `SELECT ${query.content}, ${keys} FROM (
          SELECT domains.number AS page_number FROM domains WHERE ${conditionsOf(range, bindings)}
          ORDER BY ${order} LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(skip)}
        ) CROSS JOIN domains ON domains.number = page_number
        -- PostgreSQL: ORDER BY ${order}
        `;
      return read<OrderedRow<Content> & object>(text, bindings, admit);
    },
    async count(range, limit, admit) {
      const bindings = createBindings();
      const text = `SELECT count(*) AS number FROM domains WHERE ${conditionsOf(range, bindings)}`;
      const [row] = await read<{ number: number }>(text, bindings, admit);
      return Math.min(row?.number ?? 0, limit);
    },
  };
}

function sideOf(
  side: "after" | "before",
  ordering: Ordering,
  keyset: Keyset,
  { inclusive = false }: ListRange,
  bindings: Bindings,
): string {
  if (!inclusive) return beyond(side, ordering, keyset, bindings);
  return `(${beyond(side === "after" ? "before" : "after", ordering, keyset, bindings)}) IS NOT TRUE`;
}

/** Reads along segments; `path` gives their number of rows. */
export function walking<Content>(
  query: MeteredList,
  segments: readonly Segment[],
  path: AccessPath = everything,
): ListReader<Content> {
  const { database, content, budget, meter, weight } = query;
  const most = once(() => rowsOf(query, path));
  const list = (admit: Admit): WalkedList => ({
    database,
    content,
    budget,
    meter,
    weight,
    admit,
    most,
    filter: query.where,
    segments,
  });
  const rangeOf = ({ after, before, inclusive = false, backwards = false }: ListRange): WalkRange => ({
    from: after === undefined ? undefined : placeOf(after, segments),
    to: before === undefined ? undefined : placeOf(before, segments),
    inclusive,
    backwards,
  });
  return {
    rows: (range, slice, admit) => walkRows(list(admit), rangeOf(range), slice),
    count: (range, limit, admit) => walkCount(list(admit), rangeOf(range), limit),
  };
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= work());
}
