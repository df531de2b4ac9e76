/** PostgreSQL, in the first schema of the connection's search path. */
import { withoutNul } from "../../shared/postgres-nul.ts";
import { isCopied } from "./copied-tables.ts";
import {
  listOf,
  quoted,
  type Column,
  type Engine,
  type Part,
  type Row,
  type SqlRunner,
  type Table,
} from "./database.ts";

export const postgresEngine: Engine = {
  name: "PostgreSQL",

  async tables(runner) {
    const rows = await runner.query({
      sql: `SELECT tables.relname::text, columns.attname::text, format_type(columns.atttypid, NULL),
              coalesce(array_position(string_to_array(keys.indkey::text, ' '), columns.attnum::text), 0)::text
            FROM pg_class AS tables
            JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum > 0
              AND NOT columns.attisdropped AND columns.attgenerated = ''
            LEFT JOIN pg_index AS keys ON keys.indrelid = tables.oid AND keys.indisprimary
            WHERE tables.relkind IN ('r', 'p') AND NOT tables.relispartition
              AND tables.relnamespace = current_schema()::regnamespace
            ORDER BY tables.relname, columns.attnum`,
    });
    const names = new Set(rows.map(([name]) => name ?? "").filter(isCopied));
    return [...names].map((name) =>
      tableOf(
        name,
        rows.filter(([table]) => table === name),
      ),
    );
  },

  pageSql(table, from, { rows, bytes }) {
    const key = table.columns.slice(0, table.keyLength);
    const names = listOf(key, (column) => ordered(column));
    // With its table: a bare name would be the printed text.
    const numbers = listOf(key, (column) => ordered(column, "sized_rows."));
    const start = `(${names}) > (${listOf(key, ({ kind }, index) => given(kind, `?${index + 1}::text`))})`;
    const sizes = table.columns.map(({ name }) => `coalesce(octet_length(${quoted(name)}::text), 0)`).join(" + ");
    return `SELECT ${listOf(table.columns, printed)} FROM (
      SELECT *, sum(row_size) OVER (ORDER BY ${names} ROWS UNBOUNDED PRECEDING) AS size_so_far FROM (
        SELECT ${listOf(table.columns, ({ name }) => quoted(name))}, ${sizes} AS row_size FROM ${quoted(table.name)}
        ${from === "after" ? `WHERE ${start}` : ""} ORDER BY ${names} LIMIT ${rows}
      ) AS next_rows
    ) AS sized_rows WHERE size_so_far <= ${bytes} OR size_so_far = row_size ORDER BY ${numbers}`;
  },

  stored: withoutNul,

  writeSql({ name, columns, keyLength }) {
    const [key, others] = [columns.slice(0, keyLength), columns.slice(keyLength)];
    const changes = listOf(others, (column) => `${quoted(column.name)} = excluded.${quoted(column.name)}`);
    return `INSERT INTO ${quoted(name)} (${listOf(columns, (column) => quoted(column.name))}) OVERRIDING SYSTEM VALUE
      SELECT ${listOf(columns, ({ kind }, index) => given(kind, `(value ->> ${index})`))}
      FROM jsonb_array_elements(?1::jsonb) AS given_rows (value)
      ON CONFLICT (${listOf(key, (column) => quoted(column.name))})
      DO ${others.length === 0 ? "NOTHING" : `UPDATE SET ${changes}`}`;
  },

  removeSql({ name, columns, keyLength }) {
    const key = columns.slice(0, keyLength);
    return `DELETE FROM ${quoted(name)} WHERE (${listOf(key, (column) => quoted(column.name))})
      IN (SELECT ${listOf(key, ({ kind }, index) => given(kind, `(value ->> ${index})`))}
          FROM jsonb_array_elements(?1::jsonb) AS given_rows (value))`;
  },

  parts: readParts,

  async lastNumbers(runner) {
    const owned = await runner.query({ sql: `${OWNED_SEQUENCES} ORDER BY 1` });
    const last = new Map<string, bigint>();
    for (const [table, column, sequence] of owned) {
      const [row] = await runner.query({
        sql: `SELECT greatest(
            (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}),
            (SELECT max(${quoted(column ?? "")}) FROM ${quoted(table ?? "")}), 0)::text`,
      });
      last.set(table ?? "", BigInt(row?.[0] ?? "0"));
    }
    return last;
  },

  setLastNumber: (table, last) => [
    {
      sql: `SELECT setval(owned.sequence_name::regclass, greatest(?2::bigint, 1), ?2::bigint > 0)
        FROM (${OWNED_SEQUENCES}) AS owned (table_name, column_name, sequence_name) WHERE owned.table_name = ?1`,
      values: [table, String(last)],
    },
  ],

  async lock(runner) {
    const [row] = await runner.query({ sql: `SELECT pg_try_advisory_lock(${COPY_LOCK})::text` });
    return row?.[0] === "true";
  },

  afterCopy: ["ANALYZE"],
};

