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

/**
 * Tells which pieces of a stream of server-sent events say anything. Comments are how services keep a connection open
 * while their model is silent: they must not keep us waiting for ever.
 */
export function countsEvents(): (piece: Uint8Array) => boolean {
  let line: "start" | "comment" | "field" = "start";
  return (piece) => {
    let counts = false;
    for (const byte of piece) {
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) line = "start";
      else if (line === "start") line = byte === COLON ? "comment" : "field";
      counts ||= line === "field";
    }
    return counts;
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;

/**
 * The same bytes; the next one that counts is awaited no longer than the deadline allows. A cancel reaches the source.
 */
export function boundChunks(
  source: ReadableStream<Uint8Array>,
  deadline: Deadline,
  counts: (piece: Uint8Array) => boolean = () => true,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        deadline.arm();
        try {
          for (let counted = false; !counted;) {
            const { done, value } = await deadline.race(reader.read());
            if (done) return controller.close();
            controller.enqueue(value);
            counted = counts(value);
          }
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
