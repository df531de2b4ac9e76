/**
 * D1 over Node's own SQLite, so that unit tests run the real SQL at full speed: prepared statements with their bindings, `first`,
 * `all`, `run` and `batch` as one transaction. Tests inside workerd cover the behaviour of the real service: limits, latency,
 * sessions.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

interface Statement {
  bind(...values: unknown[]): Statement;
  first(column?: string): Promise<unknown>;
  all(): Promise<D1Result>;
  run(): Promise<D1Result>;
  /** The result of `all`, synchronously. */
  execute(): D1Result;
}

const migrationsFolder = join(import.meta.dirname, "../../../migrations");

/** Every migration of the registry, in order. */
export const registryMigrations = readdirSync(migrationsFolder)
  .filter((name) => /^\d+_(?:registry|audit)/.test(name))
  .toSorted();

/** A database with the tables of these files of `migrations/`. */
export function createSqliteDatabase(migrations: readonly string[], ran?: (text: string) => void): D1Database {
  return d1Over(sqliteWith(migrations), ran);
}

export function sqliteWith(migrations: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const name of migrations) database.exec(readFileSync(join(migrationsFolder, name), "utf8"));
  return database;
}

/** `ran` is called with the text of each statement that runs. */
export function d1Over(database: DatabaseSync, ran: (text: string) => void = () => undefined): D1Database {
  const statements = new Map<string, StatementSync>();
  const total = database.prepare("SELECT total_changes() AS total");
  const totalChanges = () => Number(total.get()?.["total"]);

  function compiled(sql: string): StatementSync {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function prepare(sql: string, values: readonly SQLInputValue[] = []): Statement {
    const execute = (): D1Result => {
      ran(sql);
      const before = totalChanges();
      const results = compiled(sql).all(...values);
      return { success: true, results, meta: { changes: totalChanges() - before } } as unknown as D1Result;
    };
    return {
      bind: (...bound) => prepare(sql, bound as SQLInputValue[]),
      execute,
      all: async () => execute(),
      run: async () => execute(),
      first: async (column) => {
        const row = execute().results[0] as Record<string, unknown> | undefined;
        return column === undefined ? (row ?? null) : (row?.[column] ?? null);
      },
    };
  }

  async function batch(statements: readonly Statement[]): Promise<D1Result[]> {
    database.exec("BEGIN");
    try {
      const results = statements.map((statement) => statement.execute());
      database.exec("COMMIT");
      return results;
    } catch (thrown) {
      // A full database has already rolled back.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw thrown;
    }
  }

  return { prepare, batch } as unknown as D1Database;
}
