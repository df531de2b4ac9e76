/** The deployment's database as tables whose values are texts (shared/tables/table.ts): what a backup reads and a restore writes. */
import { databaseOf, type DatabaseBindings } from "../../../platform/database/database-of.ts";
import type { Database as Statements } from "../../../platform/database/database.ts";
import { postgresEngine } from "../../../shared/tables/postgres-engine.ts";
import { sqliteEngine } from "../../../shared/tables/sqlite-engine.ts";
import { keyOf, readPage, type Database, type Row, type Table } from "../../../shared/tables/table.ts";

/** Characters of a response, about. */
const RESPONSE_SIZE = 2_000_000;

export function tablesOf(env: DatabaseBindings): Database {
  return env.HYPERDRIVE === undefined
    ? { place: "D1", engine: sqliteEngine, runner: runnerOver(databaseOf(env)) }
    : { place: "PostgreSQL", engine: postgresEngine, runner: runnerOver(databaseOf(env)) };
}

function runnerOver(database: Statements): Database["runner"] {
  return {
    query: ({ sql, values = [] }) =>
      database
        .prepare(sql)
        .bind(...values)
        .raw<Row>(),
    async batch(statements) {
      await database.batch(statements.map(({ sql, values = [] }) => database.prepare(sql).bind(...values)));
    },
    close: () => Promise.resolve(),
  };
}

interface NextRows {
  readonly rows: readonly Row[];
  /** Whether the table ends with them. */
  readonly isEnd: boolean;
}

/** The next rows behind the key `after`. */
export async function readRows(database: Database, table: Table, after: Row | undefined): Promise<NextRows> {
  const rows: Row[] = [];
  let [size, key] = [0, after];
  while (size < RESPONSE_SIZE) {
    const page = await readPage(database, table, key);
    const last = page.at(-1);
    if (last === undefined) return { rows, isEnd: true };
    for (const row of page) {
      rows.push(row);
      size += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    }
    key = keyOf(table, last);
  }
  return { rows, isEnd: false };
}

/** Tables that a deployment writes before anyone uses it. */
const upkeep = new Set([
  "audit_numbers",
  "audit_rows",
  "audit_seals",
  "registry_jobs",
  "staff_challenge_key",
  "ussd_totals_until",
]);

export function isUpkeep(table: string): boolean {
  return upkeep.has(table);
}

/** Tables that others refer to: D1 checks references while a row is written. */
const parents = ["phones", "customers"];

export function parentsFirst(one: Table, other: Table): number {
  const rank = ({ name }: Table): number => Number(!parents.includes(name));
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}
