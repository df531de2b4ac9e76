/**
 * Forward-only migrations of an object's SQLite storage. The version is a row (Durable Objects refuse `PRAGMA
 * user_version`), and the first migration runs with the first write, so that reading an object leaves no trace.
 */
export interface ObjectStorage {
  readonly sql: SqlStorage;
  transactionSync<Value>(work: () => Value): Value;
}

/** Whether anything was ever stored here. */
export function hasSchema(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").toArray().length > 0;
}

/**
 * Migrates the storage to the newest version. Each migration is one script, which is never changed after it has
 * shipped.
 */
export function migrate(storage: ObjectStorage, migrations: readonly string[]): void {
  storage.transactionSync(() => {
    storage.sql.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
    const row = storage.sql.exec<{ version: number }>("SELECT version FROM schema_version").toArray()[0];
    const version = row?.version ?? 0;
    if (version >= migrations.length) return;
    for (const script of migrations.slice(version)) storage.sql.exec(script);
    storage.sql.exec("DELETE FROM schema_version");
    storage.sql.exec("INSERT INTO schema_version (version) VALUES (?)", migrations.length);
  });
}

/**
 * Empties the object's own tables except `kept`; its version remains. Tables of other parts have a prefix, and are
 * erased separately.
 */
export function eraseTables(storage: ObjectStorage, kept: readonly string[]): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    const tables = sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'schema_version' AND name NOT GLOB 'sqlite_*'
           AND name NOT GLOB '_cf_*' AND name NOT GLOB 'socketio_*'`,
      )
      .toArray();
    for (const { name } of tables) if (!kept.includes(name)) sql.exec(`DELETE FROM "${name}"`);
    // Numbers start at 1, as in a new object.
    sql.exec("DELETE FROM sqlite_sequence");
  });
}
