/**
 * A session's values besides its runs: the one row with its owner and its record in `GET /sessions` (no row, no session), the
 * plugins that it has loaded, and the summary of its old runs.
 */
import { type SessionRecord, sessionRecord } from "../../protocol/records.ts";
import { parseStoredJson } from "../../platform/json.ts";
import { type ObjectStorage, hasSchema, migrate } from "../../platform/object-schema.ts";
import { migrations } from "./schema.ts";

export interface SessionStore {
  /** The owner's DID; undefined for a session that was never created. */
  owner(): string | undefined;
  record(): SessionRecord;
  create(owner: string, record: SessionRecord): void;
  update(change: Pick<SessionRecord, "title">): void;
  /** The storage is being erased: from here on, the session does not exist, even if rows are left. */
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

/** The agent's memory between runs besides the transcript: loaded plugins, and the summary of old runs. */
export interface Summary {
  /** The ordinal of the last run that it covers; the column is `turn`. */
  readonly run: number;
  readonly content: string;
  /** One of its runs contained text that the user did not write. */
  readonly isForeign: boolean;
}

export type SessionMemory = ReturnType<typeof createSessionMemory>;

export function createSessionMemory(sql: SqlStorage) {
  return {
    loadedPlugins: (): readonly string[] =>
      sql
        .exec<{ plugin: string }>("SELECT plugin FROM loaded_capabilities ORDER BY plugin")
        .toArray()
        .map(({ plugin }) => plugin),

    loadPlugin(plugin: string): void {
      sql.exec("INSERT OR IGNORE INTO loaded_capabilities (plugin) VALUES (?)", plugin);
    },

    summary(): Summary | undefined {
      const [row] = sql
        .exec<{ turn: number; content: string; is_foreign: number }>("SELECT turn, content, is_foreign FROM summary")
        .toArray();
      return row && { run: row.turn, content: row.content, isForeign: row.is_foreign === 1 };
    },

    setSummary({ run, content, isForeign }: Summary): void {
      sql.exec(
        "INSERT OR REPLACE INTO summary (id, turn, content, is_foreign) VALUES (1, ?, ?, ?)",
        run,
        content,
        isForeign ? 1 : 0,
      );
    },
  };
}
