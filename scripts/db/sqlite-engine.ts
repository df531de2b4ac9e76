/** D1: SQLite, over a local file or over Cloudflare's API. */
import { listOf, quoted, type Column, type Engine, type Row, type Table } from "./database.ts";
import { isCopied } from "./copied-tables.ts";

const NUMBERED = /^CREATE TABLE .*\bAUTOINCREMENT\b/is;
const VIRTUAL = /^CREATE VIRTUAL TABLE/i;

export const sqliteEngine: Engine = {
  name: "D1",

  async tables(runner) {
    const rows = await runner.query({
      sql: `SELECT tables.name, tables.sql, columns.name, columns.type, CAST(columns.pk AS TEXT)
            FROM (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\') AS tables
            JOIN pragma_table_info(tables.name) AS columns ORDER BY tables.name, columns.cid`,
    });
    const virtual = new Set(rows.flatMap(([name, sql]) => (VIRTUAL.test(sql ?? "") ? [name ?? ""] : [])));
    // A full-text index keeps its content in separate tables.
    const isShadow = (name: string): boolean => [...virtual].some((index) => name.startsWith(`${index}_`));
    const names = new Set(rows.map(([name]) => name ?? "").filter((name) => isCopied(name) && !isShadow(name)));
    return [...names].map((name) => {
      const own = rows.filter(([table]) => table === name);
      return virtual.has(name) ? indexTable(name, own) : storedTable(name, own);
    });
  },

  pageSql(table, from, { rows, bytes }) {
    const key = table.columns.slice(0, table.keyLength);
    const names = listOf(key, ({ name }) => quoted(name));
    const start = `(${names}) > (${listOf(key, ({ kind }, index) => given(kind, `?${index + 1}`))})`;
    const sizes = table.columns.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 0)`).join(" + ");
    return `SELECT ${listOf(table.columns, printed)} FROM (
      SELECT *, sum(row_size) OVER (ORDER BY ${names} ROWS UNBOUNDED PRECEDING) AS size_so_far FROM (
        SELECT ${listOf(table.columns, ({ name }) => quoted(name))}, ${sizes} AS row_size FROM ${quoted(table.name)}
        ${from === "after" ? `WHERE ${start}` : ""} ORDER BY ${names} LIMIT ${rows}
      )
    ) AS sized_rows WHERE size_so_far <= ${bytes} OR size_so_far = row_size ORDER BY ${listOf(key, ({ name }) => `sized_rows.${quoted(name)}`)}`;
  },

  stored: (text) => text,

  // REPLACE also removes a row that holds a unique value of the new one: its own change comes later in the copy.
  writeSql: ({ name, columns }) =>
    `INSERT OR REPLACE INTO ${quoted(name)} (${listOf(columns, (column) => quoted(column.name))})
     SELECT ${listOf(columns, ({ kind }, index) => given(kind, `value ->> ${index}`))} FROM json_each(?1)`,

  removeSql({ name, columns, keyLength }) {
    const key = columns.slice(0, keyLength);
    return `DELETE FROM ${quoted(name)} WHERE (${listOf(key, (column) => quoted(column.name))})
      IN (SELECT ${listOf(key, ({ kind }, index) => given(kind, `value ->> ${index}`))} FROM json_each(?1))`;
  },

  async parts(runner) {
    const rows = await runner.query({
      sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
    });
    return rows.map(([name, sql]) => ({ remove: `DROP TRIGGER ${quoted(name ?? "")}`, restore: sql ?? "" }));
  },

  async lastNumbers(runner) {
    const tables = await runner.query({ sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'" });
    // A table without AUTOINCREMENT continues after its highest number.
    const numbered = tables.flatMap(([name, sql]) =>
      isCopied(name ?? "") && NUMBERED.test(sql ?? "") ? [name ?? ""] : [],
    );
    if (numbered.length === 0) return new Map();
    const rows = await runner.query({ sql: "SELECT name, CAST(seq AS TEXT) FROM sqlite_sequence" });
    const last = new Map(rows.map(([name, number]) => [name, number]));
    return new Map(numbered.map((name) => [name, BigInt(last.get(name) ?? "0")]));
  },

  setLastNumber: (table, last) => [
    {
      sql: `INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)`,
      values: [table],
    },
    {
      sql: "UPDATE sqlite_sequence SET seq = max(seq, CAST(?2 AS INTEGER)) WHERE name = ?1",
      values: [table, String(last)],
    },
  ],

  // A local file has one user, and the API offers no lock.
  lock: () => Promise.resolve(true),

  afterCopy: [],
};

function printed({ name, kind }: Column): string {
  if (kind === "text") return quoted(name);
  if (kind === "integer") return `CAST(${quoted(name)} AS TEXT)`;
  return `CASE WHEN ${quoted(name)} IS NOT NULL THEN lower(hex(${quoted(name)})) END`;
}

/** A text as a value of the column. */
function given(kind: Column["kind"], text: string): string {
  if (kind === "text") return text;
  return kind === "integer" ? `CAST(${text} AS INTEGER)` : `unhex(${text})`;
}

/** Rows are: table, its statement, column, its type, its place in the primary key or 0. */
function storedTable(name: string, rows: readonly Row[]): Table {
  const place = ([, , , , key]: Row): number => Number(key);
  const key = rows.filter((row) => place(row) > 0).toSorted((one, other) => place(one) - place(other));
  if (key.length === 0) throw new Error(`the table ${name} has no primary key, so it cannot be copied in order`);
  const others = rows.filter((row) => place(row) === 0);
  const columns = [...key, ...others.toSorted((one, other) => compareNames(nameOf(one), nameOf(other)))];
  return { name, keyLength: key.length, columns: columns.map((row) => ({ name: nameOf(row), kind: kindOf(row) })) };
}

/** A full-text index is a table of texts by row number. */
function indexTable(name: string, rows: readonly Row[]): Table {
  const texts = rows.map(nameOf).toSorted(compareNames);
  const columns: Column[] = [
    { name: "rowid", kind: "integer" },
    ...texts.map((text) => ({ name: text, kind: "text" as const })),
  ];
  return { name, keyLength: 1, columns };
}

const nameOf = ([, , column]: Row): string => column ?? "";

function compareNames(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const kinds: Readonly<Record<string, Column["kind"]>> = { INTEGER: "integer", TEXT: "text", BLOB: "bytes" };

function kindOf([table, , column, type]: Row): Column["kind"] {
  const kind = kinds[(type ?? "").toUpperCase()];
  if (kind === undefined) throw new Error(`${table}.${column} has the type ${type}, which this command does not know`);
  return kind;
}
