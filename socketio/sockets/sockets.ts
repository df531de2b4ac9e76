/**
 * Sockets (one client in one namespace) in SQLite. A lost socket stays, with its rooms, while it can be recovered; it is not
 * counted, and events for it are only stored (recovery.ts).
 */
import type { SocketPresence } from "../application.ts";
import { least } from "../database.ts";
import type { Rooms } from "./rooms.ts";
import type { StoredSocket } from "./stored-socket.ts";

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

export type Sockets = ReturnType<typeof createSockets>;

export function createSockets(sql: SqlStorage, rooms: Rooms) {
  /** Connected sockets by session and namespace: each packet needs its sender. */
  const senders = new Map<string, StoredSocket>();

  function change(query: string, ...values: readonly SqlStorageValue[]): void {
    rooms.clearCache();
    senders.clear();
    sql.exec(query, ...values);
  }

  function select(where: string, ...values: readonly SqlStorageValue[]): readonly StoredSocket[] {
    return sql
      .exec<Row>(`SELECT * FROM socketio_sockets WHERE ${where}`, ...values)
      .toArray()
      .map(fromRow);
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
      const known = senders.get(key);
      if (known !== undefined) return known;
      const [socket] = select("sid = ? AND namespace = ? AND lost_at IS NULL", sid, namespace);
      // Only existing sockets are cached, because the client chooses the name.
      if (socket !== undefined) senders.set(key, socket);
      return socket;
    },
    /** Lost ones too. */
    findByPid: (pid: string) => select("pid = ?", pid)[0],
    ofSession: (sid: string) => select("sid = ? AND lost_at IS NULL ORDER BY position", sid),
    /** The connected ones of the list, oldest connect first. */
    withIds: (ids: readonly string[]) =>
      select("id IN (SELECT value FROM json_each(?)) AND lost_at IS NULL ORDER BY position", JSON.stringify(ids)),

    presence(id: string): SocketPresence | undefined {
      const query = "SELECT lost_at FROM socketio_sockets WHERE id = ?";
      const [row] = sql.exec<{ lost_at: number | null }>(query, id).toArray();
      return row && { lostAt: row.lost_at ?? undefined };
    },

    count(namespace: string): number {
      const query = "SELECT COUNT(*) AS count FROM socketio_sockets WHERE namespace = ? AND lost_at IS NULL";
      return sql.exec<{ count: number }>(query, namespace).one().count;
    },

    /** Whether there is none, not even a lost one. */
    isEmpty: () => sql.exec("SELECT 1 FROM socketio_sockets LIMIT 1").toArray().length === 0,

    setData: (id: string, data: string) => change("UPDATE socketio_sockets SET data = ? WHERE id = ?", data, id),

    /** It is disconnected, and may be recovered. */
    lose: (id: string, at: number) => change("UPDATE socketio_sockets SET lost_at = ? WHERE id = ?", at, id),

    /** A lost socket is connected again, in another session. */
    restore: (id: string, sid: string, request: string) =>
      change("UPDATE socketio_sockets SET lost_at = NULL, sid = ?, request = ? WHERE id = ?", sid, request, id),

    remove(id: string): void {
      change("DELETE FROM socketio_sockets WHERE id = ?", id);
      change("DELETE FROM socketio_rooms WHERE socket_id = ?", id);
    },

    /** Deletes those that were lost by `at`. */
    expire(at: number): void {
      change("DELETE FROM socketio_rooms WHERE socket_id IN (SELECT id FROM socketio_sockets WHERE lost_at <= ?)", at);
      change("DELETE FROM socketio_sockets WHERE lost_at <= ?", at);
    },

    longestLost: () => least(sql, "SELECT MIN(lost_at) AS least FROM socketio_sockets"),
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
