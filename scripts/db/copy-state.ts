/**
 * The state that a copy keeps in its target while it is in progress: how far each table is, and the parts of the schema
 * that it removed. A killed copy continues from here. Both tables are removed when the copy has ended.
 */
import { PARTS, PROGRESS } from "../../shared/tables/copied-tables.ts";
import type { Database, Part, Row, Statement, Table } from "../../shared/tables/table.ts";

export interface TableProgress {
  /** The key up to which the table is copied; undefined before its first rows. */
  readonly after: Row | undefined;
  readonly isDone: boolean;
}

export interface CopyState {
  /** The place that the copy reads. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, TableProgress>;
}

/** The row of the copy itself. */
const COPY = "";

/** Undefined if no copy is in progress. */
export async function readState({ engine, runner }: Database): Promise<CopyState | undefined> {
  const rows = await runner.query({ sql: `SELECT name FROM ${catalogue[engine.name]} WHERE name = '${PROGRESS}'` });
  if (rows.length === 0) return undefined;
  const progress = await runner.query({
    sql: `SELECT table_name, position, CAST(done AS TEXT) FROM ${PROGRESS} ORDER BY table_name`,
  });
  const source = progress.find(([name]) => name === COPY)?.[1];
  if (source === undefined || source === null) return undefined;
  const tables = progress.filter(([name]) => name !== COPY);
  return {
    source,
    tables: new Map(
      tables.map(([name, position, done]) => [name ?? "", { after: keyIn(position), isDone: done === "1" }]),
    ),
  };
}

function keyIn(position: string | null | undefined): Row | undefined {
  return typeof position === "string" ? (JSON.parse(position) as Row) : undefined;
}

const catalogue = {
  D1: "sqlite_schema",
  PostgreSQL: "(SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()) AS tables",
} as const;

/** Begins a copy: from here on, the target belongs to it. */
export async function beginState(target: Database, source: string, parts: readonly Part[]): Promise<void> {
  await target.runner.batch([
    { sql: `CREATE TABLE ${PROGRESS} (table_name TEXT PRIMARY KEY, position TEXT, done INTEGER NOT NULL)` },
    { sql: `CREATE TABLE ${PARTS} (number INTEGER PRIMARY KEY, restore TEXT NOT NULL)` },
    { sql: `INSERT INTO ${PROGRESS} (table_name, position, done) VALUES ('${COPY}', ?1, 0)`, values: [source] },
    ...parts.map(({ restore }, number) => ({
      sql: `INSERT INTO ${PARTS} (number, restore) VALUES (CAST(?1 AS INTEGER), ?2)`,
      values: [String(number), restore],
    })),
    ...parts.map(({ remove }) => ({ sql: remove })),
  ]);
}

/** All tables are read again from the start; rows that are equal by now are not written. */
export function restartState(): Statement {
  return { sql: `DELETE FROM ${PROGRESS} WHERE table_name <> '${COPY}'` };
}

/** For the batch of the rows that it describes. */
export function progressOf({ name }: Table, { after, isDone }: TableProgress): Statement {
  return {
    sql: `INSERT INTO ${PROGRESS} (table_name, position, done) VALUES (?1, ?2, CAST(?3 AS INTEGER))
      ON CONFLICT (table_name) DO UPDATE SET position = excluded.position, done = excluded.done`,
    values: [name, after === undefined ? null : JSON.stringify(after), isDone ? "1" : "0"],
  };
}

/**
 * Restores the parts of the schema, the last removed first, each once.
 *
 * @returns the reason if a part does not fit the rows, because the source changed while it was read.
 */
export async function restoreParts({ runner }: Database): Promise<string | undefined> {
  const parts = await runner.query({
    sql: `SELECT CAST(number AS TEXT), restore FROM ${PARTS} ORDER BY number DESC`,
  });
  for (const [number, restore] of parts) {
    try {
      await runner.batch([
        { sql: restore ?? "" },
        { sql: `DELETE FROM ${PARTS} WHERE number = CAST(?1 AS INTEGER)`, values: [number ?? ""] },
      ]);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}

export async function endState({ runner }: Database, last: readonly Statement[]): Promise<void> {
  await runner.batch([...last, { sql: `DROP TABLE ${PARTS}` }, { sql: `DROP TABLE ${PROGRESS}` }]);
}
