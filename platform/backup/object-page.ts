/**
 * The rows of a Durable Object, page by page, as a backup stores them and a restore writes them. It works on any of our objects,
 * because a page contains the statements that create the tables. A page is read and written without waiting, so it shows one state.
 */
import { COLUMNS_SQL, given, sqliteEngine, storedTable, VIRTUAL } from "../../shared/tables/sqlite-engine.ts";
import { listOf, quoted, type Column, type PageLimits, type Row, type Table } from "../../shared/tables/table.ts";
import { failure, success, type Result } from "../result.ts";

export interface ObjectPage {
  /** The number of the page, from 0. */
  readonly page: number;
  /** Statements that create the object's tables and indexes; on the first page. */
  readonly schema: readonly string[];
  /** The last number that each table with automatic numbers has given; on the first page. */
  readonly numbers: readonly (readonly [table: string, last: string])[];
  readonly tables: readonly Table[];
  /** Each begins with the index of its table in `tables`. */
  readonly rows: readonly (readonly [table: number, ...Row])[];
  /** Where the next page begins; null on the last page. */
  readonly next: string | null;
  /** Differs between two pages if the object was written in between. */
  readonly mark: string;
}

/** What an object remembers of the backup that it comes from. */
interface Origin {
  readonly backup: string;
  /** A backup reads an object again if it changed between two pages. */
  readonly attempt: number;
  /** Pages that are written. */
  readonly pages: number;
  readonly isDone: boolean;
}

/** A page of an object, with its place in the backup. */
export interface RestoredPage extends Omit<ObjectPage, "next" | "mark"> {
  readonly backup: string;
  readonly attempt: number;
  readonly isLast: boolean;
}

type Storage = Pick<DurableObjectStorage, "sql" | "kv" | "transactionSync">;

const PAGE: PageLimits = { rows: 500, bytes: 600_000 };
/** The key of an object's Origin. */
const ORIGIN = "backup-origin";

const CREATES = /^CREATE (?:TABLE|VIRTUAL TABLE|INDEX|UNIQUE INDEX) [^;]*$/i;

/** Connections end with the server, so their tables start empty. */
const isKept = (name: string): boolean => !name.startsWith("socketio_");

/** A page; undefined if the object stores nothing. `instance` names the object's instance in memory. */
export function exportPage(storage: Storage, instance: string, cursor: string | null): ObjectPage | undefined {
  const { sql } = storage;
  const { tables, schema } = describe(sql);
  if (tables.length === 0) return undefined;
  const from = cursor === null ? { page: 0, table: 0, after: undefined } : parseCursor(cursor);
  const rows: [number, ...Row][] = [];
  let [bytes, after] = [0, from.after];
  let at = from.table;
  while (at < tables.length && bytes < PAGE.bytes && rows.length < PAGE.rows) {
    const table = tables[at];
    if (table === undefined) break;
    const text = sqliteEngine.pageSql(table, after === undefined ? "start" : "after", PAGE);
    const found = [...sql.exec(text, ...(after ?? [])).raw()] as unknown as Row[];
    for (const row of found) {
      rows.push([at, ...row]);
      bytes += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    }
    after = found.at(-1)?.slice(0, table.keyLength);
    if (after === undefined) at += 1;
  }
  const next = at < tables.length ? JSON.stringify({ page: from.page + 1, table: at, after }) : null;
  const { changes } = sql.exec<{ changes: number }>("SELECT total_changes() AS changes").one();
  const isFirst = cursor === null;
  return {
    page: from.page,
    schema: isFirst ? schema : [],
    numbers: isFirst ? numbersOf(sql) : [],
    tables,
    rows,
    next,
    mark: `${instance}:${changes}`,
  };
}

interface Cursor {
  readonly page: number;
  readonly table: number;
  readonly after: Row | undefined;
}

function parseCursor(text: string): Cursor {
  const { page, table, after } = JSON.parse(text) as Cursor;
  return { page, table, after };
}

