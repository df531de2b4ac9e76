/**
 * The timeouts of a model service: to its first byte and between bytes. A timeout becomes an error that failures.ts recognises. The
 * clock runs only while we wait for the service, so that a slow reader on our side is not taken for a silent service.
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

/** Marks our own timeout for the classifier, even in wrappers that keep only `cause`. */
const TIMEOUT_CODE = "MODEL_TIMEOUT";

export function isModelTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === TIMEOUT_CODE;
}

// Not named TimeoutError, which the AI SDK takes for an abort by the user: it would end the run without an error.
function modelTimeout(milliseconds: number): Error {
  return Object.assign(new Error(`The model service sent nothing for ${milliseconds} ms`), { code: TIMEOUT_CODE });
}

export interface Deadline {
  /** Starts the timer, unless it is running. */
  arm(): void;
  disarm(): void;
  /** Settles like `work`, or rejects once the time is up. */
  race<Value>(work: Promise<Value>): Promise<Value>;
}

/** `onTimeout` is called first, to close what is still open to the service. */
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
 * Recognises which chunks of a stream of server-sent events carry data. Services send comments to keep a connection open while
 * their model works; these must not extend the timeout.
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

/** Passes the bytes on. The wait for the next counted chunk is limited by the deadline. A cancel reaches the source. */
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
      // The SDK recognises a failed connection in this form, and retries the call; workerd reports it in a different form.
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}
