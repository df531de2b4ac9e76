/**
 * Pages of domains (contract/registry.md sections 4.2 and 12). A page costs the same however many domains there are: it
 * walks an index in the order of the list, and which index is chosen by what the filters really match.
 * All SQL here is of fixed pieces; what a client sends is bound, value lists as one JSON parameter.
 */
import type { DomainListQuery, SortField } from "../domain/list-query.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { conditionsOf, pathsOf, type Condition, type Path } from "./domain-filters.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";

/** Where a page ended. */
export interface ListPosition {
  /** The part of the list: rows with a key before those without, hits in the name before other hits. */
  readonly part: number;
  readonly key: string | number | null;
  readonly id: string;
}

export interface DomainPage {
  readonly domains: readonly DomainRecord[];
  /** Undefined when nothing follows. */
  readonly next: ListPosition | undefined;
  readonly total?: number;
}

export interface PageRequest {
  readonly query: DomainListQuery;
  readonly limit: number;
  readonly after: ListPosition | undefined;
  /** Bytes of JSON after which the page ends, however few domains it has by then; never before the first one. */
  readonly bytes?: number;
}

interface SortColumn {
  readonly column: string;
  readonly index: string;
  readonly hasNulls?: true;
}

const sortColumns: Readonly<Record<Exclude<SortField, "relevance">, SortColumn>> = {
  createdAt: { column: "created_at", index: "domains_by_creation" },
  updatedAt: { column: "updated_at", index: "domains_by_update" },
  name: { column: "name", index: "domains_by_name", hasNulls: true },
  type: { column: "type_key", index: "domains_by_type" },
  validFrom: { column: "valid_from_ms", index: "domains_by_beginning", hasNulls: true },
  validUntil: { column: "valid_until_ms", index: "domains_by_validity", hasNulls: true },
  // The one that SQLite makes for a unique column.
  id: { column: "id", index: "sqlite_autoindex_domains_1" },
};

/** Reads the page in parts until it is full; most lists have one part, and a page seldom meets two. */
export async function listDomains(database: D1Database, request: PageRequest): Promise<DomainPage> {
  const { query, limit, after, bytes = PAGE_LENGTH } = request;
  const path = await choosePath(database, query);
  const parts = partsOf(query);
  const rows: PagedRow[] = [];
  let [read, isCut] = [0, false];
  for (let part = after?.part ?? 0; part < parts.length && rows.length <= limit && !isCut; part += 1) {
    const position = after?.part === part ? after : undefined;
    const room = { limit: limit + 1 - rows.length, bytes: bytes - read };
    const statement = pageStatement(database, { query, path, part, position, ...room });
    const { results } = await statement.all<Omit<PagedRow, "part"> | CutRow>();
    for (const row of results) {
      read += row.bytes;
      if (row.id === null) isCut = true;
      else rows.push({ ...row, part });
    }
  }
  const page = rows.slice(0, limit);
  const last = isCut || rows.length > page.length ? page.at(-1) : undefined;
  return {
    domains: page.map(recordOf),
    next: last === undefined ? undefined : { part: last.part, key: last.sort_key, id: last.id },
    ...(query.count ? { total: await countDomains(database, query) } : {}),
  };
}

type PagedRow = DomainRow & {
  readonly sort_key: string | number | null;
  readonly part: number;
  readonly bytes: number;
};

/** A row behind the page's last byte: the database tells that there is one, and nothing of it. */
interface CutRow {
  readonly id: null;
  readonly bytes: number;
}

/** Rows that a path may match to be walked whole and sorted; above that an index in the order of the list is better. */
const FEW = 2_000;

/**
 * The way into the table. A filter that matches few rows is the best; otherwise one whose index has the order of the
 * list; otherwise the order alone. Asks the database what the filters match only where that makes a difference.
 */
async function choosePath(database: D1Database, query: DomainListQuery): Promise<Path | undefined> {
  if (query.words !== undefined) return undefined;
  const paths = pathsOf(query);
  const [only] = paths;
  if (only === undefined || (paths.length === 1 && isOrdered(only, query))) return only;
  const [best] = await matchesOf(database, paths);
  if (best !== undefined && best.matches <= FEW) return best.path;
  return paths.find((path) => isOrdered(path, query));
}

/** How many rows each path matches, counted to a few, the fewest first. */
async function matchesOf(database: D1Database, paths: readonly Path[]) {
  const probes = paths.map(({ probe }) =>
    database.prepare(`SELECT count(*) AS matches FROM (${probe.sql} LIMIT ${FEW + 1})`).bind(...probe.values),
  );
  const answers = await database.batch<{ matches: number }>(probes);
  const counted = paths.map((path, at) => ({ path, matches: answers[at]?.results[0]?.matches ?? FEW + 1 }));
  return counted.toSorted((one, other) => one.matches - other.matches);
}

