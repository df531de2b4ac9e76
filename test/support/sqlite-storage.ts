/**
 * The storage of a Durable Object over Node's own SQLite, so that unit tests run the real SQL. It covers what our
 * stores use: `exec` with its cursor's `toArray`, `one` and iteration, and transactions. What only the runtime has (limits of
 * rows, output gates, alarms) is tested inside workerd.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { ObjectStorage } from "../../durable-objects/schema.ts";

export interface SqliteStorage extends ObjectStorage {
  readonly database: DatabaseSync;
  /** From here on every use throws: the object that held this storage is gone, and what it still does has no effect. */
  cutOff(): void;
}

/** A second storage over the same database is what a restarted object finds. */
export function createSqliteStorage(database = new DatabaseSync(":memory:")): SqliteStorage {
  let gone = false;

  function exec(query: string, ...bindings: SqlStorageValue[]) {
    if (gone) throw new Error("the object of this storage is gone");
    // A script of several statements has no bindings and no rows.
    const rows = /;\s*\S/.test(query) ? script(query) : database.prepare(query).all(...bindings.map(toInput));
    return {
      toArray: () => rows.map((row) => ({ ...row })),
      one: () => {
        const [only, ...more] = rows;
        if (only === undefined || more.length > 0) throw new Error(`expected one row, got ${rows.length}`);
        return { ...only };
      },
      [Symbol.iterator]: () => rows.map((row) => ({ ...row })).values(),
    };
  }

  function script(query: string): Record<string, unknown>[] {
    database.exec(query);
    return [];
  }

  return {
    database,
    sql: { exec } as unknown as SqlStorage,
    transactionSync(work) {
      exec("SAVEPOINT work");
      try {
        const value = work();
        exec("RELEASE work");
        return value;
      } catch (thrown) {
        if (!gone) database.exec("ROLLBACK TO work; RELEASE work;");
        throw thrown;
      }
    },
    cutOff() {
      gone = true;
    },
  };
}

function toInput(value: SqlStorageValue): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

/** The names of all tables that there are. */
export function tablesOf(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .all()
    .map(({ name }) => name);
}
