/** Databases of tests for `npm run db`: a migrated SQLite file as D1 keeps it, and a migrated database of a PostgreSQL server. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Database } from "../../../shared/tables/table.ts";
import { openSqliteFile } from "../../../scripts/db/local-d1.ts";
import { postgresEngine } from "../../../shared/tables/postgres-engine.ts";
import { openPostgresRunner } from "../../../scripts/db/postgres-runner.ts";
import { sqliteEngine } from "../../../shared/tables/sqlite-engine.ts";
import { migratePostgres } from "../../../scripts/postgres/migrate.ts";

const migrations = resolve(import.meta.dirname, "../../../migrations");

/** A new file with the tables of all migrations, empty. */
export function migratedFile(folder: string, name: string): string {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("BEGIN");
  const names = readdirSync(migrations).filter((each) => each.endsWith(".sql"));
  for (const each of names.toSorted()) database.exec(readFileSync(join(migrations, each), "utf8"));
  database.exec("COMMIT");
  database.close();
  return file;
}

export function openFile(file: string, place = file): Database {
  return { place, engine: sqliteEngine, runner: openSqliteFile(file, "write") };
}

export async function openUrl(url: string, place = "PostgreSQL"): Promise<Database> {
  const runner = await openPostgresRunner(url);
  if (!runner.ok) throw new Error(runner.error);
  return { place, engine: postgresEngine, runner: runner.value };
}

export async function migratedUrl(url: string): Promise<Database> {
  const applied = await migratePostgres(url);
  if (!applied.ok) throw new Error(applied.error);
  return openUrl(url);
}
