/**
 * Engine.IO sessions in SQLite, and the packets that wait for a polling client's next request. The heartbeat of a
 * websocket session is not here but in its attachment (connections.ts): it changes with every ping.
 */
import type { OpeningRequest } from "../application.ts";
import type { TransportName } from "../options.ts";
import { readOpeningRequest } from "../stored-json.ts";

export interface Session {
  readonly sid: string;
  readonly transport: TransportName;
  readonly request: OpeningRequest;
  /** Polling only: when the next ping is due, Unix milliseconds. */
  readonly pingDueAt: number;
  /** Polling only: when a pinged client counts as gone. Of a closing session: when it is forgotten. */
  readonly pongBy: number | undefined;
  /** Closed, but its last packets still wait to be fetched. */
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

const COLUMNS = "sid, transport, request, ping_due_at, pong_by, closing";

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(sql: SqlStorage) {
  /** What waits, in order. */
  function waiting(sid: string): readonly string[] {
    return sql
      .exec<{ packet: string }>("SELECT packet FROM socketio_poll_buffer WHERE sid = ? ORDER BY position", sid)
      .toArray()
      .map(({ packet }) => packet);
  }

  return {
    insert(session: Omit<Session, "pongBy" | "closing">): void {
      sql.exec(
        `INSERT INTO socketio_sessions (sid, transport, request, opened_at, empty_since, ping_due_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        session.sid,
        session.transport,
        JSON.stringify(session.request),
        session.request.openedAt,
        session.request.openedAt,
        session.transport === "polling" ? session.pingDueAt : null,
      );
    },

    find(sid: string): Session | undefined {
      return sql.exec<Row>(`SELECT ${COLUMNS} FROM socketio_sessions WHERE sid = ?`, sid).toArray().map(fromRow)[0];
    },

    count(): number {
      return sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM socketio_sessions WHERE closing = 0").one()
        .count;
    },

    /** Of all sessions that are not closing. */
    sids(transport?: TransportName): readonly string[] {
      return sql
        .exec<{ sid: string }>(
          "SELECT sid FROM socketio_sessions WHERE closing = 0 AND transport = COALESCE(?, transport)",
          transport ?? null,
        )
        .toArray()
        .map(({ sid }) => sid);
    },

    /** Over, but for what is still to be fetched. */
    closing(): readonly string[] {
      return sql
        .exec<{ sid: string }>("SELECT sid FROM socketio_sessions WHERE closing = 1")
        .toArray()
        .map(({ sid }) => sid);
    },

    remove(sid: string): void {
      sql.exec("DELETE FROM socketio_sessions WHERE sid = ?", sid);
      sql.exec("DELETE FROM socketio_poll_buffer WHERE sid = ?", sid);
    },

    /** Keeps what waits until it is fetched, at most to `forgetAt`. */
    linger(sid: string, forgetAt: number): void {
      sql.exec(
        "UPDATE socketio_sessions SET closing = 1, empty_since = NULL, pong_by = ? WHERE sid = ?",
        forgetAt,
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
    due(now: number, pingBy: number): readonly Session[] {
      return sql
        .exec<Row>(
          `SELECT ${COLUMNS} FROM socketio_sessions
           WHERE transport = 'polling' AND (pong_by <= ? OR (pong_by IS NULL AND ping_due_at <= ?))`,
          now,
          pingBy,
        )
        .toArray()
        .map(fromRow);
    },

    nextDue(): number | undefined {
      return least(
        sql,
        "SELECT MIN(COALESCE(pong_by, ping_due_at)) AS least FROM socketio_sessions WHERE transport = 'polling'",
      );
    },

    /** Since when the session is in no namespace; undefined: it is in one. */
    setEmptySince(sid: string, since: number | undefined): void {
      sql.exec("UPDATE socketio_sessions SET empty_since = ? WHERE sid = ?", since ?? null, sid);
    },

    emptySince(at: number): readonly string[] {
      return sql
        .exec<{ sid: string }>("SELECT sid FROM socketio_sessions WHERE empty_since <= ?", at)
        .toArray()
        .map(({ sid }) => sid);
    },

    longestEmpty(): number | undefined {
      return least(sql, "SELECT MIN(empty_since) AS least FROM socketio_sessions");
    },

    lay(sid: string, packet: string): void {
      sql.exec("INSERT INTO socketio_poll_buffer (sid, packet) VALUES (?, ?)", sid, packet);
    },

    waitingSize(sid: string): number {
      return sql
        .exec<{ size: number }>("SELECT TOTAL(LENGTH(packet)) AS size FROM socketio_poll_buffer WHERE sid = ?", sid)
        .one().size;
    },

    waiting,

    /** What waits, in order; it waits no more. */
    takeWaiting(sid: string): readonly string[] {
      const packets = waiting(sid);
      if (packets.length > 0) sql.exec("DELETE FROM socketio_poll_buffer WHERE sid = ?", sid);
      return packets;
    },
  };
}

export function least(sql: SqlStorage, query: string): number | undefined {
  return sql.exec<{ least: number | null }>(query).one().least ?? undefined;
}

function fromRow(row: Row): Session {
  return {
    sid: row.sid,
    transport: row.transport,
    request: readOpeningRequest(row.request),
    pingDueAt: row.ping_due_at ?? 0,
    pongBy: row.pong_by ?? undefined,
    closing: row.closing === 1,
  };
}
