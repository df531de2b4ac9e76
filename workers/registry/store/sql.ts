/**
 * Builds the statements of lists. Every value from a caller goes through `bind` and becomes a numbered placeholder;
 * lists and JSON are bound as one parameter each and read with json_each.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { refusedQuery } from "./refused-query.ts";

export type SqlValue = string | number | null;

export interface Bindings {
  /** The placeholder of the value, such as `?3`; equal values share one placeholder. */
  bind(value: SqlValue): string;
  /** The values in the order of their numbers. */
  readonly values: readonly SqlValue[];
}

/** Maximum parameters of a statement (a limit of D1). */
export const PARAMETERS = 100;

export function createBindings(): Bindings {
  const numbers = new Map<SqlValue, number>();
  return {
    bind(value) {
      const known = numbers.get(value);
      if (known !== undefined) return `?${known}`;
      if (numbers.size >= PARAMETERS) throw refusedQuery("query_too_costly", TOO_MANY);
      numbers.set(value, numbers.size + 1);
      return `?${numbers.size}`;
    },
    get values() {
      return [...numbers.keys()];
    },
  };
}

const TOO_MANY = "The filter compares with too many different values; use in with a list";

/**
 * Maximum bytes of a statement (a limit of D1). Ours are ASCII, and long only if a filter searches JSON for many
 * values.
 */
const STATEMENT_BYTES = 100_000;

export function bound(database: Database, text: string, { values }: Bindings): Statement {
  if (text.length > STATEMENT_BYTES) {
    throw refusedQuery("query_too_costly", "The filter looks for too much at once; ask for less in one list");
  }
  return database.prepare(text).bind(...values);
}

/** Combines conditions in a balanced tree, because SQLite limits the depth of an expression (100 levels in D1). */
export const TRUE = "TRUE";
export const FALSE = "FALSE";

export function allOf(conditions: readonly string[]): string {
  return balanced(conditions, "AND", TRUE);
}

export function anyOf(conditions: readonly string[]): string {
  return balanced(conditions, "OR", FALSE);
}

function balanced(conditions: readonly string[], operator: "AND" | "OR", none: string): string {
  const [only = none] = conditions;
  if (conditions.length <= 1) return only;
  const middle = conditions.length >> 1;
  const [left, right] = [conditions.slice(0, middle), conditions.slice(middle)];
  return `(${balanced(left, operator, none)} ${operator} ${balanced(right, operator, none)})`;
}

/**
 * D1 binds every number as REAL, but FTS5 uses only integers to bound its walk: without the cast it starts at the first
 * match.
 */
export function indexedValue(column: string, placeholder: string): string {
  if (column === ID_BYTES) return `unhex(substr(${placeholder}, 16))`;
  return column === SEARCH_ROWID ? `CAST(${placeholder} AS INTEGER)` : placeholder;
}

/**
 * The column's value is one of few values of a subquery. PostgreSQL reads these first: with IN, its planner may pass a whole index in the
 * wanted order until enough rows are among them.
 */
export function amongFew(column: string, subquery: string): string {
  return `
    -- PostgreSQL, not the next line: ${column} = ANY (ARRAY (
    ${column} IN (
      ${subquery}
    -- PostgreSQL: )
    )`;
}

/** The rowid of the full-text index. */
export const SEARCH_ROWID = "domain_search.rowid";

/** The 16 bytes of a domain's id, by which most indexes of domains end: the text needs three times the space. */
export const ID_BYTES = "domains.id_bytes";

/** SQL of the column's value in a cursor; a cursor has the whole id. */
export const cursorColumn = (column: string): string => (column === ID_BYTES ? "domains.id" : column);

/** SQL for "after these values" in the direction of the walk, which is one for all columns. */
export function behind(
  columns: readonly string[],
  values: readonly SqlValue[],
  descending: boolean,
  { bind }: Bindings,
  inclusive = false,
): string {
  const sign = `${descending ? "<" : ">"}${inclusive ? "=" : ""}`;
  const [column = "", ...more] = columns;
  if (more.length === 0) return `${column} ${sign} ${indexedValue(column, bind(values[0] ?? null))}`;
  return `(${columns.join(", ")}) ${sign} (${columns.map((each, at) => indexedValue(each, bind(values[at] ?? null))).join(", ")})`;
}

/** A page of a table in the order of one of its indexes, by keyset, without duplicates or gaps. */
export interface KeysetPage {
  readonly columns: string;
  /** The FROM clause. */
  readonly source: string;
  readonly where: (bindings: Bindings) => readonly string[];
  /** The columns of the index, all in one direction; the last one is unique. */
  readonly order: readonly string[];
  readonly descending?: boolean;
  /** The last row of the previous page. */
  readonly after: readonly SqlValue[] | undefined;
  readonly limit: number;
}

export function keysetPage(database: Database, page: KeysetPage): Statement {
  const bindings = createBindings();
  return bound(database, keysetSql(page, bindings), bindings);
}

export function keysetSql(page: KeysetPage, bindings: Bindings): string {
  const { columns, source, where, order, descending = false, after, limit } = page;
  const conditions = [...where(bindings), ...(after === undefined ? [] : [behind(order, after, descending, bindings)])];
  const direction = descending ? "DESC" : "ASC";
  return `SELECT ${columns} FROM ${source} WHERE ${allOf(conditions)}
    ORDER BY ${order.map((column) => `${column} ${direction}`).join(", ")} LIMIT ${bindings.bind(limit)}`;
}
