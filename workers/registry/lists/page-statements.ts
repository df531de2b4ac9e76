/**
 * The statements of a page along an index: consecutive rows in the order of the list, with their keys, up to a number
 * of rows and bytes. domain-page.ts combines them into a page.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { domainColumns, type DomainRow } from "../store/domain-rows.ts";
import { accessPaths, timeRange, type AccessPath } from "./access-paths.ts";
import { entityFilterColumns } from "./columns.ts";
import { filterOf, type DomainListQuery, type SortField } from "./domain-query.ts";
import { compileFilter } from "./filter/compile.ts";
import type { Keyset, Segment } from "./order.ts";
import {
  allOf,
  amongFew,
  behind,
  bound,
  createBindings,
  cursorColumn,
  type Bindings,
  type SqlValue,
} from "../store/sql.ts";

/** A row after the page's last byte has no content: the database returns only that it exists. */
export type PagedRow = (DomainRow | { readonly id: null }) & {
  readonly page_id: string;
  readonly bytes: number;
  readonly [key: `key_${number}`]: SqlValue;
};

/** Exported for the tests of query plans. */
export function pathsOf(query: DomainListQuery): readonly AccessPath[] {
  if (query.words !== undefined) return [];
  const byValue = accessPaths(filterOf(query)).filter(({ values }) => values !== undefined);
  return [...byValue, ...rangesOf(query)];
}

export function rangesOf({ times }: DomainListQuery): readonly AccessPath[] {
  const ranges = [
    timeRange("createdAt", times.createdFrom, times.createdTo),
    timeRange("updatedAt", times.updatedFrom, times.updatedTo),
  ];
  return ranges.filter((range) => range !== undefined);
}

export function indexOf(path: AccessPath, field: SortField): string | undefined {
  if (field === "createdAt") return path.byCreation;
  return field === "id" ? path.byId : undefined;
}

interface SegmentRequest {
  readonly query: DomainListQuery;
  readonly path: AccessPath | undefined;
  readonly segment: Segment;
  readonly after?: Keyset;
  /** The page includes the position itself. */
  readonly inclusive?: boolean;
  readonly skip?: number;
  readonly limit: number;
  /** If 0, the first domain is still returned. */
  readonly bytes?: number;
}

/** Consecutive rows of one segment with their keys. Exported for the ports and for the tests of query plans. */
export function pageStatement(database: Database, request: SegmentRequest): Statement {
  const { query, path, segment, limit, skip = 0, bytes = PAGE_LENGTH } = request;
  const bindings = createBindings();
  const keys = segment.columns.map((sql, at) => `${cursorColumn(sql)} AS key_${at}`).join(", ");
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
  // One walk per value of the filter, each at most as long as the page; their rows are then merged in order.
  const columns = segment.columns.map((sql) =>
    cursorColumn(sql) === inTable.id ? path.id : sql === inTable.created ? path.created : sql,
  );
  const inOrder = indexOf(path, query.sort.field);
  const source = path.from(inOrder ?? path.index);
  // Without such an index, the path matches few rows, and the second sort is enough. PostgreSQL would sort by passing another index.
  const few = inOrder === undefined ? "-- PostgreSQL, not the next line: OFFSET 0)" : "";
  const isValued = path.values !== undefined;
  const own = allOf([isValued ? `${path.column} = wanted.value` : path.where(bindings), whereOf(columns)]);
  const wanted = bindings.bind(JSON.stringify(path.values ?? [0]));
  const chosen = `SELECT chosen.number FROM json_each(${wanted}) AS wanted
    -- PostgreSQL, not the next line: CROSS JOIN LATERAL (
    CROSS JOIN domains AS chosen ON chosen.number IN (
      SELECT domains.number FROM ${source} WHERE ${own}
      ${few}
      ${ordered(columns)})
    -- PostgreSQL: AS chosen
    `;
  const rows = `${selected} FROM domains WHERE ${amongFew("domains.number", chosen)} ${ordered(segment.columns)}`;
  return bound(database, withinBytes(rows, keyNames(segment), bytes), bindings);
}

/** The content of these rows, in their order, up to `bytes`. */
export function pagedStatement(database: Database, numbers: readonly number[], bytes: number): Statement {
  const bindings = createBindings();
  const rows = `SELECT domains.number AS number, domains.id AS page_id, ${SIZE} AS bytes
    FROM json_each(${bindings.bind(JSON.stringify(numbers))}) AS wanted CROSS JOIN domains ON domains.number = CAST(wanted.value AS INTEGER)
    ORDER BY CAST(wanted.key AS INTEGER)`;
  return bound(database, withinBytes(rows, [], bytes), bindings);
}

const inTable = { id: "domains.id", created: "domains.created_at" } as const;

/** All filters except the words and the path's own filter. Time ranges can still use an index. */
export function conditionsOf(
  query: DomainListQuery,
  path: AccessPath | undefined,
  bindings: Bindings,
): readonly string[] {
  const rest = Object.entries(filterOf(query)).filter(([member]) => member !== path?.member);
  return [
    ...rangesOf(query).flatMap((range) => (range.member === path?.member ? [] : [range.where(bindings)])),
    // IS TRUE keeps these indexes out of the plan, so that the walk keeps the order of the list.
    ...(rest.length === 0
      ? []
      : [`(${compileFilter(Object.fromEntries(rest), entityFilterColumns, bindings)}) IS TRUE`]),
  ];
}

/** The number of filters that neither the path nor the order answers. */
export function restOf(query: DomainListQuery, path: AccessPath | undefined): number {
  const answered = (member: string) => member === path?.member || member === query.sort.field;
  const ranges = rangesOf(query).filter(({ member }) => !answered(member));
  return ranges.length + Object.keys(filterOf(query)).filter((member) => member !== path?.member).length;
}

/** The size of the large members; SQLite knows it without reading them. */
const SIZE = ["metadata", "document", "credentials", "accounts", "controllers"]
  .map((column) => `octet_length(domains.${column})`)
  .join(" + ");

function keyNames({ columns }: Segment): readonly string[] {
  return columns.map((_, at) => `page.key_${at}`);
}

/**
 * Reads the content of the rows up to `bytes`. A domain can have 300 KB: a page of a hundred would otherwise be in
 * memory before it could be cut. In SQLite, the outer join keeps the order of `rows`.
 */
function withinBytes(rows: string, keys: readonly string[], bytes: number): string {
  return `SELECT ${[domainColumns, "page.page_id", ...keys, "page.bytes"].join(", ")} FROM (
      SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows})
    ) AS page LEFT JOIN domains ON domains.number = page.number AND (page.before < ${bytes} OR page.before = 0)
    -- PostgreSQL: ORDER BY page.before
    `;
}
