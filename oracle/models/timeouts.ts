/**
 * The time limits on a model service: to its first byte and between bytes. A service that sends nothing in time becomes
 * an error that failures.ts knows. The clock runs only while we wait for the service, so that a slow reader of ours is
 * never mistaken for a service that does not respond.
 */

export interface Timers {
  /** Calls `ring` once after that time, unless the returned function is called first. */
  after(milliseconds: number, ring: () => void): () => void;
}

export const systemTimers: Timers = {
  after: (milliseconds, ring) => {
    const handle = setTimeout(ring, milliseconds);
    return () => clearTimeout(handle);
  },
};

/** The mark by which a classifier knows our own time-out, also behind wrappers that keep only `cause`. */
const TIMEOUT_CODE = "MODEL_TIMEOUT";

export function isModelTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === TIMEOUT_CODE;
}

// Not named TimeoutError: the AI SDK takes that for an abort by the user and would end the run without an error.
function modelTimeout(milliseconds: number): Error {
  return Object.assign(new Error(`The model service sent nothing for ${milliseconds} ms`), { code: TIMEOUT_CODE });
}

export interface Deadline {
  /** Starts the time, unless it is running. */
  arm(): void;
  disarm(): void;
  /** The same as `work`, or a rejection once the time is up. */
  race<Value>(work: Promise<Value>): Promise<Value>;
}

/** `onTimeout` is called first, to stop what is still open at the other side. */
export function createDeadline(timers: Timers, milliseconds: number, onTimeout: (reason: Error) => void): Deadline {
  let cancel: (() => void) | undefined;
  const expiry = Promise.withResolvers<never>();
  expiry.promise.catch(() => undefined);
  return {
    arm: () => {
      cancel ??= timers.after(milliseconds, () => {
        const reason = modelTimeout(milliseconds);
        expiry.reject(reason);
        onTimeout(reason);
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
 * Recognises which pieces of a stream of server-sent events carry data. Comments are how services keep a connection open
 * while their model works: they must not extend the time limit for ever.
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

export type Fetch = typeof globalThis.fetch;

export function boundFetch(fetch: Fetch, timers: Timers, milliseconds: number): Fetch {
  return async (input, init) => {
    const stop = new AbortController();
    const deadline = createDeadline(timers, milliseconds, (reason) => stop.abort(reason));
    const signal = init?.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
    deadline.arm();
    try {
      const response = await deadline.race(fetch(input, { ...init, redirect: "manual", signal }));
      const body = response.body as ReadableStream<Uint8Array> | null;
      const isEvents = response.headers.get("Content-Type")?.includes("text/event-stream") === true;
      if (body !== null)
        return new Response(boundChunks(body, deadline, isEvents ? countsEvents() : undefined), response);
      deadline.disarm();
      return response;
    } catch (error) {
      deadline.disarm();
      if (signal.aborted) throw error;
      // In this form the SDK knows a connection that could not be made, and repeats the call; workerd has its own.
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}
