/**
 * Work on an untrusted file, in slices. A parser is a generator that yields after each slice, so that other chats of the isolate
 * run in between; a file that takes too long is abandoned. A slice is limited by the amount of work instead of the clock, because a
 * Worker's clock advances only with I/O.
 */
import { READING_MS } from "./limits.ts";

/** Yields where other work may run, and returns its result. */
export type SlicedWork<T> = Generator<undefined, T, undefined>;

export interface WorkTime {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Lets the isolate's other work run for at least this many milliseconds. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /** Aborts after this many milliseconds: for external work without slices. */
  readonly timeout: (milliseconds: number) => AbortSignal;
}

/** The time limit of a file, starting now. */
export interface Deadline {
  /** Lets the isolate's other work run; after a long slice, for as long as the slice took. */
  readonly rest: () => Promise<void>;
  readonly isOver: () => boolean;
  /** Undefined when the time is over before the work is done. */
  readonly first: <T>(work: Promise<T>) => Promise<T | undefined>;
}

/** A slice above this length is a long one, milliseconds: the PDF library reads a page of 1 MB without a pause. */
export const LONG_SLICE_MS = 50;
/** Longest pause between two slices, milliseconds: enough for the first words of several answers. */
export const LONGEST_REST_MS = 100;

export const TOO_LONG = `reading it took longer than ${READING_MS / 1_000} seconds`;

export function startDeadline({ now, rest, timeout }: WorkTime): Deadline {
  const end = now() + READING_MS;
  const signal = timeout(READING_MS);
  const over = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  let restedAt = now();
  /** Set by the previous slice: the clock shows the length of a slice only after it. */
  let pause = 0;
  return {
    async rest() {
      const rested = pause;
      await rest(rested);
      const took = now() - restedAt - rested;
      restedAt += took + rested;
      pause = took > LONG_SLICE_MS ? Math.min(took, LONGEST_REST_MS) : 0;
    },
    isOver: () => signal.aborted || now() > end,
    first: (work) => Promise.race([work, over]),
  };
}

/** Undefined when the time is over before the work is done. */
export async function inSlices<T>(work: SlicedWork<T>, { rest, isOver }: Deadline): Promise<T | undefined> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await rest();
    if (isOver()) return undefined;
  }
}
