/**
 * What clients say: each message of a session is decoded, with its attachments if it has any, and goes to the namespace
 * that it names. What is malformed, or for a namespace that the client is not in, closes the session.
 */
import { PacketType } from "socket.io-parser";
import type { Application } from "./application.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { Call } from "./callbacks.ts";
import type { Departures } from "./departures.ts";
import { BAD_PACKET, TOO_LARGE } from "./engine/close-codes.ts";
import type { Engine } from "./engine/engine.ts";
import type { Message } from "./engine/packets.ts";
import type { SocketServerOptions } from "./options.ts";
import { decodePacket, type Decoded, type SocketPacket } from "./packets.ts";
import type { PartialStore } from "./partial-store.ts";
import { recordOf, type SocketStore, type StoredSocket } from "./socket-store.ts";

interface Parts<Data> {
  readonly application: Application<Data>;
  readonly options: Pick<SocketServerOptions, "binary" | "maxPayload">;
  readonly engine: Engine;
  readonly sockets: SocketStore;
  readonly partials: PartialStore;
  readonly acknowledgements: Acknowledgements;
  readonly departures: Departures;
  readonly connect: (sid: string, namespace: string, payload: Readonly<Record<string, unknown>>) => void;
  readonly call: Call;
}

export function createIncoming<Data>(parts: Parts<Data>) {
  const { application, options, engine, sockets, partials, acknowledgements, departures, call } = parts;

  function malformed(sid: string): void {
    engine.close(sid, "parse error", BAD_PACKET);
  }

  function takeText(sid: string, text: string): void {
    if (partials.has(sid)) {
      malformed(sid);
      return;
    }
    const decoded = decodePacket(text);
    if (decoded.kind === "partial" && options.binary) partials.begin(sid, text);
    else if (decoded.kind === "packet") dispatch(sid, decoded.packet);
    else malformed(sid);
  }

  function takeAttachment(sid: string, bytes: ArrayBuffer): void {
    if (!partials.has(sid)) {
      malformed(sid);
      return;
    }
    const { header, parts } = partials.add(sid, bytes);
    if (parts.reduce((sum, part) => sum + part.byteLength, header.length) > options.maxPayload) {
      engine.close(sid, "transport error", TOO_LARGE);
      return;
    }
    const decoded: Decoded = decodePacket(header, parts);
    if (decoded.kind === "partial") return;
    partials.remove(sid);
    if (decoded.kind === "packet") dispatch(sid, decoded.packet);
    else malformed(sid);
  }

  function dispatch(sid: string, packet: SocketPacket): void {
    const { type, namespace, data } = packet;
    if (type === PacketType.CONNECT) {
      parts.connect(sid, namespace, (data ?? {}) as Record<string, unknown>);
      return;
    }
    const socket = sockets.findIn(sid, namespace);
    if (socket === undefined || !deliver(socket, packet)) malformed(sid);
  }

  /** @returns false for a packet that a client does not send. */
  function deliver(socket: StoredSocket, { type, id, data }: SocketPacket): boolean {
    switch (type) {
      case PacketType.EVENT: {
        if (data === undefined) return false;
        const [name, ...args] = data as [string | number, ...unknown[]];
        call("onEvent", () => application.onEvent?.(recordOf<Data>(socket), String(name), args, id));
        return true;
      }
      case PacketType.ACK:
        if (data === undefined || id === undefined) return false;
        acknowledgements.receive(socket, id, data as unknown[]);
        return true;
      case PacketType.DISCONNECT:
        departures.byClient(socket);
        return true;
      default:
        return false;
    }
  }

  return (sid: string, message: Message): void => {
    if (typeof message === "string") takeText(sid, message);
    else takeAttachment(sid, message);
  };
}
