/**
 * The patience with a model service: a bound on the time to its first chunk and on each gap between chunks. A hang
 * becomes an error that `failures.ts` knows. It is armed only while we wait for the service, so that a slow reader
 * of ours is never mistaken for a silent one.
 */
import type { Timers } from "./timers.ts";

/** The mark by which a classifier knows our own time-out, also behind wrappers that keep only `cause`. */
const SILENCE_CODE = "MODEL_SILENT";

export function isSilence(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === SILENCE_CODE;
}

// Not named TimeoutError: the AI SDK takes that for an abort by the user and would end the turn without an error.
function silence(milliseconds: number): Error {
  return Object.assign(new Error(`The model service was silent for ${milliseconds} ms`), { code: SILENCE_CODE });
}

export interface Deadline {
  /** Starts the time, unless it is running. */
  arm(): void;
  disarm(): void;
  /** The same as `work`, or a rejection once the time is up. */
  race<Value>(work: Promise<Value>): Promise<Value>;
}

/** `onSilence` is told first, to stop what is still open at the other side. */
export function createDeadline(timers: Timers, milliseconds: number, onSilence: (reason: Error) => void): Deadline {
  let cancel: (() => void) | undefined;
  const expiry = Promise.withResolvers<never>();
  expiry.promise.catch(() => undefined);
  return {
    arm: () => {
      cancel ??= timers.after(milliseconds, () => {
        const reason = silence(milliseconds);
        expiry.reject(reason);
        onSilence(reason);
      });
    },
    disarm: () => {
      cancel?.();
      cancel = undefined;
    },
    race: (work) => Promise.race([work, expiry.promise]),
  };
}

/** The same bytes, each awaited no longer than the deadline allows; a cancel reaches the source. */
export function boundChunks(source: ReadableStream<Uint8Array>, deadline: Deadline): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        deadline.arm();
        try {
          const { done, value } = await deadline.race(reader.read());
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          await reader.cancel(error).catch(() => undefined);
        } finally {
          deadline.disarm();
        }
      },
      cancel: async (reason) => {
        deadline.disarm();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
