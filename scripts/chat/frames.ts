/**
 * Reads server-sent events off a response body (contract/oracle.md section 4.1). However the network cuts the bytes,
 * the frames are the same; a frame without its closing empty line never happened, and heartbeats only show life.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";

export interface Frame {
  readonly event: string;
  /** Grows from frame to frame, across restarts of the server too; undefined when the frame carries none. */
  readonly id: number | undefined;
  /** The parsed JSON, or the text itself when it is none. */
  readonly data: unknown;
}

/** Milliseconds. Three heartbeats (one every 15 s): whoever is silent that long is not there any more. */
export const silenceLimit = 45_000;

/**
 * Ends when the body ends, breaks off, or is silent for `silence` milliseconds: however a stream ends, it is the frame
 * `done` alone that says whether the turn has.
 */
export async function* readFrames(body: ReadableStream<Uint8Array>, silence: number): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const ready: Frame[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(frameOf(message)) });
  try {
    for (;;) {
      const chunk = await withinSilence(reader.read(), silence).catch(() => undefined);
      if (chunk === undefined || chunk.done) return;
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    // A body that already broke off refuses to be cancelled; it is gone all the same.
    await reader.cancel().catch(() => undefined);
  }
}

async function withinSilence<Value>(read: Promise<Value>, silence: number): Promise<Value> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`nothing came for ${silence / 1000} s`)), silence);
  try {
    return await Promise.race([read, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function frameOf(message: EventSourceMessage): Frame {
  const id = message.id !== undefined && /^[0-9]+$/.test(message.id) ? Number(message.id) : undefined;
  return { event: message.event ?? "message", id, data: jsonOrText(message.data) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
