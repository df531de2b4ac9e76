/**
 * Connection state recovery: a client that comes back with the private id of its lost socket gets it again, with rooms and
 * data, and then the events that it missed, once and in order. Volatile events and those with an acknowledgement are not
 * stored, as in Socket.IO; unlike there, a client can also be recovered before it received any event, and before its old
 * connection was seen to be dead.
 */
import { frameOf, SEPARATOR, type Frame } from "../engine/packets.ts";
import type { ServerContext } from "./context.ts";
import type { StoredSocket } from "./stored-socket.ts";

/** The recovery data that a client sends in CONNECT, and its current identity. */
interface Claim {
  readonly namespace: string;
  readonly identity: string | undefined;
  readonly pid: unknown;
  readonly offset: unknown;
}

export interface Recoverable {
  readonly socket: StoredSocket;
  /** The last event that the client has seen. */
  readonly after: number;
}

export type Recovery = ReturnType<typeof createRecovery>;

export function createRecovery<Data>(context: ServerContext<Data>, windowMs: number) {
  const { ports, sockets, rooms, events, callbacks } = context;

  return {
    /** @returns undefined if the socket is not the client's, is too old or damaged, or an event that it needs was dropped. */
    find({ namespace, identity, pid, offset }: Claim): Recoverable | undefined {
      if (typeof pid !== "string") return undefined;
      const socket = sockets.findByPid(pid);
      if (socket === undefined || socket.namespace !== namespace || socket.identity !== identity) return undefined;
      if (socket.lostAt !== undefined && socket.lostAt <= ports.now() - windowMs) return undefined;
      const seen = offset === undefined ? socket.connectedOffset : events.fromWire(offset);
      if (seen === undefined || callbacks.parse(socket) === undefined) return undefined;
      // An offset of an earlier socket of the client does not count for this one.
      const after = Math.max(seen, socket.connectedOffset);
      return events.isComplete(after) ? { socket, after } : undefined;
    },

    /** Frames of the events after an offset that were for this socket, event by event. */
    missed(socket: StoredSocket, after: number): readonly (readonly Frame[])[] {
      const joined = rooms.of(socket.id);
      const wasIn = (room: string, offset: number) => room === socket.id || (joined.get(room) ?? Infinity) < offset;
      return events
        .after(after, socket.namespace)
        .filter(
          ({ offset, rooms: among, except }) =>
            (among?.some((room) => wasIn(room, offset)) ?? true) && !except.some((room) => wasIn(room, offset)),
        )
        .map(({ payload }) => payload.split(SEPARATOR).map(frameOf));
    },
  };
}
