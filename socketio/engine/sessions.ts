/**
 * Engine.IO sessions in SQLite, and the packets buffered for a polling client's next request. The heartbeat of a websocket
 * session is in its attachment (websockets.ts), because it changes with every ping.
 */
import type { HandshakeRequest } from "../application.ts";
import { least, readHandshakeRequest } from "../database.ts";
import type { TransportName } from "../options.ts";

export interface Session {
  readonly sid: string;
  readonly transport: TransportName;
  readonly request: HandshakeRequest;
  /** Polling only: when the next ping is due, Unix milliseconds. */
  readonly pingDueAt: number;
  /** Polling only: when a pinged client times out. For a closing session, the time at which it is deleted. */
  readonly pongBy: number | undefined;
  /** Closed, but its last packets have not been fetched. */
  readonly closing: boolean;
}

type Row = {
  sid: string;
  transport: TransportName;
  request: string;
  ping_due_at: number | null;
  pong_by: number | null;
  closing: number;
};

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(sql: SqlStorage) {
  function select(where: string, ...values: readonly SqlStorageValue[]): readonly Session[] {
    const columns = "sid, transport, request, ping_due_at, pong_by, closing";
    return sql
      .exec<Row>(`SELECT ${columns} FROM socketio_sessions WHERE ${where}`, ...values)
      .toArray()
      .map((row) => ({
        sid: row.sid,
        transport: row.transport,
        request: readHandshakeRequest(row.request),
        pingDueAt: row.ping_due_at ?? 0,
        pongBy: row.pong_by ?? undefined,
        closing: row.closing === 1,
      }));
  }

  function ids(where: string, ...values: readonly SqlStorageValue[]): readonly string[] {
    return sql
      .exec<{ sid: string }>(`SELECT sid FROM socketio_sessions WHERE ${where}`, ...values)
      .toArray()
      .map(({ sid }) => sid);
  }

  function buffered(sid: string): readonly string[] {
    return sql
      .exec<{ packet: string }>("SELECT packet FROM socketio_poll_buffer WHERE sid = ? ORDER BY position", sid)
      .toArray()
      .map(({ packet }) => packet);
  }

  return {
    insert({ sid, transport, request, pingDueAt }: Omit<Session, "pongBy" | "closing">): void {
      sql.exec(
        `INSERT INTO socketio_sessions (sid, transport, request, opened_at, empty_since, ping_due_at)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5)`,
        sid,
        transport,
        JSON.stringify(request),
        request.openedAt,
        transport === "polling" ? pingDueAt : null,
      );
    },

    find: (sid: string) => select("sid = ?", sid)[0],

    /** Without closing ones. */
    count: () =>
      sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM socketio_sessions WHERE closing = 0").one().count,
    openIds: (transport?: TransportName) =>
      ids("closing = 0 AND transport = COALESCE(?, transport)", transport ?? null),
    closingIds: () => ids("closing = 1"),

    remove(sid: string): void {
      sql.exec("DELETE FROM socketio_sessions WHERE sid = ?", sid);
      sql.exec("DELETE FROM socketio_poll_buffer WHERE sid = ?", sid);
    },

    /** Stores what is buffered until it is fetched, at most until `deleteAt`. */
    startClosing(sid: string, deleteAt: number): void {
      sql.exec(
        "UPDATE socketio_sessions SET closing = 1, empty_since = NULL, pong_by = ? WHERE sid = ?",
        deleteAt,
        sid,
      );
    },

    upgrade(sid: string): void {
      sql.exec(
        "UPDATE socketio_sessions SET transport = 'websocket', ping_due_at = NULL, pong_by = NULL WHERE sid = ?",
        sid,
      );
    },

    setHeartbeat(sid: string, pingDueAt: number, pongBy: number | undefined): void {
      sql.exec(
        "UPDATE socketio_sessions SET ping_due_at = ?, pong_by = ? WHERE sid = ? AND closing = 0",
        pingDueAt,
        pongBy ?? null,
        sid,
      );
    },

    /** Polling sessions whose pong is overdue at `now`, or whose ping is due by `pingBy`. */
    due: (now: number, pingBy: number) =>
      select("transport = 'polling' AND (pong_by <= ? OR (pong_by IS NULL AND ping_due_at <= ?))", now, pingBy),
    nextDeadline: () =>
      least(
        sql,
        "SELECT MIN(COALESCE(pong_by, ping_due_at)) AS least FROM socketio_sessions WHERE transport = 'polling'",
      ),

    /** Since when the session has been in no namespace; undefined: it is in one. */
    setEmptySince(sid: string, since: number | undefined): void {
      sql.exec("UPDATE socketio_sessions SET empty_since = ? WHERE sid = ?", since ?? null, sid);
    },
    emptySince: (at: number) => ids("empty_since <= ?", at),
    longestEmpty: () => least(sql, "SELECT MIN(empty_since) AS least FROM socketio_sessions"),

    buffer(sid: string, packet: string): void {
      sql.exec("INSERT INTO socketio_poll_buffer (sid, packet) VALUES (?, ?)", sid, packet);
    },
    buffered,
    bufferedSize: (sid: string) =>
      sql
        .exec<{ size: number }>("SELECT TOTAL(LENGTH(packet)) AS size FROM socketio_poll_buffer WHERE sid = ?", sid)
        .one().size,
    takeBuffered(sid: string): readonly string[] {
      const packets = buffered(sid);
      if (packets.length > 0) sql.exec("DELETE FROM socketio_poll_buffer WHERE sid = ?", sid);
      return packets;
    },
  };
}
