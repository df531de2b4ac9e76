/**
 * The server's tables in the storage of its object, and how stored JSON is read. The first handshake creates the tables,
 * so that a call to an unused object stores nothing; `closeAll` drops them.
 */
import * as z from "zod";
import type { HandshakeRequest } from "./application.ts";
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

export function createTables(storage: Storage): void {
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

/** The one value of a query like `SELECT MIN(…) AS least`. */
export function least(sql: SqlStorage, query: string): number | undefined {
  return sql.exec<{ least: number | null }>(query).one().least ?? undefined;
}

const handshakeRequest = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  openedAt: z.number(),
});
const textList = z.array(z.string());

/** In place of a stored request that cannot be read. */
const UNREADABLE: HandshakeRequest = { url: "about:blank", headers: {}, openedAt: 0 };

export function readHandshakeRequest(text: string): HandshakeRequest {
  return handshakeRequest.safeParse(parseJson(text)).data ?? UNREADABLE;
}

/** @returns an empty list for anything else. */
export function readTexts(text: string): readonly string[] {
  return textList.safeParse(parseJson(text)).data ?? [];
}

/** @returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
