/**
 * The database of a test. Tests that name no engine run on both: in the project `unit` on SQLite, as D1 has it, and in the project
 * `postgres` on a real PostgreSQL server (vitest.config.ts).
 */
import type { Database } from "../../../platform/database/database.ts";
import { isPostgres } from "./engine.ts";
import { freshPostgres } from "./fresh-postgres.ts";
import { createSqliteDatabase, registryMigrations } from "./sqlite-database.ts";

/**
 * An empty database with the tables of these files of `migrations/`; on PostgreSQL with the tables of all files. `ran` is called with
 * the text of each statement that runs.
 */
export function testDatabase(
  migrations: readonly string[] = registryMigrations,
  ran: (text: string) => void = () => undefined,
): Database {
  return isPostgres ? freshPostgres(ran) : createSqliteDatabase(migrations, ran);
}
