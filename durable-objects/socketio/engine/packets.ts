/**
 * Engine.IO v4 packets. A frame is what one websocket message carries; its text form is what a polling payload, the
 * poll buffer and the store of events hold: binary as `b` and base64 there, packets separated by U+001E.
 */
import { decodePacket, type Packet } from "engine.io-parser";

/** One message of the layer above. */
export type Message = string | ArrayBuffer;
/** As sent on a websocket: text with the packet's type in front, or the bytes of a binary message. */
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

export function openFrame(handshake: object): string {
  return `0${JSON.stringify(handshake)}`;
}

export function messageFrame(message: Frame): Frame {
  return typeof message === "string" ? `4${message}` : message;
}

/** @returns undefined for what is no packet. */
export function decodeFrame(frame: string | ArrayBuffer): EnginePacket | undefined {
  const { type, data } = decodePacket(frame, "arraybuffer") as { type: Packet["type"]; data?: Message };
  return type === "error" ? undefined : { type, data };
}

/** The packets of a polling body, up to and with the first that is none (undefined). */
export function* decodePayload(payload: string): Generator<EnginePacket | undefined> {
  for (const text of payload.split(SEPARATOR)) yield decodeFrame(text);
}

/** Text form of a frame. */
export function textOf(frame: Frame): string {
  return typeof frame === "string" ? frame : `b${base64(bytesOf(frame))}`;
}

/** The frame of a text form that `textOf` made. */
export function frameOf(text: string): Frame {
  return text.startsWith("b") ? (decodePacket(text, "arraybuffer").data as ArrayBuffer) : text;
}

/** Bytes of a frame, or UTF-16 units of a text: near enough to bound what waits. */
export function sizeOf(frame: Frame): number {
  return typeof frame === "string" ? frame.length : frame.byteLength;
}

/** Whether a text or binary message is larger than so many bytes. */
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

/** Arguments that one call takes without trouble; a multiple of three, so that the parts can be joined. */
const BASE64_STEP = 12_288;

// The parser's own way in a Worker's bundle is that of browsers, which waits for a FileReader.
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += BASE64_STEP) {
    text += btoa(String.fromCharCode(...bytes.subarray(from, from + BASE64_STEP)));
  }
  return text;
}
