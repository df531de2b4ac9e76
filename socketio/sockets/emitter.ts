/** Events to clients, and acknowledgements of theirs. An event is encoded once for all its recipients. */
import { PacketType } from "socket.io-parser";
import type { EmitOptions, Target } from "../application.ts";
import { SEPARATOR, textOf } from "../engine/packets.ts";
import type { ServerContext } from "./context.ts";
import { encodePacket } from "./packets.ts";
import { audienceOf, type Audience } from "./rooms.ts";

/** Socket.IO's reserved names, which a client rejects as malformed. */
const RESERVED: readonly string[] = [
  "connect",
  "connect_error",
  "disconnect",
  "disconnecting",
  "newListener",
  "removeListener",
];

/** The data of an EVENT packet. */
export function eventData(name: string, args: readonly unknown[]): unknown[] {
  if (RESERVED.includes(name)) throw new Error(`"${name}" is a reserved event name`);
  return [name, ...args];
}

export function createEmitter({ options, engine, sockets, rooms, events }: Omit<ServerContext<never>, "callbacks">) {
  /** The event gets its offset as last argument, so that a recovering client can name the last event that it has seen. */
  function storedFrames(audience: Audience, data: readonly unknown[]) {
    const offset = events.nextOffset();
    const frames = encodePacket(PacketType.EVENT, audience.namespace, [...data, events.toWire(offset)]);
    events.add(offset, audience, frames.map(textOf).join(SEPARATOR));
    return frames;
  }

  return {
    emit(
      target: Target,
      name: string,
      args: readonly unknown[],
      { volatile = false, recover = true }: EmitOptions = {},
    ) {
      const data = eventData(name, args);
      const audience = audienceOf(target);
      const recipients = rooms.recipients(audience);
      if (recipients.length === 0) return 0;
      const isStored = options.recovery !== undefined && !volatile && recover;
      const frames = isStored ? storedFrames(audience, data) : encodePacket(PacketType.EVENT, audience.namespace, data);
      return recipients.filter(({ sid, lost }) => !lost && engine.send(sid, frames, volatile)).length;
    },

    acknowledge(socketId: string, ackId: number, args: readonly unknown[]): boolean {
      const socket = sockets.find(socketId);
      if (socket === undefined) return false;
      return engine.send(socket.sid, encodePacket(PacketType.ACK, socket.namespace, [...args], ackId));
    },
  };
}
