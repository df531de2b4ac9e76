/**
 * Chooses how a list is read. A path of the filter that matches few rows is read whole and put in order; otherwise the list
 * is walked along an index that has its order (list-walk.ts). An order without an index is put together from all rows,
 * which only a registry of few domains allows.
 */
import { domainColumns } from "../store/domain-rows.ts";
import { everything, type AccessPath } from "./access-paths.ts";
import type { ListQuery, OrderedRow } from "./connection.ts";
import { createBindings, type Bindings } from "./filter/bindings.ts";
import { allOf } from "./filter/conditions.ts";
import { beyond, type Keyset } from "./keyset.ts";
import { bound } from "./list-statement.ts";
import { walkCount, walkRows, type Segment, type WalkedList, type WalkPlace, type WalkRange } from "./list-walk.ts";
import { orderClause, type Ordering } from "./ordering.ts";
import { refusal } from "./refusal.ts";
import { JSON_PER_UNIT, SORT_UNITS, STATEMENT_UNITS, unitsOfText } from "./row-cost.ts";

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
/** Sorting costs beside reading. */
const SORTED = 2;
/** Reading and sorting one row, without any filter. */
const SORTED_ROW = 20;

export function createListReader(query: ListQuery): ListReader {
  const { ordering, paths } = query;
  const [only] = paths;
  const byId = ordering.terms.length === 1;
  const few = once(() => fewOf(query, paths, { rows: FEW, units: STATEMENT_UNITS }));

  async function choose(): Promise<ListReader> {
    if (paths.length === 1 && only?.ordered === true && byId) return walking(query, [segmentOf(only, ordering)]);
    const best = paths.length === 0 ? undefined : await few();
    if (best !== undefined) return whole(query, best);
    const path = byId ? [...paths, everything].find(({ ordered }) => ordered) : undefined;
    if (path !== undefined) return walking(query, [segmentOf(path, ordering)]);
    const segments = segmentsOf(ordering);
    if (segments !== undefined) return walking(query, segments);
    const most = Math.floor(SORT_UNITS / Math.max(SORTED_ROW, SORTED * query.weight.units));
    const all = await fewOf(query, [everything], { rows: most, units: SORT_UNITS });
    if (all !== undefined) return whole(query, all);
    const way = "Order by one of ID, TYPE, NAME, START_DATE, END_DATE, STATUS, OWNER, CREATED_AT and UPDATED_AT alone";
    throw refusal("query_too_costly", `No index has this order, and there are too many domains to sort. ${way}`);
  }

  const chosen = once(choose);
  return {
    rows: async (range, slice) => (await chosen()).rows(range, slice),
    count: async (range, limit) => (await chosen()).count(range, limit),
  };
}

/** In which order rows are counted makes no difference. */
export async function countAll(query: ListQuery): Promise<number> {
  const ordering: Ordering = { name: "", terms: [{ sql: "domains.id", nullable: false, descending: false }] };
  return createListReader({ ...query, ordering }).count({}, Infinity);
}

interface Candidates {
  readonly path: AccessPath;
  readonly matches: number;
  readonly units: number;
}

/** The path that matches the fewest rows, if these and their JSON are within `most`. */
async function fewOf(
  query: ListQuery,
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
      const entries = `SELECT ${weight.jsonReads === 0 ? "0" : size} AS bytes FROM ${path.source}
        WHERE ${path.where(bindings)} LIMIT ${bindings.bind(allowed + 1)}`;
      return bound(database, `SELECT count(*) AS matches, total(bytes) AS bytes FROM (${entries})`, bindings);
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
function whole(query: ListQuery, { path, units }: Candidates): ListReader {
  const { ordering } = query;

  const conditionsOf = (range: ListRange, bindings: Bindings) => {
    const chosen = `SELECT domains.number FROM ${path.source} WHERE ${path.where(bindings)}`;
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

function walking(query: ListQuery, segments: readonly Segment[]): ListReader {
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

/** The id is the last value of every keyset, and the only one of rows without a value. */
function placeOf(keyset: Keyset, segments: readonly Segment[]): WalkPlace {
  if (segments.length === 2 && (keyset[0] ?? null) === null) return { segment: 1, values: keyset.slice(1) };
  return { segment: 0, values: keyset };
}

/** By id, along the index of a path. */
function segmentOf({ source, where, id }: AccessPath, { terms }: Ordering): Segment {
  return { source, where, columns: [id], descending: terms[0]?.descending ?? false };
}

/** Indexes of single columns with the id behind them. */
const orderIndexes: Readonly<Record<string, string>> = {
  "domains.type_key": "domains_by_type",
  "domains.name": "domains_by_name",
  "domains.valid_from_ms": "domains_by_beginning",
  "domains.valid_until_ms": "domains_by_validity",
  "domains.status": "domains_by_status",
  "domains.owner": "domains_by_owner",
  "domains.created_at": "domains_by_creation",
  "domains.updated_at": "domains_by_update",
};

function segmentsOf({ terms }: Ordering): readonly Segment[] | undefined {
  const [first, id, ...more] = terms;
  if (first === undefined || id === undefined || more.length > 0) return undefined;
  const index = orderIndexes[first.sql];
  // An index runs one way in all its columns.
  if (index === undefined || id.descending !== first.descending) return undefined;
  const own = { source: `domains INDEXED BY ${index}`, descending: first.descending };
  if (!first.nullable) return [{ ...own, where: () => "1", columns: [first.sql, id.sql] }];
  return [
    { ...own, where: () => `${first.sql} IS NOT NULL`, columns: [first.sql, id.sql] },
    { ...own, where: () => `${first.sql} IS NULL`, columns: [id.sql] },
  ];
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= work());
}
