/**
 * Tables of a socket server within the storage of its object (docs/storage.md). They are made by the first handshake,
 * so that merely asking an object leaves no trace, and dropped by `closeAll`.
 */
import type { ServerPorts } from "./ports.ts";

type Storage = ServerPorts["storage"];

/** Forward-only: a script that has shipped is never changed. */
const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE socketio_sessions (
  sid TEXT PRIMARY KEY,
  transport TEXT NOT NULL,
  request TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  empty_since INTEGER,
  ping_due_at INTEGER,
  pong_by INTEGER,
  closing INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE socketio_poll_buffer (position INTEGER PRIMARY KEY, sid TEXT NOT NULL, packet TEXT NOT NULL);
CREATE INDEX socketio_poll_buffer_by_session ON socketio_poll_buffer (sid, position);
CREATE TABLE socketio_sockets (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  sid TEXT NOT NULL,
  namespace TEXT NOT NULL,
  pid TEXT UNIQUE,
  identity TEXT,
  data TEXT NOT NULL,
  request TEXT NOT NULL,
  connected_at INTEGER NOT NULL,
  connected_offset INTEGER NOT NULL,
  lost_at INTEGER
);
CREATE INDEX socketio_sockets_by_session ON socketio_sockets (sid, namespace);
CREATE TABLE socketio_rooms (
  namespace TEXT NOT NULL,
  room TEXT NOT NULL,
  socket_id TEXT NOT NULL,
  joined_offset INTEGER NOT NULL,
  PRIMARY KEY (namespace, room, socket_id)
) WITHOUT ROWID;
CREATE INDEX socketio_rooms_by_socket ON socketio_rooms (socket_id);
CREATE TABLE socketio_acks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  socket_id TEXT NOT NULL,
  handler TEXT NOT NULL,
  context TEXT,
  due_at INTEGER NOT NULL
);
CREATE INDEX socketio_acks_by_socket ON socketio_acks (socket_id);
CREATE TABLE socketio_partials (sid TEXT PRIMARY KEY, header TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE socketio_partial_parts (position INTEGER PRIMARY KEY, sid TEXT NOT NULL, bytes BLOB NOT NULL);
CREATE INDEX socketio_partial_parts_by_session ON socketio_partial_parts (sid, position);
CREATE TABLE socketio_events (
  event_offset INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  rooms TEXT,
  except_rooms TEXT,
  payload TEXT NOT NULL,
  size INTEGER NOT NULL
);
CREATE TABLE socketio_dropped_events (through_offset INTEGER NOT NULL);
`,
];

const TABLES = [
  "sessions",
  "poll_buffer",
  "sockets",
  "rooms",
  "acks",
  "partials",
  "partial_parts",
  "events",
  "dropped_events",
  "version",
] as const;

export function hasTables(sql: SqlStorage): boolean {
  return (
    sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'socketio_version'").toArray().length > 0
  );
}

export function makeTables(storage: Storage): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS socketio_version (version INTEGER NOT NULL)");
    const { version } = sql
      .exec<{ version: number }>("SELECT COALESCE(MAX(version), 0) AS version FROM socketio_version")
      .one();
    for (const script of MIGRATIONS.slice(version)) sql.exec(script);
    sql.exec("DELETE FROM socketio_version");
    sql.exec("INSERT INTO socketio_version (version) VALUES (?)", MIGRATIONS.length);
  });
}

export function dropTables(storage: Storage): void {
  storage.transactionSync(() => {
    for (const table of TABLES) storage.sql.exec(`DROP TABLE IF EXISTS socketio_${table}`);
  });
}
