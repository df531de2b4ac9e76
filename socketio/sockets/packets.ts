/**
 * Socket.IO protocol v5: packets as Engine.IO messages. A packet with binary is a text that announces attachments, followed
 * by one message for each; those of an incomplete packet are stored by incoming.ts.
 */
import { Decoder, Encoder, type Packet, type PacketType } from "socket.io-parser";
import { messageFrame, type Frame } from "../engine/packets.ts";

/** A packet that the parser has checked: the data of an EVENT is an array with a name first; the data of an ACK is an array. */
export interface SocketPacket {
  readonly type: PacketType;
  readonly namespace: string;
  readonly id: number | undefined;
  readonly data: unknown;
}

const encoder = new Encoder();

/** Throws what JSON.stringify throws: a packet that cannot be encoded is a bug of the caller. */
export function encodePacket(type: PacketType, namespace: string, data?: unknown, id?: number): readonly Frame[] {
  const packet: Packet = { type, nsp: namespace };
  if (data !== undefined) packet.data = data;
  if (id !== undefined) packet.id = id;
  return (encoder.encode(packet) as Frame[]).map(messageFrame);
}

/** @returns "incomplete" while attachments are missing, "malformed" for anything that is not a packet. */
export function decodePacket(
  text: string,
  attachments: readonly ArrayBuffer[] = [],
): SocketPacket | "incomplete" | "malformed" {
  // The parser reads an empty text as a CONNECT.
  if (text === "") return "malformed";
  let decoded: Packet | undefined;
  const decoder = new Decoder();
  decoder.on("decoded", (packet) => {
    decoded = packet;
  });
  try {
    decoder.add(text);
    for (const attachment of attachments) decoder.add(attachment);
  } catch {
    return "malformed";
  }
  return decoded === undefined ? "incomplete" : fromParser(decoded);
}

function fromParser({ type, nsp, id, data }: Packet): SocketPacket {
  return { type, namespace: nsp, id, data: data as unknown };
}
