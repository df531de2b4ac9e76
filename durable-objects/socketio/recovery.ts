/**
 * Connection state recovery: a client that comes back with the private id of its lost socket gets it again, with rooms
 * and data, and then the events it missed, once and in order. Socket.IO's rules hold for what is kept: no volatile
 * events, none with an acknowledgement. Beyond them, a client that had received no event yet can be recovered too, and
 * one that is back before its old connection was seen to be dead.
 */
import { frameOf, SEPARATOR, type Frame } from "./engine/packets.ts";
import type { EventStore, MissedEvent } from "./event-store.ts";
import type { SocketStore, StoredSocket } from "./socket-store.ts";

interface Claim {
  readonly namespace: string;
  readonly identity: string | undefined;
  readonly pid: unknown;
  readonly offset: unknown;
}

interface Parts {
  readonly sockets: SocketStore;
  readonly events: EventStore;
  readonly windowMs: number;
  readonly now: () => number;
}

export interface Recoverable {
  readonly socket: StoredSocket;
  /** The last event that the client has seen. */
  readonly after: number;
}

export type Recovery = ReturnType<typeof createRecovery>;

export function createRecovery({ sockets, events, windowMs, now }: Parts) {
  return {
    /** The socket that is claimed, if it is the claimant's and nothing that it needs was dropped. */
    find({ namespace, identity, pid, offset }: Claim): Recoverable | undefined {
      if (typeof pid !== "string") return undefined;
      const socket = sockets.findByPid(pid);
      if (socket === undefined || socket.namespace !== namespace || socket.identity !== identity) return undefined;
      if (socket.lostAt !== undefined && socket.lostAt <= now() - windowMs) return undefined;
      const seen = offset === undefined ? socket.connectedOffset : events.fromWire(offset);
      if (seen === undefined) return undefined;
      // An offset from an earlier life of the client says nothing of this one.
      const after = Math.max(seen, socket.connectedOffset);
      return events.reaches(after) ? { socket, after } : undefined;
    },

    /** Frames of the events after an offset that were for this socket, event by event. */
    missed(socket: StoredSocket, after: number): readonly (readonly Frame[])[] {
      const rooms = sockets.roomsOf(socket.id);
      const joinedBefore = (room: string, offset: number) =>
        room === socket.id || (rooms.get(room) ?? Infinity) < offset;
      const concerns = ({ offset, rooms: among, except }: MissedEvent) =>
        (among?.some((room) => joinedBefore(room, offset)) ?? true) &&
        !except.some((room) => joinedBefore(room, offset));
      return events
        .after(after, socket.namespace)
        .filter(concerns)
        .map(({ payload }) => payload.split(SEPARATOR).map(frameOf));
    },
  };
}
