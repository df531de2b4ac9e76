/**
 * The storage of a Durable Object over Node's own SQLite, so that unit tests run the real SQL. It covers what our stores use:
 * `exec` with its cursor's `toArray`, `one` and iteration, and transactions. Tests inside workerd cover the runtime's own
 * behaviour: limits of rows, output gates, alarms.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { ObjectStorage } from "../../../platform/object-schema.ts";

export interface SqliteStorage extends ObjectStorage {
  readonly database: DatabaseSync;
  /** From now on, every use throws: the object with this storage is gone, and its remaining work has no effect. */
  cutOff(): void;
}

/** A second storage over one database is the storage of a restarted object. */
export function createSqliteStorage(database = new DatabaseSync(":memory:")): SqliteStorage {
  const statements = new Map<string, StatementSync>();
  let gone = false;

  function exec(query: string, ...bindings: SqlStorageValue[]) {
    if (gone) throw new Error("the object of this storage is gone");
    // A script of several statements has no bindings and no rows.
    const rows = /;\s*\S/.test(query) ? script(query) : prepared(query).all(...bindings.map(toInput));
    for (const row of rows) bytesAsBuffers(row);
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

  function prepared(query: string): StatementSync {
    const known = statements.get(query) ?? database.prepare(query);
    statements.set(query, known);
    return known;
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

/** The runtime returns a BLOB as an ArrayBuffer. */
function bytesAsBuffers(row: Record<string, unknown>): void {
  for (const [column, value] of Object.entries(row))
    if (value instanceof Uint8Array) row[column] = value.slice().buffer;
}

function toInput(value: SqlStorageValue): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

/** The names of all tables. */
export function tablesOf(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .all()
    .map(({ name }) => name);
}
