/**
 * The stream of a run: frames read from the bytes of a response, and followed to `done` however often the connection
 * breaks. Only `done` ends a run; a stream that closes without it is resumed after the last frame that arrived.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ChatFailure, exitCodes } from "./command-line.ts";
import type { OpenRun, ChatClient } from "./oracle-client.ts";

export interface Frame {
  readonly event: string;
  /** Grows from frame to frame, across restarts of the server too; undefined when the frame has none. */
  readonly id: number | undefined;
  /** The parsed JSON, or the text itself when it is not JSON. */
  readonly data: unknown;
}

/** Milliseconds without a byte after which a stream counts as lost: three heartbeats, one every 15 s. */
const IDLE_TIMEOUT_MS = 45_000;

/**
 * Milliseconds before each attempt to resume, counted from the last frame; after the last one the client gives up. 40
 * seconds in all: enough for a development server to restart.
 */
export const backOff = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000] as const;

/** Ends when the body ends, breaks off, or stays idle for `idleTimeout` milliseconds. */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  idleTimeout = IDLE_TIMEOUT_MS,
): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const ready: Frame[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(frameOf(message)) });
  try {
    for (;;) {
      const chunk = await withTimeout(reader.read(), idleTimeout).catch(() => undefined);
      if (chunk === undefined || chunk.done) return;
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    // A body that broke off rejects the cancellation; it is closed all the same.
    await reader.cancel().catch(() => undefined);
  }
}

async function withTimeout<Value>(read: Promise<Value>, milliseconds: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("idle")), milliseconds);
  });
  try {
    return await Promise.race([read, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function frameOf({ event = "message", id, data }: EventSourceMessage): Frame {
  const number = id !== undefined && /^[0-9]+$/.test(id) ? Number(id) : undefined;
  try {
    return { event, id: number, data: JSON.parse(data) as unknown };
  } catch {
    return { event, id: number, data };
  }
}

export interface RunToFollow {
  readonly client: Pick<ChatClient, "join">;
  readonly runId: string;
  /** The open stream, or undefined to open one first. */
  readonly opened: OpenRun | undefined;
  /** The id of the last frame that was shown; 0 before the first. */
  readonly lastId: number;
  /** Each new frame, once and in order; returns true when it was the last. */
  onFrame(frame: Frame): boolean;
  /** Before each wait, milliseconds. */
  onLost(wait: number): void;
  wait(milliseconds: number): Promise<void>;
  readonly interrupted: AbortSignal;
}

export async function followRun({ client, runId, opened, onFrame, onLost, ...rest }: RunToFollow): Promise<void> {
  let run = opened;
  let { lastId } = rest;
  let attempts = 0;
  for (;;) {
    run ??= await tryToJoin(client, runId, lastId);
    if (run !== undefined) {
      for await (const frame of readFrames(run.body)) {
        // Repeated frames are shown once. Of a run that has ended, the server may repeat `done`.
        if (frame.id !== undefined && frame.id <= lastId && frame.event !== "done") continue;
        lastId = Math.max(lastId, frame.id ?? 0);
        attempts = 0;
        if (onFrame(frame)) return;
      }
      rest.interrupted.throwIfAborted();
    }
    run = undefined;
    const wait = backOff[attempts];
    if (wait === undefined) {
      throw new ChatFailure(
        exitCodes.unreachable,
        "Cannot reach the server. Its answer is not lost: try --resume later.",
      );
    }
    attempts += 1;
    onLost(wait);
    await rest.wait(wait);
  }
}

/** Undefined when the server is not reachable or not ready; a run that no longer exists is thrown. */
async function tryToJoin(client: RunToFollow["client"], runId: string, after: number): Promise<OpenRun | undefined> {
  try {
    return await client.join(runId, after);
  } catch (error) {
    if (error instanceof ChatFailure && error.exitCode === exitCodes.unreachable) return undefined;
    throw error;
  }
}
