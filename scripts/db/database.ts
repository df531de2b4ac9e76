/**
 * A database as `npm run db` sees it: tables with a primary key, read page by page in the order of the key, and statements that are
 * applied together or not at all. Every value is a text or null, in a form that does not depend on the engine: integers in decimal,
 * bytes in hexadecimal.
 */

export type Value = string | null;

/** The values of a table's columns, in their order. */
export type Row = readonly Value[];

export interface Column {
  readonly name: string;
  readonly kind: "integer" | "text" | "bytes";
}

export interface Table {
  readonly name: string;
  /** The columns of the primary key first, in its order; then the others by name. */
  readonly columns: readonly Column[];
  readonly keyLength: number;
}

export interface Statement {
  readonly sql: string;
  readonly values?: Row;
}

/** How statements reach a database. */
export interface SqlRunner {
  /** Rows of texts and nulls: the statement converts other values. */
  query(statement: Statement): Promise<readonly Row[]>;
  /** All statements take effect, or none. */
  batch(statements: readonly Statement[]): Promise<void>;
  close(): Promise<void>;
}

/** A part of the schema that a copy takes off and restores: a trigger, an index, a foreign key. */
export interface Part {
  readonly remove: string;
  readonly restore: string;
}

/** What differs between the engines. Parameters are `?1`, `?2` in every text. */
export interface Engine {
  readonly name: "D1" | "PostgreSQL";
  tables(runner: SqlRunner): Promise<readonly Table[]>;
  /** The next rows in the order of the key, at most `rows` and about `bytes`; none at the end of the table. */
  pageSql(table: Table, from: "start" | "after", limits: PageLimits): string;
  /** A text in the form in which the engine stores it. */
  stored(text: string): string;
  /** Inserts or replaces the rows in ?1, a JSON array of arrays. */
  writeSql(table: Table): string;
  /** Deletes the rows with the keys in ?1. */
  removeSql(table: Table): string;
  /**
   * Triggers would write rows that are copied too, and uniqueness would refuse rows while others still wait for their change.
   *
   * @param forEmptyTables also the parts that slow down the writes of a whole table.
   */
  parts(runner: SqlRunner, forEmptyTables: boolean): Promise<readonly Part[]>;
  /** The last number that each table with automatic numbers has given, including those of deleted rows. */
  lastNumbers(runner: SqlRunner): Promise<ReadonlyMap<string, bigint>>;
  /** Later rows of the table get higher numbers. */
  setLastNumber(table: string, last: bigint): readonly Statement[];
  /** False if another copy into this database is running. */
  lock(runner: SqlRunner): Promise<boolean>;
  /** For the query planner, after a copy. */
  readonly afterCopy: readonly string[];
}

export interface PageLimits {
  readonly rows: number;
  readonly bytes: number;
}

export interface Database {
  /** In words, without a password. */
  readonly place: string;
  readonly engine: Engine;
  readonly runner: SqlRunner;
}

/** A page fits into one parameter of a D1 statement, which is limited to 2 MB, even if JSON escapes its quotes. */
const PAGE: PageLimits = { rows: 500, bytes: 600_000 };

export async function readPage({ engine, runner }: Database, table: Table, after?: Row): Promise<readonly Row[]> {
  const sql = engine.pageSql(table, after === undefined ? "start" : "after", PAGE);
  return runner.query({ sql, values: (after ?? []).map((value) => (value === null ? null : engine.stored(value))) });
}

/** Rows as a parameter of a statement. */
export function jsonOf({ stored }: Engine, rows: readonly Row[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? stored(value) : value));
}

export function keyOf(table: Table, row: Row): Row {
  return row.slice(0, table.keyLength);
}

/** Columns in a text, each through `expression`. */
export function listOf(columns: readonly Column[], expression: (column: Column, index: number) => string): string {
  return columns.map(expression).join(", ");
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
