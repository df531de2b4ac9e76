/**
 * The frames of runs: numbered, neighbouring deltas joined, stored before anyone reads them, then streamed as server-sent events.
 * The first delta is stored at once, later ones within 20 ms together. Frames are kept for 24 hours after their run's end, and only
 * for the newest 50 runs.
 */
import * as z from "zod";
import type { RunEvent } from "../../protocol/frames.ts";
import { readStoredJson } from "../../platform/json.ts";
import type { Run, RunEnd, RunStore } from "./run-store.ts";

/** An event of a run as it is stored and sent. */
export interface Frame {
  readonly seq: number;
  readonly event: string;
  /** One line of JSON. */
  readonly data: string;
}

/** How long frames can be replayed after a run's end, milliseconds. */
export const FRAME_RETENTION_MS = 24 * 60 * 60 * 1000;
/** How many ended runs of a session keep their frames. */
export const REPLAYABLE_RUNS = 50;
/** Attempt n counts from n·2^32 + 1, so that ids always grow across restarts. */
const ATTEMPT_STRIDE = 2 ** 32;
/** How long deltas wait to be merged, milliseconds. */
export const DELTA_WINDOW_MS = 20;
/** Size at which joined deltas are stored without waiting, UTF-16 units, so that a fast model streams in even pieces. */
const DELTA_SIZE = 4096;

const storedRun = z.object({ partialLength: z.int().default(0) });
const storedNotice = z.object({ error: z.string(), detail: z.string(), source: z.literal("platform") });
const storedMessage = z.object({ content: z.string() });

type StoredFrame = { seq: number; event: string; data: string };

export type FrameStore = ReturnType<typeof createFrameStore>;

/** `run` is the run's ordinal. */
export function createFrameStore(sql: SqlStorage) {
  return {
    append(run: number, { seq, event, data }: Frame): void {
      sql.exec("INSERT INTO frames (run, seq, event, data) VALUES (?, ?, ?, ?)", run, seq, event, data);
    },

    /** Frames with an id above `after`, oldest first, until their data reaches `size` UTF-16 units. */
    after(run: number, after: number, size: number): readonly Frame[] {
      const found: Frame[] = [];
      let room = size;
      const rows = sql.exec<StoredFrame>(
        "SELECT seq, event, data FROM frames WHERE run = ? AND seq > ? ORDER BY seq",
        run,
        after,
      );
      for (const frame of rows) {
        found.push(frame);
        room -= frame.data.length;
        if (room <= 0) break;
      }
      return found;
    },

    /** The text that one attempt streamed, and the position at which its `run` frame says that it begins. */
    textOf(run: number, attempt: number): { readonly partialLength: number; readonly text: string } {
      const rows = sql.exec<StoredFrame>(
        `SELECT seq, event, data FROM frames
         WHERE run = ? AND seq > ? AND seq <= ? AND event IN ('run', 'message') ORDER BY seq`,
        run,
        attempt * ATTEMPT_STRIDE,
        (attempt + 1) * ATTEMPT_STRIDE,
      );
      const found = { partialLength: 0, text: "" };
      for (const { event, data } of rows) {
        if (event === "run") found.partialLength = readStoredJson(storedRun, data)?.partialLength ?? 0;
        else found.text += readStoredJson(storedMessage, data)?.content ?? "";
      }
      return found;
    },

    /** The warnings that the run has sent; each has a `detail`. */
    notices: (run: number): readonly z.infer<typeof storedNotice>[] =>
      sql
        .exec<StoredFrame>("SELECT seq, event, data FROM frames WHERE run = ? AND event = 'error'", run)
        .toArray()
        .flatMap(({ data }) => readStoredJson(storedNotice, data) ?? []),

    last: (run: number): Frame | undefined =>
      sql
        .exec<StoredFrame>("SELECT seq, event, data FROM frames WHERE run = ? ORDER BY seq DESC LIMIT 1", run)
        .toArray()[0],

    /** Deletes the frames that have expired. */
    prune(runs: RunStore, now: number): void {
      for (const run of runs.prune(now - FRAME_RETENTION_MS, REPLAYABLE_RUNS)) {
        sql.exec("DELETE FROM frames WHERE run = ?", run);
      }
    },

    /** When the next frames expire, Unix milliseconds. */
    nextPruning(runs: RunStore): number | undefined {
      const first = runs.firstEnd();
      return first === null ? undefined : first + FRAME_RETENTION_MS;
    },
  };
}