/** The tables whose rows are stored, and the statements that create everything. */
function describe(sql: SqlStorage): { readonly tables: readonly Table[]; readonly schema: readonly string[] } {
  const rows = ([...sql.exec(COLUMNS_SQL).raw()] as unknown as Row[]).filter(([name]) => isKept(name ?? ""));
  const indexes = new Set(rows.flatMap(([name, text]) => (VIRTUAL.test(text ?? "") ? [name ?? ""] : [])));
  const isOwn = (name: string): boolean => ![...indexes].some((index) => name.startsWith(`${index}_`));
  const names = [...new Set(rows.map(([name]) => name ?? ""))].filter(isOwn);
  const tables = names
    .filter((name) => !indexes.has(name))
    .map((name) => {
      const own = rows.filter(([table]) => table === name);
      const hasKey = own.some(([, , , , place]) => place !== "0");
      return storedTable(name, hasKey ? own : [[name, "", "rowid", "INTEGER", "1"], ...own]);
    });
  const parts = sql
    .exec<{ name: string; tbl_name: string; sql: string }>(
      `SELECT name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
       AND name NOT GLOB '_cf_*' ORDER BY CASE type WHEN 'table' THEN 0 ELSE 1 END, rowid`,
    )
    .toArray();
  const schema = parts.filter((part) => isKept(part.tbl_name) && isOwn(part.tbl_name)).map((part) => part.sql);
  return { tables, schema };
}

function numbersOf(sql: SqlStorage): readonly (readonly [string, string])[] {
  const known = sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").toArray();
  if (known.length === 0) return [];
  const rows = sql.exec<{ name: string; seq: string }>("SELECT name, CAST(seq AS TEXT) AS seq FROM sqlite_sequence");
  return rows
    .toArray()
    .filter(({ name }) => isKept(name))
    .map(({ name, seq }) => [name, seq] as const);
}

/**
 * Writes a page. A page that was written before changes nothing, even if the object has changed since.
 *
 * @param derived statements that fill indexes from the rows, after the last page.
 * @returns whether the object is complete.
 */
export function importPage(storage: Storage, given: RestoredPage, derived: readonly string[]): Result<boolean, string> {
  return storage.transactionSync(() => {
    const known = storage.kv.get<Origin>(ORIGIN);
    const origin = known?.backup === given.backup ? known : undefined;
    if (origin === undefined && (known !== undefined || hasRows(storage.sql)))
      return failure("it has data that is not from this backup; restore into an empty installation");
    if (origin?.isDone === true || (origin !== undefined && given.attempt < origin.attempt)) return success(true);
    const isNew = origin === undefined || given.attempt > origin.attempt;
    const pages = isNew ? 0 : origin.pages;
    if (given.page < pages) return success(false);
    if (given.page > pages) return failure(`page ${pages} comes next, not ${given.page}`);
    if (!given.schema.every((statement) => CREATES.test(statement)))
      return failure("its schema has a statement that creates no table or index");
    if (isNew) create(storage.sql, given);
    write(storage.sql, given);
    if (given.isLast) for (const statement of derived) storage.sql.exec(statement);
    const { backup, attempt } = given;
    storage.kv.put<Origin>(ORIGIN, { backup, attempt, pages: pages + 1, isDone: given.isLast });
    return success(given.isLast);
  });
}

function hasRows(sql: SqlStorage): boolean {
  return describe(sql).tables.some(
    ({ name }) => sql.exec(`SELECT 1 FROM ${quoted(name)} LIMIT 1`).toArray().length > 0,
  );
}

function create(sql: SqlStorage, { schema, numbers }: RestoredPage): void {
  const tables = sql
    .exec<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
    )
    .toArray();
  const indexes = tables.filter((table) => VIRTUAL.test(table.sql)).map(({ name }) => name);
  // The tables of a full-text index go with it.
  const own = tables.filter(({ name }) => !indexes.some((index) => name.startsWith(`${index}_`)));
  for (const { name } of own) sql.exec(`DROP TABLE ${quoted(name)}`);
  for (const statement of schema) sql.exec(statement);
  for (const [table, last] of numbers)
    sql.exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, CAST(?2 AS INTEGER))", table, last);
}

function write(sql: SqlStorage, { tables, rows }: RestoredPage): void {
  const statements = tables.map(({ name, columns }) => {
    const places = listOf(columns, ({ kind }: Column, index) => given(kind, `?${index + 1}`));
    return `INSERT INTO ${quoted(name)} (${listOf(columns, (column) => quoted(column.name))}) VALUES (${places})`;
  });
  for (const [table, ...values] of rows) sql.exec(statements[table] ?? "", ...values);
}
