/**
 * Sockets (one client in one namespace) and their rooms in SQLite. A lost socket stays, with its rooms, as long as it
 * may be recovered; it counts nowhere and is reached by nothing but the store of events.
 */
import type { SocketRecord } from "./application.ts";
import { least } from "./engine/session-store.ts";
import { readOpeningRequest } from "./stored-json.ts";

export interface StoredSocket {
  readonly id: string;
  readonly sid: string;
  readonly namespace: string;
  readonly pid: string | undefined;
  readonly identity: string | undefined;
  readonly data: string;
  readonly request: string;
  readonly connectedAt: number;
  /** Events up to here were before its time. */
  readonly connectedOffset: number;
  readonly lostAt: number | undefined;
}

export interface Recipient {
  readonly id: string;
  readonly sid: string;
  readonly lost: boolean;
}

/** Of a socket that is connected, or lost and may still come back. */
export interface Presence {
  /** Unix milliseconds; undefined: connected. */
  readonly lostAt: number | undefined;
}

/** A target with its namespace said. */
export interface Audience {
  readonly namespace: string;
  readonly rooms: readonly string[] | undefined;
  readonly except: readonly string[] | undefined;
}

type Row = {
  id: string;
  sid: string;
  namespace: string;
  pid: string | null;
  identity: string | null;
  data: string;
  request: string;
  connected_at: number;
  connected_offset: number;
  lost_at: number | null;
};

/** Ids of the sockets that are in a room of the list, a socket's own id being a room of it. Bound twice. */
const IN_ROOMS = `(SELECT value FROM json_each(?2) UNION SELECT socket_id FROM socketio_rooms
  WHERE namespace = ?1 AND room IN (SELECT value FROM json_each(?2)))`;
const IN_EXCEPT = IN_ROOMS.replaceAll("?2", "?3");

export type SocketStore = ReturnType<typeof createSocketStore>;

/** Recipients remembered at a time, of all audiences: each socket alone, and a handful of rooms again and again. */
const REMEMBERED_RECIPIENTS = 20_000;

