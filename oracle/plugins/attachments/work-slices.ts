/**
 * Work on a foreign file, in slices. A parser is a generator that yields after each slice, so that other chats of the isolate run in
 * between; a file that takes too long is given up. A slice ends by the amount of work, not by the clock, which stands still in a
 * Worker until the next I/O.
 */
import { READING_MS } from "./limits.ts";

/** Yields where other work may run, and returns its result. */
export type SlicedWork<T> = Generator<undefined, T, undefined>;

export interface WorkTime {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Lets the other work of the isolate run, for so many milliseconds at least. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /** Aborts after so many milliseconds: for work of others that has no slices. */
  readonly timeout: (milliseconds: number) => AbortSignal;
}

/** The time that a file has, from now on. */
export interface Deadline {
  /** Lets the other work of the isolate run; after long slices for as long as a slice takes. */
  readonly rest: () => Promise<void>;
  readonly isOver: () => boolean;
  /** Undefined when the time is over before the work is. */
  readonly first: <T>(work: Promise<T>) => Promise<T | undefined>;
}

/** A slice that takes longer is a long one, milliseconds: the PDF library reads a page of 1 MB without a pause. */
export const LONG_SLICE_MS = 50;
/** The longest rest between two slices, milliseconds: the first words of several answers. */
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
  /** From the slice before this one: the clock shows the length of a slice only after it. */
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

/** Undefined when the time is over before the work is. */
export async function inSlices<T>(work: SlicedWork<T>, { rest, isOver }: Deadline): Promise<T | undefined> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await rest();
    if (isOver()) return undefined;
  }
}