/** Any number that no other program of this project takes; held until the connection ends. */
const COPY_LOCK = 7_305_002;

/** The columns with automatic numbers. */
const OWNED_SEQUENCES = `SELECT tables.relname::text, columns.attname::text,
    pg_get_serial_sequence(quote_ident(tables.relname), columns.attname)
  FROM pg_class AS tables JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum > 0
  WHERE tables.relkind = 'r' AND tables.relnamespace = current_schema()::regnamespace
    AND NOT columns.attisdropped
    AND pg_get_serial_sequence(quote_ident(tables.relname), columns.attname) IS NOT NULL`;

/** SQLite numbers the rows of every table itself; where a statement uses these numbers, PostgreSQL has a column that does. */
const HIDDEN_NUMBER = "rowid";

/** Rows are: table, column, its type, its place in the primary key or 0. */
function tableOf(name: string, rows: readonly Row[]): Table {
  const place = ([, , , key]: Row): number => Number(key);
  const key = rows.filter((row) => place(row) > 0).toSorted((one, other) => place(one) - place(other));
  if (key.length === 0) throw new Error(`the table ${name} has no primary key, so it cannot be copied in order`);
  const others = rows.filter((row) => place(row) === 0 && row[1] !== HIDDEN_NUMBER);
  const byName = others.toSorted(([, one], [, other]) => ((one ?? "") < (other ?? "") ? -1 : 1));
  const columns = [...key, ...byName].map(([, column, type]) => ({
    name: column ?? "",
    kind: kindOf(name, column, type),
  }));
  return { name, keyLength: key.length, columns };
}

const kinds: Readonly<Record<string, Column["kind"]>> = {
  bigint: "integer",
  integer: "integer",
  smallint: "integer",
  text: "text",
  bytea: "bytes",
};

function kindOf(table: string, column: string | null | undefined, type: string | null | undefined): Column["kind"] {
  const kind = kinds[type ?? ""];
  if (kind === undefined) throw new Error(`${table}.${column} has the type ${type}, which this command does not know`);
  return kind;
}

/** Bytes decide the order, as in SQLite, whatever the database's collation. */
function ordered({ name, kind }: Column, table = ""): string {
  return `${table}${quoted(name)}${kind === "text" ? ' COLLATE "C"' : ""}`;
}

function printed({ name, kind }: Column): string {
  if (kind === "text") return quoted(name);
  return kind === "integer" ? `${quoted(name)}::text` : `encode(${quoted(name)}, 'hex')`;
}

/** A text as a value of the column. */
function given(kind: Column["kind"], text: string): string {
  if (kind === "text") return text;
  return kind === "integer" ? `${text}::bigint` : `decode(${text}, 'hex')`;
}

/** Foreign keys first, because they depend on unique constraints; a copy restores the parts in the opposite order. */
async function readParts(runner: SqlRunner, forEmptyTables: boolean): Promise<readonly Part[]> {
  const constraints = await runner.query({
    sql: `SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = current_schema()::regnamespace AND contype IN ('f', 'u') ORDER BY contype, conname`,
  });
  const indexes = await runner.query({
    sql: `SELECT indexes.indexrelid::regclass::text, pg_get_indexdef(indexes.indexrelid)
      FROM pg_index AS indexes JOIN pg_class AS tables ON tables.oid = indexes.indrelid
      WHERE tables.relnamespace = current_schema()::regnamespace AND NOT indexes.indisprimary
        AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexes.indexrelid)
        AND (indexes.indisunique OR ${forEmptyTables}) ORDER BY 1`,
  });
  const triggers = await runner.query({
    sql: `SELECT tgrelid::regclass::text, quote_ident(tgname) FROM pg_trigger
      JOIN pg_class AS tables ON tables.oid = tgrelid
      WHERE tables.relnamespace = current_schema()::regnamespace AND tables.relkind = 'r'
        AND NOT tgisinternal AND tgenabled = 'O' ORDER BY 1, 2`,
  });
  return [
    ...triggers.map(([table, trigger]) => ({
      remove: `ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`,
      restore: `ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`,
    })),
    ...constraints.map(([table, name, definition]) => ({
      remove: `ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name ?? "")}`,
      restore: `ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name ?? "")} ${definition}`,
    })),
    ...indexes.map(([name, definition]) => ({ remove: `DROP INDEX ${name}`, restore: definition ?? "" })),
  ];
}