function isOrdered(path: Path, { sort }: DomainListQuery): boolean {
  return indexOf(path, sort.field) !== undefined;
}

function indexOf(path: Path, field: SortField): string | undefined {
  if (field === "createdAt") return path.byCreation;
  return field === "id" ? path.byId : undefined;
}

interface Part {
  readonly where: string;
  readonly values: readonly string[];
  readonly keyIsNull?: true;
}

function partsOf({ sort, words }: DomainListQuery): readonly Part[] {
  const match = words === undefined ? undefined : matchOf(words);
  if (sort.field === "relevance") {
    const all = match ?? "";
    const where = "domain_search MATCH ?";
    return [
      { where, values: [`{name} : (${all})`] },
      { where, values: [`(${all}) NOT ({name} : (${all}))`] },
    ];
  }
  const { column, hasNulls } = sortColumns[sort.field];
  const searched = match === undefined ? [] : ["domain_search MATCH ?"];
  const values = match === undefined ? [] : [match];
  if (hasNulls === undefined) return [{ where: [...searched, "1"].join(" AND "), values }];
  return [
    { where: [...searched, `domains.${column} IS NOT NULL`].join(" AND "), values },
    { where: [...searched, `domains.${column} IS NULL`].join(" AND "), values, keyIsNull: true },
  ];
}

/** Words are letters and digits, so a quoted one holds no syntax of the index. */
function matchOf(words: readonly string[]): string {
  return `${words.map((word) => `"${word}"`).join(" AND ")} *`;
}

interface PartRequest {
  readonly query: DomainListQuery;
  readonly path: Path | undefined;
  readonly part: number;
  readonly position: ListPosition | undefined;
  readonly limit: number;
  /** None are left: the first domain comes all the same. */
  readonly bytes?: number;
}

/** Exported for the tests that hold its plans to what they must be. */
export function pageStatement(database: D1Database, request: PartRequest): D1PreparedStatement {
  const { query, path, part: number, position, limit, bytes = PAGE_LENGTH } = request;
  const part = partsOf(query)[number];
  if (part === undefined) throw new Error("a list has no such part");
  const direction = query.sort.descending ? "DESC" : "ASC";
  const order = orderOf(query, part, path);
  const after = position === undefined ? [] : [keyset(order, position, direction)];
  const conditions: readonly Condition[] = [
    { sql: part.where, values: part.values },
    ...conditionsOf(query, path?.filter),
    ...after,
  ];
  const where = conditions.map(({ sql }) => sql).join(" AND ");
  const values = conditions.flatMap((condition) => condition.values);
  const ordered = `ORDER BY ${order.map((column) => `${column} ${direction}`).join(", ")} LIMIT ${limit}`;
  const columns = `domains.number AS number, ${sortKeyOf(query, part)} AS sort_key, ${SIZE} AS bytes`;
  if (path === undefined) {
    const rows = `SELECT ${columns} FROM ${tableOf(query)} WHERE ${where} ${ordered}`;
    return database.prepare(withinBytes(rows, bytes)).bind(...values);
  }
  const index = indexOf(path, query.sort.field) ?? path.index;
  const own = `SELECT domains.number FROM ${path.from(index)} WHERE ${path.condition} AND ${where} ${ordered}`;
  // One walk for each value of the filter, each as long as the page at most; their rows are then put in order.
  const chosen = `SELECT chosen.number FROM json_each(?) AS wanted CROSS JOIN domains AS chosen ON chosen.number IN (${own})`;
  const outer = orderOf(query, part, undefined)
    .map((column) => `${column} ${direction}`)
    .join(", ");
  const rows = `SELECT ${columns} FROM domains WHERE domains.number IN (${chosen}) ORDER BY ${outer} LIMIT ${limit}`;
  return database.prepare(withinBytes(rows, bytes)).bind(path.wanted, ...values);
}

/** Of the members that can be large; SQLite knows it without reading them. */
const SIZE = ["metadata", "document", "credentials", "accounts"]
  .map((column) => `octet_length(domains.${column})`)
  .join(" + ");

/**
 * Reads the content of the rows up to `bytes` of it. Each domain may have 300 KB: a page of a hundred would otherwise be
 * in memory before it could be cut. The outer join keeps the order of `rows`.
 */
function withinBytes(rows: string, bytes: number): string {
  return `SELECT ${domainColumns}, page.sort_key, page.bytes FROM (
      SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS before FROM (${rows})
    ) AS page LEFT JOIN domains ON domains.number = page.number AND (page.before < ${bytes} OR page.before = 0)`;
}

