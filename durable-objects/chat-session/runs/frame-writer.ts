/**
 * Numbers the frames of one attempt of a run and joins neighbouring deltas before they are stored
 * (contract/oracle.md section 5.2): the first delta goes out at once, those that follow within 20 ms go out together.
 */
import { ATTEMPT_STRIDE } from "./frame-store.ts";
import type { FrameData } from "../rpc.ts";
import type { RunLog } from "./run-log.ts";

/** How long deltas may wait for their neighbours, milliseconds; the contract allows 50. */
export const DELTA_WINDOW_MS = 20;
/** Joined deltas are stored at this size without waiting, UTF-16 units, so that a fast model streams in even pieces. */
const DELTA_SIZE = 4096;

/** `after` runs the work once after the delay; what it returns calls that off. */
export type After = (milliseconds: number, work: () => void) => () => void;

export interface FrameWriter {
  frame(event: string, data: FrameData): void;
  /** A piece of the answer (`message`) or of the model's thinking (`reasoning`). */
  delta(event: "message" | "reasoning", text: string): void;
  /** Stores what still waits for its neighbours. */
  flush(): void;
  /** Forgets what still waits: there is nowhere left to store it. */
  discard(): void;
}

export interface FrameWriterOptions {
  readonly log: RunLog;
  readonly run: number;
  readonly attempt: number;
  /** The last number that the run has used so far; 0 for a new one. */
  readonly lastSeq: number;
  /** The payload of a delta frame. */
  readonly describe: (event: "message" | "reasoning", text: string) => FrameData;
  readonly after: After;
}

export function createFrameWriter({ log, run, attempt, lastSeq, describe, after }: FrameWriterOptions): FrameWriter {
  let seq = Math.max(attempt * ATTEMPT_STRIDE, lastSeq);
  let waiting: { readonly event: "message" | "reasoning"; readonly text: string } | undefined;
  let callOff: (() => void) | undefined;

  function store(event: string, data: FrameData): void {
    seq += 1;
    log.append(run, { seq, event, data: JSON.stringify(data) });
  }

  function flush(): void {
    if (waiting === undefined) return;
    const { event, text } = waiting;
    waiting = undefined;
    store(event, describe(event, text));
  }

  function closeWindow(): void {
    callOff = undefined;
    if (waiting === undefined) return;
    flush();
    openWindow();
  }

  function openWindow(): void {
    callOff?.();
    callOff = after(DELTA_WINDOW_MS, closeWindow);
  }

  return {
    frame(event, data) {
      flush();
      callOff?.();
      callOff = undefined;
      store(event, data);
    },
    delta(event, text) {
      if (waiting !== undefined && waiting.event !== event) flush();
      waiting = { event, text: (waiting?.text ?? "") + text };
      if (callOff !== undefined && waiting.text.length < DELTA_SIZE) return;
      flush();
      openWindow();
    },
    flush,
    discard() {
      waiting = undefined;
      callOff?.();
      callOff = undefined;
    },
  };
}
