/** The D1 database of a local server: an SQLite file in its state folder, which a running server can continue to use while it is read. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { failure, success, type Result } from "../../platform/result.ts";
import type { Row, SqlRunner, Statement } from "../../shared/tables/table.ts";

const FOLDER = "v3/d1/miniflare-D1DatabaseObject";
/** Milliseconds: how long a read waits while the server commits. */
const BUSY_TIMEOUT = 10_000;

/** The file of the database `DATABASE`: the only one with migrations. */
export function localD1File(stateFolder: string): Result<string, string> {
  const folder = join(stateFolder, FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) : [];
  const migrated = files.map((name) => join(folder, name)).filter(hasMigrations);
  const [file, ...others] = migrated;
  if (file === undefined)
    return failure(`${stateFolder} has no D1 database: run npm start or npm run db -- migrate d1 first`);
  if (others.length > 0) return failure(`${folder} has ${migrated.length} databases: remove those that no server uses`);
  return success(file);
}

function hasMigrations(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT });
  try {
    return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get() !== undefined;
  } finally {
    database.close();
  }
}

/** @param access a target is written by this process alone. */
export function openSqliteFile(file: string, access: "read" | "write"): SqlRunner {
  const database = new DatabaseSync(file, {
    readOnly: access === "read",
    timeout: BUSY_TIMEOUT,
    // The rows of a copy arrive table by table, and the source has checked them.
    enableForeignKeyConstraints: false,
  });
  // After a power cut, the last batches can be missing, together with their progress.
  if (access === "write") database.exec("PRAGMA synchronous = NORMAL");
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    known.setReturnArrays(true);
    return known;
  };
  const run = ({ sql, values = [] }: Statement): readonly Row[] =>
    prepare(sql).all(...values) as unknown as readonly Row[];
  return {
    query: (statement) => Promise.resolve(run(statement)),
    async batch(statements) {
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const statement of statements) run(statement);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}