/** Runs the work once after the delay; the returned function cancels it. */
export type After = (milliseconds: number, work: () => void) => () => void;

type Delta = "message" | "reasoning";

export interface FrameWriter {
  emit(event: RunEvent): void;
  /** A piece of the answer (`message`) or of the model's thinking (`reasoning`). */
  delta(kind: Delta, text: string): void;
  /** Stores pending deltas. */
  flush(): void;
  /** Drops pending deltas: their storage is gone. */
  discard(): void;
}

export interface FrameWriterOptions {
  readonly append: (frame: Frame) => void;
  readonly attempt: number;
  /** The highest number that the run has used; 0 for a new run. */
  readonly lastSeq: number;
  readonly toEvent: (kind: Delta, text: string) => RunEvent;
  readonly after: After;
}

/** Writes the frames of one attempt of a run. */
export function createFrameWriter({ append, attempt, lastSeq, toEvent, after }: FrameWriterOptions): FrameWriter {
  let seq = Math.max(attempt * ATTEMPT_STRIDE, lastSeq);
  let waiting: { readonly kind: Delta; readonly text: string } | undefined;
  let cancelWindow: (() => void) | undefined;

  function store({ event, data }: RunEvent): void {
    seq += 1;
    append({ seq, event, data: JSON.stringify(data) });
  }

  function flush(): void {
    if (waiting === undefined) return;
    const { kind, text } = waiting;
    waiting = undefined;
    store(toEvent(kind, text));
  }

  function openWindow(): void {
    cancelWindow?.();
    cancelWindow = after(DELTA_WINDOW_MS, () => {
      cancelWindow = undefined;
      if (waiting === undefined) return;
      flush();
      openWindow();
    });
  }

  function closeWindow(): void {
    cancelWindow?.();
    cancelWindow = undefined;
  }

  return {
    emit(event) {
      flush();
      closeWindow();
      store(event);
    },
    delta(kind, text) {
      if (waiting !== undefined && waiting.kind !== kind) flush();
      waiting = { kind, text: (waiting?.text ?? "") + text };
      if (cancelWindow !== undefined && waiting.text.length < DELTA_SIZE) return;
      flush();
      openWindow();
    },
    flush,
    discard() {
      waiting = undefined;
      closeWindow();
    },
  };
}

/** The data of the last frame. */
export function doneData(run: Run, end: RunEnd, partialText: string | undefined) {
  const { runId, requestId } = run;
  const { status, finishReason, messageId } = end;
  return {
    runId,
    requestId,
    status,
    finishReason,
    messageId,
    ...(status === "aborted" ? { aborted: true as const } : {}),
    ...(status === "interrupted" ? { interrupted: true as const } : {}),
    ...(status === "failed" ? { failed: true as const } : {}),
    partialText,
    ...(end.delegationRequired ? { delegationRequired: true as const } : {}),
  };
}

/** How far a reader may lag behind live frames, UTF-16 units of their data. */
export const READER_LAG_LIMIT = 1024 * 1024;
/** How many readers may follow a session's runs at once: each frame costs each of them. The oldest is closed first. */
export const READERS_PER_SESSION = 32;
/** Maximum silence of a stream, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
/** How much one pull reads from the store, UTF-16 units of data; a larger frame is read whole. */
const BATCH_SIZE = 256 * 1024;

const encoder = new TextEncoder();

/** A comment between frames that keeps proxies from closing an idle stream; neither numbered nor stored. */
export const HEARTBEAT = encoder.encode(": heartbeat\n\n");

/** JSON escapes every newline, so a frame has one line of data. */
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
  /** Closes every reader; unread frames are not sent. */
  close(): void;
}

export interface RunLogOptions {
  readonly frames: FrameStore;
  readonly hasEnded: (run: number) => boolean;
  readonly every: (milliseconds: number, work: () => void) => () => void;
}

/**
 * A reader is a cursor into the store that is pulled at its own pace, so a slow one neither blocks the run nor makes it grow. A
 * reader more than 1 MiB behind the live end is closed without `done` and may reconnect; so is the oldest of too many.
 */
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

  /** Clears its timer too, which would keep the object in memory. */
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

      /** The next frames. If a finished run has none above the cursor, its `done` is sent again, so that no client loops. */
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

/** In a byte stream, a pending read must be answered before the end is visible. */
function close(controller: ReadableByteStreamController): void {
  controller.close();
  controller.byobRequest?.respond(0);
}
