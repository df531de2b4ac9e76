/**
 * Reads a run's stream frame by frame and requires the envelope of OR-62: `event`, `id`, one line of `data`, an empty line; only
 * complete heartbeats between frames.
 */
import type { JsonObject } from "../../../platform/json.ts";

export interface ReadFrame {
  readonly id: number;
  readonly event: string;
  readonly data: JsonObject;
}

export interface FrameReader {
  /** Undefined when the stream has ended. */
  next(): Promise<ReadFrame | undefined>;
  /** The frames up to and including the first that matches; fails when the stream ends first. */
  until(meant: (frame: ReadFrame) => boolean): Promise<readonly ReadFrame[]>;
  /** All remaining frames. */
  rest(): Promise<readonly ReadFrame[]>;
  cancel(): Promise<void>;
}

const FRAME = /^event: (\S+)\nid: (\d+)\ndata: ([^\n\r]+)$/;
const HEARTBEAT = ": heartbeat";

export function readFrames(stream: ReadableStream<Uint8Array>): FrameReader {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";

  async function next(): Promise<ReadFrame | undefined> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (block !== HEARTBEAT) return parse(block);
        continue;
      }
      const { done, value } = await reader.read();
      if (done) {
        if (text !== "") throw new Error(`the stream ended inside a frame: ${text}`);
        return undefined;
      }
      text += decoder.decode(value, { stream: true });
    }
  }

  async function rest(): Promise<readonly ReadFrame[]> {
    const frames: ReadFrame[] = [];
    for (let frame = await next(); frame !== undefined; frame = await next()) frames.push(frame);
    return frames;
  }

  return {
    next,
    async until(meant) {
      const frames: ReadFrame[] = [];
      for (;;) {
        const frame = await next();
        if (frame === undefined)
          throw new Error(`the stream ended after ${frames.map(({ event }) => event).join(" ")}`);
        frames.push(frame);
        if (meant(frame)) return frames;
      }
    },
    rest,
    cancel: () => reader.cancel(),
  };
}

function parse(block: string): ReadFrame {
  const [, event = "", id = "", data = ""] = FRAME.exec(block) ?? [];
  if (event === "" || block.includes("\r")) throw new Error(`not a frame: ${block}`);
  return { id: Number(id), event, data: JSON.parse(data) as JsonObject };
}

/** The names of frames, in order. */
export function eventsOf(frames: readonly ReadFrame[]): readonly string[] {
  return frames.map(({ event }) => event);
}

/** The joined deltas of a stream. */
export function textOf(frames: readonly ReadFrame[]): string {
  return frames.flatMap(({ event, data }) => (event === "message" ? [String(data["content"])] : [])).join("");
}
