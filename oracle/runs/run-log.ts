/**
 * Streams the frames of runs as server-sent events. A frame is stored first; a reader is only a cursor into the store,
 * pulled at its own pace, so that a slow one neither blocks the run nor makes it grow. One that falls more than 1 MiB
 * behind the live end is closed without `done` and may reconnect, and so is the oldest of too many.
 */
import type { Frame, FrameStore } from "./frames.ts";

/** How far a reader may lag behind live frames, UTF-16 units of their data. */
export const READER_LAG_LIMIT = 1024 * 1024;
/** How many may follow a session's runs at once: each frame costs each of them. The oldest is closed first. */
export const READERS_PER_SESSION = 32;
/** How long a stream may send nothing, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
/** How much one pull takes from the store, UTF-16 units of data; one frame more when that frame is larger. */
const BATCH_SIZE = 256 * 1024;

const encoder = new TextEncoder();

/** A comment between frames that keeps proxies from closing an idle stream; neither numbered nor stored. */
export const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/** JSON escapes every newline, so that a frame never holds a second line of data. */
export function encodeFrames(frames: readonly Frame[]): Uint8Array {
  return encoder.encode(
    frames.map(({ event, seq, data }) => `event: ${event}\nid: ${seq}\ndata: ${data}\n\n`).join(""),
  );
}

interface Reader {
  readonly run: number;
  readonly stopHeartbeat: () => void;
  behind: number;
  /** Wakes a waiting pull; replaced at each wait. */
  wake: (reason: "frames" | "heartbeat" | "stop") => void;
  stopped: boolean;
}

export interface RunLog {
  append(run: number, frame: Frame): void;
  /** A byte stream of server-sent events: stored frames above `after`, then live ones, closed after `done`. */
  follow(run: number, after: number): ReadableStream<Uint8Array>;
  /** Closes every reader; frames that they have not read are not sent. */
  close(): void;
}

export interface RunLogOptions {
  readonly frames: FrameStore;
  readonly hasEnded: (run: number) => boolean;
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

export function createRunLog({ frames, hasEnded, every }: RunLogOptions): RunLog {
  /** Oldest first. */
  const readers = new Set<Reader>();

  function join(run: number): Reader {
    const stopHeartbeat = every(HEARTBEAT_INTERVAL_MS, () => reader.wake("heartbeat"));
    const reader: Reader = { run, stopHeartbeat, behind: 0, wake: () => undefined, stopped: false };
    readers.add(reader);
    const [first] = readers;
    if (first !== undefined && readers.size > READERS_PER_SESSION) remove(first);
    return reader;
  }

  /** With its timer, which would keep the object in memory. */
  function remove(reader: Reader): void {
    reader.stopHeartbeat();
    reader.stopped = true;
    readers.delete(reader);
    reader.wake("stop");
  }

  return {
    append(run, frame) {
      frames.append(run, frame);
      for (const reader of readers) {
        if (reader.run !== run) continue;
        reader.behind += frame.data.length;
        if (reader.behind > READER_LAG_LIMIT) remove(reader);
        else reader.wake("frames");
      }
    },

    follow(run, after) {
      const reader = join(run);
      let cursor = after;

      /** The next frames; when a finished run has none above the cursor, its `done` once more, so that no client loops. */
      function next(): readonly Frame[] {
        const waiting = frames.after(run, cursor, BATCH_SIZE);
        if (waiting.length > 0 || !hasEnded(run)) return waiting;
        const last = frames.last(run);
        return last === undefined ? [] : [last];
      }

      return new ReadableStream({
        type: "bytes",
        async pull(controller) {
          for (;;) {
            if (reader.stopped) return close(controller);
            const batch = next();
            const last = batch.at(-1);
            if (last !== undefined) {
              cursor = Math.max(cursor, last.seq);
              const taken = batch.reduce((size, { data }) => size + data.length, 0);
              reader.behind = Math.max(0, reader.behind - taken);
              controller.enqueue(encodeFrames(batch));
              if (last.event !== "done") return;
            }
            if (last !== undefined || hasEnded(run)) {
              remove(reader);
              return close(controller);
            }
            const reason = await new Promise<"frames" | "heartbeat" | "stop">((wake) => {
              reader.wake = wake;
            });
            if (reason === "heartbeat") return controller.enqueue(HEARTBEAT.slice());
          }
        },
        cancel: () => remove(reader),
      });
    },

    close() {
      for (const reader of readers) remove(reader);
    },
  };
}

/** A byte stream with a pending read needs that read answered before its end is seen. */
function close(controller: ReadableByteStreamController): void {
  controller.close();
  controller.byobRequest?.respond(0);
}
