/**
 * Socket.IO v5 packets as Engine.IO messages. A packet with binary is a text that announces attachments, and one message
 * for each of them; what has arrived of one is kept elsewhere (partial-store.ts), since the object may be evicted between.
 */
import { Decoder, Encoder, type Packet, type PacketType } from "socket.io-parser";
import { messageFrame, type Frame } from "./engine/packets.ts";

/** A packet that the parser has checked: an EVENT's data is an array that begins with a name, an ACK's an array. */
export interface SocketPacket {
  readonly type: PacketType;
  readonly namespace: string;
  readonly id: number | undefined;
  readonly data: unknown;
}

const encoder = new Encoder();

/** Throws what JSON.stringify throws: a packet that cannot be encoded is a bug of who sends it. */
export function encodePacket(type: PacketType, namespace: string, data?: unknown, id?: number): readonly Frame[] {
  const packet: Packet = { type, nsp: namespace };
  if (data !== undefined) packet.data = data;
  if (id !== undefined) packet.id = id;
  return (encoder.encode(packet) as Frame[]).map(messageFrame);
}

export type Decoded =
  | { readonly kind: "packet"; readonly packet: SocketPacket }
  /** A packet with binary of which attachments are still to come. */
  | { readonly kind: "partial" }
  | { readonly kind: "malformed" };

const MALFORMED: Decoded = { kind: "malformed" };

/** @param attachments of the packet, as far as they have arrived. */
export function decodePacket(text: string, attachments: readonly ArrayBuffer[] = []): Decoded {
  // The parser reads an empty text as a CONNECT.
  if (text === "") return MALFORMED;
  let decoded: Packet | undefined;
  const decoder = new Decoder();
  decoder.on("decoded", (packet) => {
    decoded = packet;
  });
  try {
    decoder.add(text);
    for (const attachment of attachments) decoder.add(attachment);
  } catch {
    return MALFORMED;
  }
  return decoded === undefined ? { kind: "partial" } : { kind: "packet", packet: fromParser(decoded) };
}

function fromParser({ type, nsp, id, data }: Packet): SocketPacket {
  return { type, namespace: nsp, id, data: data as unknown };
}
