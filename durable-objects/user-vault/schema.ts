/**
 * The tables of a user vault, described in docs/storage.md. A shipped script is never changed; a new one follows it. The table `turns`
 * counts what the code calls runs.
 */
import { hasSchema, migrate, type ObjectStorage } from "../../platform/object-schema.ts";

export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_updated_at TEXT NOT NULL,
    oracle_name TEXT NOT NULL,
    oracle_did TEXT NOT NULL,
    oracle_entity_did TEXT NOT NULL,
    room_id TEXT
  ) WITHOUT ROWID;
  CREATE INDEX sessions_newest ON sessions (last_updated_at DESC, session_id);
  CREATE TABLE delegation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL,
    expiration INTEGER,
    capabilities TEXT NOT NULL,
    stored_at INTEGER NOT NULL
  );
  CREATE TABLE reauthorisation_prompt (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    shown_at INTEGER NOT NULL
  );
  `,
  `
  CREATE TABLE sockets (
    position INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    socket_id TEXT NOT NULL,
    connected_at INTEGER NOT NULL,
    UNIQUE (session_id, socket_id)
  );
  `,
  `
  CREATE TABLE revocation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revoked_at INTEGER NOT NULL
  );
  `,
  // `requests` contains the requests that the rate limit still counts, `turns` the runs that count towards a day's
  // limits.
  `
  CREATE TABLE requests (
    leaves_at INTEGER PRIMARY KEY,
    count INTEGER NOT NULL
  );
  CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    tokens INTEGER
  ) WITHOUT ROWID;
  `,
  // `key` is UTF-16 with the higher byte first: the bytes then sort like the key's units, and any text is a valid key.
  `
  CREATE TABLE plugin_values (
    plugin TEXT NOT NULL,
    key BLOB NOT NULL,
    value TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    UNIQUE (plugin, key)
  );
  CREATE TABLE plugin_totals (
    plugin TEXT PRIMARY KEY,
    keys INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  // The index does not store the text; a row is deleted from it without the original text.
  `
  CREATE TABLE plugin_texts (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    plugin TEXT NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    details TEXT NOT NULL,
    stored_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    UNIQUE (plugin, id)
  );
  CREATE INDEX plugin_texts_newest ON plugin_texts (plugin, position);
  CREATE VIRTUAL TABLE plugin_text_words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  ALTER TABLE plugin_totals ADD COLUMN texts INTEGER NOT NULL DEFAULT 0;
  `,
  // Tokens of the day that active runs have reserved, and until when they count as active; rows of titles (`is_turn`
  // 0), and of runs that span two days.
  `
  ALTER TABLE turns ADD COLUMN reserved INTEGER;
  ALTER TABLE turns ADD COLUMN runs_until INTEGER;
  ALTER TABLE turns ADD COLUMN earlier INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN is_turn INTEGER NOT NULL DEFAULT 1;
  `,
  // CIDs of revoked delegations. `until` is in Unix seconds.
  `
  CREATE TABLE revoked_delegations (
    cid TEXT PRIMARY KEY,
    until INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  // When a value expires, in Unix milliseconds, and the R2 object that is deleted with it.
  `
  ALTER TABLE plugin_values ADD COLUMN expires_at INTEGER;
  ALTER TABLE plugin_values ADD COLUMN blob TEXT;
  CREATE INDEX plugin_values_expiry ON plugin_values (expires_at) WHERE expires_at IS NOT NULL;
  `,
];

/** The tables, created by the first write: reading a store that was never written to creates nothing. */
export interface UserVaultSchema {
  /** Creates the tables if they are missing. Called before every write. */
  prepare(): void;
  /** Whether there is anything to read. */
  written(): boolean;
}

export function createUserVaultSchema(storage: ObjectStorage): UserVaultSchema {
  let ready = false;

  function prepare(): void {
    if (!ready) migrate(storage, migrations);
    ready = true;
  }

  return {
    prepare,
    written() {
      if (!ready && hasSchema(storage.sql)) prepare();
      return ready;
    },
  };
}

/** The tables with data of the user; the others count. */
export const USER_TABLES = [
  "sessions",
  "delegation",
  "reauthorisation_prompt",
  "revocation",
  "revoked_delegations",
  "plugin_totals",
] as const;

/** Fills the index of an object that was restored without it. */
export const PLUGIN_WORDS_AGAIN = "INSERT INTO plugin_text_words (rowid, text) SELECT position, text FROM plugin_texts";
