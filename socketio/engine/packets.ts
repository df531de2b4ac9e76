/**
 * Engine.IO protocol v4: packets, payloads and close codes. A frame is one websocket message; its text form, with binary as
 * `b` and base64, is used in polling payloads (packets separated by U+001E), the poll buffer and the stored events.
 */
import { decodePacket, type Packet } from "engine.io-parser";

/** One message of the layer above. */
export type Message = string | ArrayBuffer;
/** As sent on a websocket: the packet's type and text, or the bytes of a binary message. */
export type Frame = string | ArrayBuffer | ArrayBufferView;

export interface EnginePacket {
  readonly type: Exclude<Packet["type"], "error">;
  readonly data: Message | undefined;
}

export const CLOSE = "1";
export const PING = "2";
export const PROBE_ANSWER = "3probe";
export const NOOP = "6";
export const SEPARATOR = "\u001E";

/** Websocket close codes of the server; polling clients get a close packet instead. */
export const CloseCode = {
  NORMAL: 1000,
  /** A second websocket for a session that has one. */
  UNEXPECTED: 1008,
  TOO_LARGE: 1009,
  /** Not a packet, or one that is not allowed now. */
  BAD_PACKET: 4400,
  /** No pong, or no CONNECT, in time. */
  TIMED_OUT: 4408,
  /** The client does not read what it is sent. */
  TOO_SLOW: 4413,
  /** More packets than `packetRate` allows. */
  TOO_MANY_PACKETS: 4429,
} as const;

export function openFrame(handshake: object): string {
  return `0${JSON.stringify(handshake)}`;
}

export function messageFrame(message: Frame): Frame {
  return typeof message === "string" ? `4${message}` : message;
}

/** @returns undefined for anything that is not a packet. */
export function decodeFrame(frame: string | ArrayBuffer): EnginePacket | undefined {
  const { type, data } = decodePacket(frame, "arraybuffer") as { type: Packet["type"]; data?: Message };
  return type === "error" ? undefined : { type, data };
}

/** The packets of a polling body; undefined for one that is malformed. */
export function* decodePayload(payload: string): Generator<EnginePacket | undefined> {
  for (const text of payload.split(SEPARATOR)) yield decodeFrame(text);
}

/** Text form of a frame. */
export function textOf(frame: Frame): string {
  return typeof frame === "string" ? frame : `b${base64(bytesOf(frame))}`;
}

/** Reverses `textOf`. */
export function frameOf(text: string): Frame {
  return text.startsWith("b") ? (decodePacket(text, "arraybuffer").data as ArrayBuffer) : text;
}

/** Bytes of a frame, or UTF-16 units of a text: precise enough to limit a buffer. */
export function sizeOf(frame: Frame): number {
  return typeof frame === "string" ? frame.length : frame.byteLength;
}

/** Whether a message is larger than this many bytes. */
export function exceeds(message: Message, bytes: number): boolean {
  if (typeof message !== "string") return message.byteLength > bytes;
  // A UTF-16 unit takes one to three bytes, so most texts need no counting.
  return message.length > bytes || (message.length * 3 > bytes && new TextEncoder().encode(message).byteLength > bytes);
}

function bytesOf(bytes: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

/** Arguments that one call accepts; a multiple of three, so that the parts can be joined. */
const BASE64_STEP = 12_288;

// In a Worker's bundle the parser encodes as in browsers, with an asynchronous FileReader.
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += BASE64_STEP) {
    text += btoa(String.fromCharCode(...bytes.subarray(from, from + BASE64_STEP)));
  }
  return text;
}
