/**
 * Pages of domains for REST, the export and the other surfaces: one statement for each segment of the order, none for what
 * the page does not show. A page costs the same however many domains there are: it walks an index in the order of the list,
 * and which index is chosen by what the filters really match.
 */
import type { DomainRecord } from "../domain/domain.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { domainColumns, recordsOf, type DomainRow } from "../store/domain-rows.ts";
import { accessPaths, probeSql, timeRange, type AccessPath } from "./access-paths.ts";
import { entityFilterColumns } from "./columns.ts";
import { filterOf, type DomainListQuery, type SortField } from "./domain-query.ts";
import { compileFilter } from "./filter/compile.ts";
import { matchOf, searchSource, segmentsOfQuery } from "./domain-order.ts";
import { placeOf, type Keyset, type Segment } from "./order.ts";
import { allOf, behind, bound, createBindings, type Bindings, type SqlValue } from "../store/sql.ts";

export interface DomainPage {
  readonly domains: readonly DomainRecord[];
  /** Where the page ended; undefined when nothing follows. */
  readonly next: Keyset | undefined;
  readonly total?: number;
}

export interface PageRequest {
  readonly query: DomainListQuery;
  readonly limit: number;
  readonly after: Keyset | undefined;
  /** Bytes of JSON after which the page ends, however few domains it has by then; never before the first one. */
  readonly bytes?: number;
}

/** Reads the page in segments until it is full; most lists have one, and a page seldom meets two. */
export async function listDomains(database: D1Database, request: PageRequest): Promise<DomainPage> {
  const { query, limit, after, bytes = PAGE_LENGTH } = request;
  const path = await choosePath(database, query);
  const segments = segmentsOfQuery(query);
  const start = after === undefined ? undefined : placeOf(after, segments);
  const rows: { readonly row: PagedRow; readonly keyset: Keyset }[] = [];
  let [read, isCut] = [0, false];
  for (const [number, segment] of segments.entries()) {
    if (number < (start?.segment ?? 0) || rows.length > limit || isCut) continue;
    const place = number === start?.segment ? { after: start.values } : {};
    const room = { limit: limit + 1 - rows.length, bytes: bytes - read };
    const { results } = await pageStatement(database, { query, path, segment, ...place, ...room }).all<PagedRow>();
    for (const row of results) {
      read += row.bytes;
      if (row.id === null) isCut = true;
      else rows.push({ row, keyset: [...segment.prefix, ...segment.columns.map((_, at) => row[`key_${at}`] ?? null)] });
    }
  }
  const page = rows.slice(0, limit);
  return {
    domains: recordsOf(page.map(({ row }) => row as DomainRow)),
    next: isCut || rows.length > page.length ? page.at(-1)?.keyset : undefined,
    ...(query.count ? { total: await countDomains(database, query) } : {}),
  };
}

/** A row behind the page's last byte has no content: the database says that there is one, and only its id. */
export type PagedRow = (DomainRow | { readonly id: null }) & {
  readonly page_id: string;
  readonly bytes: number;
  readonly [key: `key_${number}`]: SqlValue;
};

/** Rows that a path may match to be walked whole and sorted; above that an index in the order of the list is better. */
const FEW = 2_000;

/**
 * The way into the table. A filter that matches few rows is the best; otherwise one whose index has the order of the
 * list; otherwise the order alone. Asks the database what the filters match only where that makes a difference.
 */
async function choosePath(database: D1Database, query: DomainListQuery): Promise<AccessPath | undefined> {
  const { field } = query.sort;
  // In its own order a range is a part of the walk already.
  const paths = pathsOf(query).filter(({ member }) => member !== field);
  const [only] = paths;
  if (only === undefined || (paths.length === 1 && indexOf(only, field) !== undefined)) return only;
  const [best] = await matchesOf(database, paths);
  if (best !== undefined && best.matches <= FEW) return best.path;
  return paths.find((path) => indexOf(path, field) !== undefined);
}

/** Exported for the tests that hold plans to what they must be. */
export function pathsOf({ equal, times, words }: DomainListQuery): readonly AccessPath[] {
  if (words !== undefined) return [];
  const ranges = [
    timeRange("createdAt", times.createdFrom, times.createdTo),
    timeRange("updatedAt", times.updatedFrom, times.updatedTo),
  ];
  const byValue = accessPaths(filterOf({ equal, times })).filter(({ values }) => values !== undefined);
  return [...byValue, ...ranges.filter((range) => range !== undefined)];
}

/** How many rows each path matches, counted to a few, the fewest first. */
async function matchesOf(database: D1Database, paths: readonly AccessPath[]) {
  const probes = paths.map((path) => {
    const bindings = createBindings();
    return bound(database, probeSql(path, bindings, FEW + 1), bindings);
  });
  const answers = await database.batch<{ matches: number }>(probes);
  const counted = paths.map((path, at) => ({ path, matches: answers[at]?.results[0]?.matches ?? FEW + 1 }));
  return counted.toSorted((one, other) => one.matches - other.matches);
}

function indexOf(path: AccessPath, field: SortField): string | undefined {
  if (field === "createdAt") return path.byCreation;
  return field === "id" ? path.byId : undefined;
}

interface SegmentRequest {
  readonly query: DomainListQuery;
  readonly path: AccessPath | undefined;
  readonly segment: Segment;
  readonly after?: Keyset;
  /** The place itself belongs to the page. */
  readonly inclusive?: boolean;
  readonly skip?: number;
  readonly limit: number;
  /** None are left: the first domain comes all the same. */
  readonly bytes?: number;
}

