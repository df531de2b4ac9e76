/** The storage of a session object: one row with the whole record, so that a step is one read and one write. */
import { hasSchema, migrate, type ObjectStorage } from "../schema.ts";
import type { SessionRecord } from "./session-record.ts";
import { readStoredRecord } from "./stored-record.ts";

const migrations: readonly string[] = [
  `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    record TEXT NOT NULL
  );
  `,
];

export interface SessionStore {
  /** Nothing for an object that was only asked; asking leaves no trace. */
  read(): SessionRecord | undefined;
  write(record: SessionRecord): void;
  /** The storage was emptied. */
  forget(): void;
}

export function createSessionStore(storage: ObjectStorage): SessionStore {
  const { sql } = storage;
  let ready = false;
  /** Of this life of the object; undefined before the first look. */
  let known: { readonly record: SessionRecord | undefined } | undefined;

  function load(): SessionRecord | undefined {
    if (!ready && !hasSchema(sql)) return undefined;
    prepare();
    const row = sql.exec<{ record: string }>("SELECT record FROM session WHERE id = 1").toArray()[0];
    return row && readStoredRecord(row.record);
  }

  function prepare(): void {
    if (!ready) migrate(storage, migrations);
    ready = true;
  }

  return {
    read() {
      known ??= { record: load() };
      return known.record;
    },
    write(record) {
      prepare();
      sql.exec(
        "INSERT INTO session (id, record) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
        JSON.stringify(record),
      );
      known = { record };
    },
    forget() {
      ready = false;
      known = undefined;
    },
  };
}
