/** Rooms: who is in which, and how many may be. A room is there as long as somebody is in it. */
import type { EventStore } from "./event-store.ts";
import type { SocketStore } from "./socket-store.ts";

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms(sockets: SocketStore, events: EventStore, maxSocketsPerRoom: number) {
  function isFull(namespace: string, room: string): boolean {
    return sockets.countIn(namespace, room) >= maxSocketsPerRoom;
  }

  return {
    isFull,

    join(socketId: string, room: string): boolean {
      const socket = sockets.find(socketId);
      if (socket === undefined) return false;
      if (sockets.roomsOf(socketId).has(room)) return true;
      if (isFull(socket.namespace, room)) return false;
      sockets.join(socket, room, events.nextOffset());
      return true;
    },

    leave(socketId: string, room: string): void {
      const socket = sockets.find(socketId);
      if (socket !== undefined) sockets.leave(socket, room);
    },
  };
}
