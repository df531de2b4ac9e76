/** The one row of a session: its owner and its record in `GET /sessions`. No row, no session. */
import { hasSchema, migrate, type ObjectStorage } from "../schema.ts";
import { parseStoredJson } from "../../workers/platform/json.ts";
import { sessionRecord, type SessionRecord } from "../../protocol/records.ts";
import { migrations } from "./schema.ts";

export interface SessionStore {
  /** The owner's DID, or nothing for a session that was never created. */
  owner(): string | undefined;
  record(): SessionRecord;
  create(owner: string, record: SessionRecord): void;
  update(change: Pick<SessionRecord, "title">): void;
  /** The storage is being erased: from here on there is no session, whatever is still to be read. */
  forget(): void;
}

export function createSessionStore(storage: ObjectStorage): SessionStore {
  const { sql } = storage;
  let known: { readonly owner: string; readonly record: SessionRecord } | undefined;
  let erased = false;

  function load(): typeof known {
    if (known !== undefined || erased || !hasSchema(sql)) return known;
    migrate(storage, migrations);
    const row = sql.exec<{ owner: string; record: string }>("SELECT owner, record FROM session").toArray()[0];
    if (row !== undefined) known = { owner: row.owner, record: parseStoredJson(sessionRecord, row.record, "session") };
    return known;
  }

  return {
    owner: () => load()?.owner,
    record: () => {
      const session = load();
      if (session === undefined) throw new Error("the session has no row");
      return session.record;
    },
    create: (owner, record) => {
      migrate(storage, migrations);
      sql.exec("INSERT INTO session (id, owner, record) VALUES (1, ?, ?)", owner, JSON.stringify(record));
      known = { owner, record };
      erased = false;
    },
    update: (change) => {
      const session = load();
      if (session === undefined) throw new Error("the session has no row");
      const record = { ...session.record, ...change };
      sql.exec("UPDATE session SET record = ?", JSON.stringify(record));
      known = { owner: session.owner, record };
    },
    forget: () => {
      known = undefined;
      erased = true;
    },
  };
}