function tableOf({ sort, words }: DomainListQuery): string {
  if (words !== undefined) return "domain_search CROSS JOIN domains ON domains.number = domain_search.rowid";
  return sort.field === "relevance" ? "domains" : `domains INDEXED BY ${sortColumns[sort.field].index}`;
}

/** Total: ties by id. The newest of equally relevant domains come first. */
function orderOf({ sort }: DomainListQuery, { keyIsNull }: Part, path: Path | undefined): readonly string[] {
  if (sort.field === "relevance") return ["domain_search.rowid"];
  const { column } = sortColumns[sort.field];
  const [created, id] = path?.orderColumns ?? ["domains.created_at", "domains.id"];
  const isId = column === "id" || keyIsNull === true;
  return isId ? [id] : [column === "created_at" ? created : `domains.${column}`, id];
}

function keyset(order: readonly string[], { key, id }: ListPosition, direction: string): Condition {
  const sign = direction === "DESC" ? "<" : ">";
  const [first = "", second] = order;
  if (second !== undefined) return { sql: `(${first}, ${second}) ${sign} (?, ?)`, values: [key, id] };
  return { sql: `${first} ${sign} ?`, values: [first === "domain_search.rowid" ? key : id] };
}

function sortKeyOf({ sort }: DomainListQuery, { keyIsNull }: Part): string {
  if (sort.field === "relevance") return "domains.number";
  return keyIsNull === true ? "NULL" : `domains.${sortColumns[sort.field].column}`;
}

/** Where a walk of this list stands when it has come to the domain; undefined when there is none of that id. */
export async function positionOfDomain(
  database: D1Database,
  { sort, words = [] }: DomainListQuery,
  id: string,
): Promise<ListPosition | undefined> {
  if (sort.field !== "relevance") {
    const sql = `SELECT ${sortColumns[sort.field].column} AS sort_key FROM domains WHERE id = ?`;
    const row = await database.prepare(sql).bind(id).first<Pick<PagedRow, "sort_key">>();
    return row === null ? undefined : { part: row.sort_key === null ? 1 : 0, key: row.sort_key, id };
  }
  const hit = "SELECT 1 FROM domain_search WHERE domain_search.rowid = domains.number AND domain_search MATCH ?";
  const row = await database
    .prepare(`SELECT number, EXISTS (${hit}) AS named FROM domains WHERE id = ?`)
    .bind(`{name} : (${matchOf(words)})`, id)
    .first<{ number: number; named: number }>();
  return row === null ? undefined : { part: row.named === 1 ? 0 : 1, key: row.number, id };
}

async function countDomains(database: D1Database, query: DomainListQuery): Promise<number> {
  const path = query.words === undefined ? await fewestOf(database, query) : undefined;
  const row = await countStatement(database, query, path).first<{ total: number }>();
  return row?.total ?? 0;
}

/** The filter that matches the fewest rows, or of several that all match many, the first. */
async function fewestOf(database: D1Database, query: DomainListQuery): Promise<Path | undefined> {
  // In no order: each filter is a path of its own.
  const paths = pathsOf({ ...query, sort: { field: "id", descending: false } });
  return paths.length < 2 ? paths[0] : (await matchesOf(database, paths))[0]?.path;
}

/** Exported for the test that holds its plans to what they must be. */
export function countStatement(
  database: D1Database,
  query: DomainListQuery,
  path: Path | undefined,
): D1PreparedStatement {
  const match = query.words === undefined ? [] : [{ sql: "domain_search MATCH ?", values: [matchOf(query.words)] }];
  const conditions: readonly Condition[] = [...match, ...conditionsOf(query, path?.filter)];
  const where = ["1", ...conditions.map(({ sql }) => sql)].join(" AND ");
  const values = conditions.flatMap((condition) => condition.values);
  if (path === undefined) {
    const table = query.words === undefined ? "domains" : tableOf(query);
    return database.prepare(`SELECT count(*) AS total FROM ${table} WHERE ${where}`).bind(...values);
  }
  // A domain with two of the wanted controllers is one domain; of every other filter it has one value.
  const counted = path.filter === "controller" ? "count(DISTINCT domains.number)" : "count(*)";
  const wanted = "(SELECT DISTINCT value FROM json_each(?)) AS wanted";
  const text = `SELECT ${counted} AS total FROM ${wanted} CROSS JOIN ${path.from(path.index)}
    WHERE ${path.condition} AND ${where}`;
  return database.prepare(text).bind(path.wanted, ...values);
}
