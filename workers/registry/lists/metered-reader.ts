/**
 * Chooses how a metered list is read. A path of the filter that matches few rows is read whole and put in order; otherwise the
 * list is walked along an index that has its order (window-walk.ts). An order without an index is put together from all rows,
 * which only a registry of few domains allows.
 */
import { domainColumns } from "../store/domain-rows.ts";
import { everything, isById, probeSql, sourceOf, type AccessPath } from "./access-paths.ts";
import { beyond, orderClause, placeOf, segmentsOf, type Keyset, type Ordering, type Segment } from "./order.ts";
import { refusedQuery } from "../store/refused-query.ts";
import {
  JSON_PER_UNIT,
  SORT_UNITS,
  STATEMENT_UNITS,
  unitsOfText,
  type ReadBudget,
  type RowMeter,
} from "./row-budget.ts";
import type { RowWeight } from "./row-weight.ts";
import { allOf, bound, createBindings, type Bindings } from "../store/sql.ts";
import { walkCount, walkRows, type OrderedRow, type WalkedList, type WalkRange } from "./window-walk.ts";

export interface MeteredList {
  readonly database: D1Database;
  readonly budget: ReadBudget;
  readonly meter: RowMeter;
  /** Compiles the filter and condition for each statement. */
  readonly where: (bindings: Bindings) => string;
  /** What that costs for a row. */
  readonly weight: RowWeight;
  /** Ways into the table that the filter opens. */
  readonly paths: readonly AccessPath[];
  readonly ordering: Ordering;
}

/** A part of a list: between two places, or up to one of them. */
export interface ListRange {
  readonly after?: Keyset | undefined;
  readonly before?: Keyset | undefined;
  /** The places themselves belong to it. */
  readonly inclusive?: boolean;
  readonly backwards?: boolean;
}

export interface ListReader {
  rows(range: ListRange, slice: { readonly skip: number; readonly limit: number }): Promise<readonly OrderedRow[]>;
  /** Matches in the range, counted up to `limit`. */
  count(range: ListRange, limit: number): Promise<number>;
}

/** Rows of a path that are read whole and sorted: more than that, and a walk is the better way. */
const FEW = 2_000;
/** Sorting costs as much again as reading. */
const SORTED = 2;
/** Reading and sorting one row, without any filter. */
const SORTED_ROW = 20;

export function createListReader(query: MeteredList): ListReader {
  const { ordering, paths } = query;
  const [only] = paths;
  const byId = ordering.terms.length === 1;
  const few = once(() => fewOf(query, paths, { rows: FEW, units: STATEMENT_UNITS }));

  async function choose(): Promise<ListReader> {
    if (paths.length === 1 && only !== undefined && isById(only) && byId)
      return walking(query, [segmentOf(only, ordering)]);
    const best = paths.length === 0 ? undefined : await few();
    if (best !== undefined) return whole(query, best);
    const path = byId ? [...paths, everything].find(isById) : undefined;
    if (path !== undefined) return walking(query, [segmentOf(path, ordering)]);
    const segments = segmentsOf(ordering);
    if (segments !== undefined) return walking(query, segments);
    const most = Math.floor(SORT_UNITS / Math.max(SORTED_ROW, SORTED * query.weight.units));
    const all = await fewOf(query, [everything], { rows: most, units: SORT_UNITS });
    if (all !== undefined) return whole(query, all);
    const way = "Order by one of ID, TYPE, NAME, START_DATE, END_DATE, STATUS, OWNER, CREATED_AT and UPDATED_AT alone";
    throw refusedQuery("query_too_costly", `No index has this order, and there are too many domains to sort. ${way}`);
  }

  const chosen = once(choose);
  return {
    rows: async (range, slice) => (await chosen()).rows(range, slice),
    count: async (range, limit) => (await chosen()).count(range, limit),
  };
}

/** In which order rows are counted makes no difference. */
export async function countAll(query: MeteredList): Promise<number> {
  const ordering: Ordering = { terms: [{ sql: "domains.id", nullable: false, descending: false }] };
  return createListReader({ ...query, ordering }).count({}, Infinity);
}

