/**
 * The text of a frame: `event`, `id`, one line of `data`, an empty line (contract/oracle.md section 4.1). JSON escapes
 * every newline, so that a frame can never hold a second data line.
 */
import type { Frame } from "./frame-store.ts";

const encoder = new TextEncoder();

/** A comment between frames that keeps proxies from closing a silent stream; neither numbered nor stored. */
export const HEARTBEAT = encoder.encode(": heartbeat\n\n");

export function encodeFrames(frames: readonly Frame[]): Uint8Array {
  return encoder.encode(
    frames.map(({ event, seq, data }) => `event: ${event}\nid: ${seq}\ndata: ${data}\n\n`).join(""),
  );
}
