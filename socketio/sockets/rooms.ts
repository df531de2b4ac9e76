/**
 * Rooms in SQLite: which sockets are in them, and which sockets an event is for. A room exists while a socket is in it; a
 * socket is always in the room named by its id, which has no row.
 */
import type { Target } from "../application.ts";
import type { StoredSocket } from "./stored-socket.ts";

/** A target with its namespace. */
export interface Audience {
  readonly namespace: string;
  readonly rooms: readonly string[] | undefined;
  readonly except: readonly string[] | undefined;
}

export function audienceOf({ namespace = "/", rooms, except }: Target): Audience {
  return { namespace, rooms, except };
}

export interface Recipient {
  readonly id: string;
  readonly sid: string;
  readonly lost: boolean;
}

type Member = Pick<StoredSocket, "id" | "namespace">;

/** Ids of the sockets that are in a room of the list. Bound twice. */
const IN_ROOMS = `(SELECT value FROM json_each(?2) UNION SELECT socket_id FROM socketio_rooms
  WHERE namespace = ?1 AND room IN (SELECT value FROM json_each(?2)))`;
const IN_EXCEPT = IN_ROOMS.replaceAll("?2", "?3");
/** Cached recipients of all audiences together: each socket alone, and a few rooms again and again. */
const CACHED_RECIPIENTS = 20_000;

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms(sql: SqlStorage, maxSocketsPerRoom: number) {
  /** Recipients by audience, until a socket connects, disconnects or changes rooms. */
  const cache = new Map<string, readonly Recipient[]>();
  let cached = 0;

  function clearCache(): void {
    cache.clear();
    cached = 0;
  }

  function isFull(namespace: string, room: string): boolean {
    const { count } = sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM socketio_rooms JOIN socketio_sockets ON id = socket_id
         WHERE socketio_rooms.namespace = ? AND room = ? AND lost_at IS NULL`,
        namespace,
        room,
      )
      .one();
    return count >= maxSocketsPerRoom;
  }

  /** Rooms joined, each with the offset after which its events are for the socket. */
  function of(id: string): ReadonlyMap<string, number> {
    const query = "SELECT room, joined_offset FROM socketio_rooms WHERE socket_id = ? ORDER BY joined_offset, room";
    const rows = sql.exec<{ room: string; joined_offset: number }>(query, id).toArray();
    return new Map(rows.map(({ room, joined_offset }) => [room, joined_offset]));
  }

  function add({ id, namespace }: Member, room: string, joinedOffset: number): void {
    clearCache();
    sql.exec(
      "INSERT OR IGNORE INTO socketio_rooms (namespace, room, socket_id, joined_offset) VALUES (?, ?, ?, ?)",
      namespace,
      room,
      id,
      joinedOffset,
    );
  }

  return {
    isFull,
    of,
    add,
    clearCache,

    /** @returns false if the room is full. */
    join(socket: Member, room: string, joinedOffset: number): boolean {
      if (of(socket.id).has(room)) return true;
      if (isFull(socket.namespace, room)) return false;
      add(socket, room, joinedOffset);
      return true;
    },

    leave({ id, namespace }: Member, room: string): void {
      clearCache();
      sql.exec("DELETE FROM socketio_rooms WHERE namespace = ? AND room = ? AND socket_id = ?", namespace, room, id);
    },

    /** The sockets that an event is for, lost ones too, oldest connect first. */
    recipients(audience: Audience): readonly Recipient[] {
      const key = JSON.stringify(audience);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const { namespace, rooms, except } = audience;
      const among = rooms === undefined ? "" : `AND id IN ${IN_ROOMS}`;
      const without = except === undefined ? "" : `AND id NOT IN ${IN_EXCEPT}`;
      // Every parameter is named, because all of them are bound.
      const query = `SELECT id, sid, lost_at FROM socketio_sockets WHERE namespace = ?1 ${among} ${without}
        AND ?2 IS ?2 AND ?3 IS ?3 ORDER BY position`;
      const recipients = sql
        .exec<{ id: string; sid: string; lost_at: number | null }>(
          query,
          namespace,
          JSON.stringify(rooms ?? []),
          JSON.stringify(except ?? []),
        )
        .toArray()
        .map(({ id, sid, lost_at }) => ({ id, sid, lost: lost_at !== null }));
      // An audience without recipients needs memory too.
      cached += recipients.length + 1;
      if (cached > CACHED_RECIPIENTS) clearCache();
      cache.set(key, recipients);
      return recipients;
    },
  };
}