interface Candidates {
  readonly path: AccessPath;
  readonly matches: number;
  readonly units: number;
}

/** The path that matches the fewest rows, if these and their JSON are within `most`. */
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
    const answers = await database.batch<{ matches: number; bytes: number }>(statements);
    const counts = answers.flatMap(({ results }) => results);
    meter.charge(counts.reduce((sum, { matches }) => sum + matches, weight.fixed));
    return counts;
  });
  const counted = paths.flatMap((path, at) => {
    const { matches, bytes } = found[at] ?? { matches: allowed + 1, bytes: 0 };
    const units = weight.fixed + matches * weight.units + Math.ceil((bytes * weight.jsonReads) / JSON_PER_UNIT);
    return matches <= allowed && units <= most.units ? [{ path, matches, units }] : [];
  });
  return counted.toSorted((one, other) => one.units - other.units).at(0);
}

/** All rows of the path at once. */
function whole(query: MeteredList, { path, units }: Candidates): ListReader {
  const { ordering } = query;

  const conditionsOf = (range: ListRange, bindings: Bindings) => {
    const chosen = `SELECT domains.number FROM ${sourceOf(path)} WHERE ${path.where(bindings)}`;
    return allOf([
      `domains.number IN (${chosen})`,
      query.where(bindings),
      ...(range.after === undefined ? [] : [sideOf("after", ordering, range.after, range, bindings)]),
      ...(range.before === undefined ? [] : [sideOf("before", ordering, range.before, range, bindings)]),
    ]);
  };

  async function read<Row extends object>(text: string, bindings: Bindings): Promise<readonly Row[]> {
    const statement = bound(query.database, text, bindings);
    return query.budget.read(async () => {
      query.meter.allow(1, Math.max(1, units));
      const { results } = await statement.all<Row>();
      query.meter.charge(units + unitsOfText(text));
      return results;
    });
  }

  return {
    async rows(range, { skip, limit }) {
      const bindings = createBindings();
      const keys = ordering.terms.map(({ sql }, at) => `${sql} AS order_${at}`).join(", ");
      const order = orderClause(ordering, range.backwards ?? false);
      // Content may be 300 KB a row: only that of the page is read. CROSS JOIN keeps the page's order.
      const text = `SELECT ${domainColumns}, ${keys} FROM (
          SELECT domains.number AS page_number FROM domains WHERE ${conditionsOf(range, bindings)}
          ORDER BY ${order} LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(skip)}
        ) CROSS JOIN domains ON domains.number = page_number`;
      return read<OrderedRow>(text, bindings);
    },
    async count(range, limit) {
      const bindings = createBindings();
      const text = `SELECT count(*) AS number FROM domains WHERE ${conditionsOf(range, bindings)}`;
      const [row] = await read<{ number: number }>(text, bindings);
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

function walking(query: MeteredList, segments: readonly Segment[]): ListReader {
  const { database, budget, meter, weight, ordering } = query;
  const list: WalkedList = {
    database,
    budget,
    meter,
    weight,
    filter: query.where,
    segments,
    orderKeys: ordering.terms.map(({ sql }) => sql),
  };
  const rangeOf = ({ after, before, inclusive = false, backwards = false }: ListRange): WalkRange => ({
    from: after === undefined ? undefined : placeOf(after, segments),
    to: before === undefined ? undefined : placeOf(before, segments),
    inclusive,
    backwards,
  });
  return {
    rows: (range, slice) => walkRows(list, rangeOf(range), slice),
    count: (range, limit) => walkCount(list, rangeOf(range), limit),
  };
}

/** By id, along the index of a path. */
function segmentOf(path: AccessPath, { terms }: Ordering): Segment {
  const { where, id } = path;
  return { source: sourceOf(path), where, columns: [id], descending: terms[0]?.descending ?? false, prefix: [] };
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= work());
}