export function createSocketStore(sql: SqlStorage) {
  /** Who was found for an audience, until somebody comes, goes or changes rooms. */
  const found = new Map<string, readonly Recipient[]>();
  let remembered = 0;
  /** Connected sockets that were asked for, by their session and namespace: who speaks is asked for with each packet. */
  const speakers = new Map<string, StoredSocket>();

  function forgetAudiences(): void {
    found.clear();
    remembered = 0;
  }

  function change(query: string, ...values: readonly SqlStorageValue[]): void {
    forgetAudiences();
    speakers.clear();
    sql.exec(query, ...values);
  }

  function select(where: string, ...values: readonly SqlStorageValue[]): readonly StoredSocket[] {
    return sql
      .exec<Row>(`SELECT * FROM socketio_sockets WHERE ${where}`, ...values)
      .toArray()
      .map(fromRow);
  }

  function selectIn(columns: string, { namespace, rooms, except }: Audience) {
    const among = rooms === undefined ? "" : `AND id IN ${IN_ROOMS}`;
    const without = except === undefined ? "" : `AND id NOT IN ${IN_EXCEPT}`;
    // Every parameter is named, whether it is asked for or not: so many are bound.
    const text = `SELECT ${columns} FROM socketio_sockets WHERE namespace = ?1 ${among} ${without}
      AND ?2 IS ?2 AND ?3 IS ?3 ORDER BY position`;
    return sql.exec<Row>(text, namespace, JSON.stringify(rooms ?? []), JSON.stringify(except ?? [])).toArray();
  }

  return {
    insert(socket: Omit<StoredSocket, "lostAt">): void {
      change(
        `INSERT INTO socketio_sockets
           (id, sid, namespace, pid, identity, data, request, connected_at, connected_offset)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        socket.id,
        socket.sid,
        socket.namespace,
        socket.pid ?? null,
        socket.identity ?? null,
        socket.data,
        socket.request,
        socket.connectedAt,
        socket.connectedOffset,
      );
    },

    find: (id: string) => select("id = ? AND lost_at IS NULL", id)[0],
    findIn(sid: string, namespace: string): StoredSocket | undefined {
      const key = `${sid} ${namespace}`;
      const known = speakers.get(key);
      if (known !== undefined) return known;
      const [socket] = select("sid = ? AND namespace = ? AND lost_at IS NULL", sid, namespace);
      // The client chooses the name, so only what is there is remembered.
      if (socket !== undefined) speakers.set(key, socket);
      return socket;
    },
    /** Lost ones too. */
    findByPid: (pid: string) => select("pid = ?", pid)[0],
    ofSession: (sid: string) => select("sid = ? AND lost_at IS NULL ORDER BY position", sid),
    connected: (audience: Audience) =>
      selectIn("*", audience)
        .map(fromRow)
        .filter(({ lostAt }) => lostAt === undefined),

    /** Whom an event is for, lost ones too, oldest connect first. */
    recipients(audience: Audience): readonly Recipient[] {
      const key = JSON.stringify(audience);
      const known = found.get(key);
      if (known !== undefined) return known;
      const recipients = selectIn("id, sid, lost_at", audience).map(({ id, sid, lost_at }) => ({
        id,
        sid,
        lost: lost_at !== null,
      }));
      // An audience of nobody takes room too.
      remembered += recipients.length + 1;
      if (remembered > REMEMBERED_RECIPIENTS) forgetAudiences();
      found.set(key, recipients);
      return recipients;
    },

    /** Of a lost socket when it was lost; undefined when there is no such socket, not even a lost one. */
    presence(id: string): Presence | undefined {
      const [row] = sql
        .exec<{ lost_at: number | null }>("SELECT lost_at FROM socketio_sockets WHERE id = ?", id)
        .toArray();
      return row && { lostAt: row.lost_at ?? undefined };
    },

    count(namespace: string): number {
      return sql
        .exec<{ count: number }>(
          "SELECT COUNT(*) AS count FROM socketio_sockets WHERE namespace = ? AND lost_at IS NULL",
          namespace,
        )
        .one().count;
    },

    countIn(namespace: string, room: string): number {
      return sql
        .exec<{ count: number }>(
          `SELECT COUNT(*) AS count FROM socketio_rooms JOIN socketio_sockets ON id = socket_id
           WHERE socketio_rooms.namespace = ? AND room = ? AND lost_at IS NULL`,
          namespace,
          room,
        )
        .one().count;
    },

    /** Lost ones included. */
    isEmpty: () => sql.exec("SELECT 1 FROM socketio_sockets LIMIT 1").toArray().length === 0,

    setData(id: string, data: string): void {
      change("UPDATE socketio_sockets SET data = ? WHERE id = ?", data, id);
    },

    lose(id: string, at: number): void {
      change("UPDATE socketio_sockets SET lost_at = ? WHERE id = ?", at, id);
    },

    /** A lost socket is back, in another session. */
    restore(id: string, sid: string, request: string): void {
      change("UPDATE socketio_sockets SET lost_at = NULL, sid = ?, request = ? WHERE id = ?", sid, request, id);
    },

    remove(id: string): void {
      change("DELETE FROM socketio_sockets WHERE id = ?", id);
      change("DELETE FROM socketio_rooms WHERE socket_id = ?", id);
    },

    /** Forgets those that were lost by `at`. */
    expire(at: number): void {
      change("DELETE FROM socketio_rooms WHERE socket_id IN (SELECT id FROM socketio_sockets WHERE lost_at <= ?)", at);
      change("DELETE FROM socketio_sockets WHERE lost_at <= ?", at);
    },

    longestLost: () => least(sql, "SELECT MIN(lost_at) AS least FROM socketio_sockets"),

    join({ id, namespace }: Pick<StoredSocket, "id" | "namespace">, room: string, joinedOffset: number): void {
      change(
        "INSERT OR IGNORE INTO socketio_rooms (namespace, room, socket_id, joined_offset) VALUES (?, ?, ?, ?)",
        namespace,
        room,
        id,
        joinedOffset,
      );
    },

    leave({ id, namespace }: Pick<StoredSocket, "id" | "namespace">, room: string): void {
      change("DELETE FROM socketio_rooms WHERE namespace = ? AND room = ? AND socket_id = ?", namespace, room, id);
    },

    /** Rooms joined, each with the offset from which its events concern the socket. */
    roomsOf: (id: string): ReadonlyMap<string, number> =>
      new Map(
        sql
          .exec<{ room: string; joined_offset: number }>(
            "SELECT room, joined_offset FROM socketio_rooms WHERE socket_id = ? ORDER BY joined_offset, room",
            id,
          )
          .toArray()
          .map(({ room, joined_offset }) => [room, joined_offset]),
      ),
  };
}

export function recordOf<Data>(stored: StoredSocket): SocketRecord<Data> {
  return {
    id: stored.id,
    namespace: stored.namespace,
    sessionId: stored.sid,
    request: readOpeningRequest(stored.request),
    // The application's own, as `authenticate` or `setData` gave it.
    data: JSON.parse(stored.data) as Data,
    connectedAt: stored.connectedAt,
  };
}

function fromRow(row: Row): StoredSocket {
  return {
    id: row.id,
    sid: row.sid,
    namespace: row.namespace,
    pid: row.pid ?? undefined,
    identity: row.identity ?? undefined,
    data: row.data,
    request: row.request,
    connectedAt: row.connected_at,
    connectedOffset: row.connected_offset,
    lostAt: row.lost_at ?? undefined,
  };
}