/** Rows of one segment, one after another, with their keys; exported for the ports and for the tests of plans. */
export function pageStatement(database: D1Database, request: SegmentRequest): D1PreparedStatement {
  const { query, path, segment, limit, skip = 0, bytes = PAGE_LENGTH } = request;
  const bindings = createBindings();
  const keys = segment.columns.map((sql, at) => `${sql} AS key_${at}`).join(", ");
  const selected = `SELECT domains.number AS number, domains.id AS page_id, ${keys}, ${SIZE} AS bytes`;
  const end = `LIMIT ${limit}${skip > 0 ? ` OFFSET ${bindings.bind(skip)}` : ""}`;
  const direction = segment.descending ? "DESC" : "ASC";
  const ordered = (columns: readonly string[]) =>
    `ORDER BY ${columns.map((sql) => `${sql} ${direction}`).join(", ")} ${end}`;
  const whereOf = (columns: readonly string[]) =>
    allOf([
      segment.where(bindings),
      ...conditionsOf(query, path, bindings),
      ...(request.after === undefined
        ? []
        : [behind(columns, request.after, segment.descending, bindings, request.inclusive)]),
    ]);
  if (path === undefined) {
    const rows = `${selected} FROM ${segment.source} WHERE ${whereOf(segment.columns)} ${ordered(segment.columns)}`;
    return bound(database, withinBytes(rows, keyNames(segment), bytes), bindings);
  }
  // One walk for each value of the filter, each as long as the page at most; their rows are then put in order.
  const columns = segment.columns.map((sql) =>
    sql === inTable.id ? path.id : sql === inTable.created ? path.created : sql,
  );
  const source = path.from(indexOf(path, query.sort.field) ?? path.index);
  const isValued = path.values !== undefined;
  const own = allOf([isValued ? `${path.column} = wanted.value` : path.where(bindings), whereOf(columns)]);
  const wanted = bindings.bind(JSON.stringify(path.values ?? [0]));
  const chosen = `SELECT chosen.number FROM json_each(${wanted}) AS wanted CROSS JOIN domains AS chosen
    ON chosen.number IN (SELECT domains.number FROM ${source} WHERE ${own} ${ordered(columns)})`;
  const rows = `${selected} FROM domains WHERE domains.number IN (${chosen}) ${ordered(segment.columns)}`;
  return bound(database, withinBytes(rows, keyNames(segment), bytes), bindings);
}

const inTable = { id: "domains.id", created: "domains.created_at" } as const;

/** Every filter but the words and the one that the path itself is. Ranges of time stay open to an index. */
function conditionsOf(query: DomainListQuery, path: AccessPath | undefined, bindings: Bindings): readonly string[] {
  const { times } = query;
  const ranges = [
    timeRange("createdAt", times.createdFrom, times.createdTo),
    timeRange("updatedAt", times.updatedFrom, times.updatedTo),
  ];
  const rest = Object.entries(filterOf(query)).filter(([member]) => member !== path?.member);
  return [
    ...ranges.flatMap((range) => (range === undefined || range.member === path?.member ? [] : [range.where(bindings)])),
    // IS TRUE keeps the indexes of these out of the plan, so that the walk stays in the order of the list.
    ...(rest.length === 0
      ? []
      : [`(${compileFilter(Object.fromEntries(rest), entityFilterColumns, bindings)}) IS TRUE`]),
  ];
}

/** Of the members that can be large; SQLite knows it without reading them. */
const SIZE = ["metadata", "document", "credentials", "accounts", "controllers"]
  .map((column) => `octet_length(domains.${column})`)
  .join(" + ");

function keyNames({ columns }: Segment): string {
  return columns.map((_, at) => `page.key_${at}`).join(", ");
}

/**
 * Reads the content of the rows up to `bytes` of it. Each domain may have 300 KB: a page of a hundred would otherwise be
 * in memory before it could be cut. The outer join keeps the order of `rows`.
 */
function withinBytes(rows: string, keys: string, bytes: number): string {
  return `SELECT ${domainColumns}, page.page_id, ${keys}, page.bytes FROM (
      SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows})
    ) AS page LEFT JOIN domains ON domains.number = page.number AND (page.before < ${bytes} OR page.before = 0)`;
}

async function countDomains(database: D1Database, query: DomainListQuery): Promise<number> {
  const paths = pathsOf(query);
  const path = paths.length < 2 ? paths[0] : (await matchesOf(database, paths))[0]?.path;
  const row = await countStatement(database, query, path).first<{ total: number }>();
  return row?.total ?? 0;
}

/** Exported for the tests that hold plans to what they must be. */
export function countStatement(
  database: D1Database,
  query: DomainListQuery,
  path: AccessPath | undefined,
): D1PreparedStatement {
  const bindings = createBindings();
  const { words, times } = query;
  if (path === undefined && words === undefined && times.validAt !== undefined) {
    // Without another filter: all but those that have not begun and those that are over, each counted in its index.
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
  // A domain with two of the wanted controllers is one domain; of every other filter it has one value.
  const counted = path.member === "controller" ? "count(DISTINCT domains.number)" : "count(*)";
  const where = allOf([path.where(bindings), ...conditions]);
  return bound(database, `SELECT ${counted} AS total FROM ${path.from(path.index)} WHERE ${where}`, bindings);
}
