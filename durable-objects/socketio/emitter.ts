/**
 * What the server says: events to rooms, to one socket, with or without an acknowledgement, and answers to the client's
 * own. An event is encoded once, whatever the number of its recipients.
 */
import { PacketType } from "socket.io-parser";
import type { AckStore } from "./ack-store.ts";
import type { Application } from "./application.ts";
import type { AwaitedAck, EmitOptions, Target } from "./emit.ts";
import type { Engine } from "./engine/engine.ts";
import { SEPARATOR, textOf } from "./engine/packets.ts";
import type { EventStore } from "./event-store.ts";
import { encodePacket } from "./packets.ts";
import type { Audience, SocketStore } from "./socket-store.ts";

interface Parts {
  readonly acknowledgements: Application<never>["acknowledgements"];
  readonly engine: Engine;
  readonly sockets: SocketStore;
  readonly acks: AckStore;
  readonly events: EventStore;
  readonly isRecoveryOn: boolean;
  readonly now: () => number;
}

/** Socket.IO's own, which a client refuses as malformed. */
const RESERVED: readonly string[] = [
  "connect",
  "connect_error",
  "disconnect",
  "disconnecting",
  "newListener",
  "removeListener",
];

export function createEmitter(parts: Parts) {
  const { engine, sockets, acks, events } = parts;

  function event(name: string, args: readonly unknown[]): unknown[] {
    if (RESERVED.includes(name)) throw new Error(`"${name}" is a reserved event name`);
    return [name, ...args];
  }

  /** Kept for those who are away: the offset goes along, so that a client can say up to where it has seen. */
  function keptFrames(audience: Audience, data: readonly unknown[]) {
    const offset = events.nextOffset();
    const frames = encodePacket(PacketType.EVENT, audience.namespace, [...data, events.toWire(offset)]);
    events.keep(offset, audience, frames.map(textOf).join(SEPARATOR));
    return frames;
  }

  return {
    emit(target: Target, name: string, args: readonly unknown[], options: EmitOptions): number {
      const data = event(name, args);
      const audience = audienceOf(target);
      const recipients = sockets.recipients(audience);
      if (recipients.length === 0) return 0;
      const volatile = options.volatile === true;
      const isKept = parts.isRecoveryOn && !volatile && options.recover !== false;
      const frames = isKept ? keptFrames(audience, data) : encodePacket(PacketType.EVENT, audience.namespace, data);
      let sent = 0;
      for (const { sid, lost } of recipients) if (!lost && engine.send(sid, frames, volatile)) sent += 1;
      return sent;
    },

    emitWithAck(socketId: string, name: string, args: readonly unknown[], awaited: AwaitedAck): boolean {
      const { handler, context, timeoutMs } = awaited;
      if (parts.acknowledgements?.[handler] === undefined) throw new Error(`no acknowledgement handler "${handler}"`);
      const data = event(name, args);
      const socket = sockets.find(socketId);
      if (socket === undefined) return false;
      const dueAt = parts.now() + timeoutMs;
      const id = acks.insert(socketId, handler, context, dueAt);
      engine.dueBy(dueAt);
      engine.send(socket.sid, encodePacket(PacketType.EVENT, socket.namespace, data, id));
      return true;
    },

    acknowledge(socketId: string, ackId: number, args: readonly unknown[]): boolean {
      const socket = sockets.find(socketId);
      if (socket === undefined) return false;
      return engine.send(socket.sid, encodePacket(PacketType.ACK, socket.namespace, [...args], ackId));
    },
  };
}

export function audienceOf({ namespace = "/", rooms, except }: Target): Audience {
  return { namespace, rooms, except };
}
