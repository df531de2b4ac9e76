/**
 * Equal concurrent requests share one call and its response. The call does not end with the request that started it
 * while others wait.
 */

export interface Waiter {
  /** Aborted when this caller has disconnected; absent for a background refresh, for which no caller waits. */
  readonly signal?: AbortSignal;
  /** Maximum milliseconds that this caller waits. */
  readonly timeoutMs: number;
}

export type Shared<Value> =
  | { readonly kind: "shared"; readonly value: Value; readonly isOwn: boolean }
  /** The caller has disconnected; the caller has timed out. */
  | { readonly kind: "gone" | "timeout" };

export interface SingleFlight<Value> {
  /**
   * Joins the call under this key, or starts it. `keepAlive` gets the promise of a new call, which must run to its end
   * whatever happens to the request.
   */
  readonly share: (
    key: string,
    waiter: Waiter,
    begin: (signal: AbortSignal) => Promise<Value>,
    keepAlive: (work: Promise<unknown>) => void,
  ) => Promise<Shared<Value>>;
}

interface InFlightCall<Value> {
  readonly result: Promise<Value>;
  /**
   * Unix milliseconds. No request joins it after that: the platform may have ended its request, and then it never ends.
   */
  readonly until: number;
  waiting: number;
}

/** `clock` in Unix milliseconds. */
export function createSingleFlight<Value>(clock: () => number): SingleFlight<Value> {
  const inFlight = new Map<string, InFlightCall<Value>>();

  function start(
    key: string,
    { signal, timeoutMs }: Waiter,
    begin: (signal: AbortSignal) => Promise<Value>,
    keepAlive: (work: Promise<unknown>) => void,
  ): InFlightCall<Value> {
    const controller = new AbortController();
    const call: InFlightCall<Value> = {
      result: begin(controller.signal).finally(() => {
        if (inFlight.get(key) === call) inFlight.delete(key);
      }),
      until: clock() + timeoutMs,
      waiting: 0,
    };
    // The platform can end a call only from the request that began it, so only its own caller can.
    signal?.addEventListener(
      "abort",
      () => {
        if (call.waiting > 0) return;
        if (inFlight.get(key) === call) inFlight.delete(key);
        controller.abort();
      },
      { once: true },
    );
    inFlight.set(key, call);
    keepAlive(call.result.catch(() => undefined));
    return call;
  }

  return {
    async share(key, waiter, begin, keepAlive) {
      if (waiter.signal?.aborted === true) return { kind: "gone" };
      const found = inFlight.get(key);
      const running = found !== undefined && clock() < found.until ? found : undefined;
      const isOwn = running === undefined;
      // Before the call's own listener, so that a caller who disconnects is no longer counted when that listener
      // checks.
      const stopped = stopOf(waiter, () => (call.waiting -= 1));
      const call = running ?? start(key, waiter, begin, keepAlive);
      call.waiting += 1;
      try {
        const shared = call.result.then((value) => ({ kind: "shared", value, isOwn }) as const);
        return await Promise.race([shared, stopped.stopped]);
      } finally {
        stopped.end();
      }
    },
  };
}

/** Resolves when the caller stops waiting; calls `leave` then, or at the end. */
function stopOf({ signal, timeoutMs }: Waiter, leave: () => void) {
  const { promise, resolve } = Promise.withResolvers<{ readonly kind: "gone" | "timeout" }>();
  let hasLeft = false;
  const leaveOnce = (): void => {
    if (!hasLeft) leave();
    hasLeft = true;
  };
  const gone = (): void => {
    leaveOnce();
    resolve({ kind: "gone" });
  };
  const timer = setTimeout(() => resolve({ kind: "timeout" }), Math.max(0, timeoutMs));
  signal?.addEventListener("abort", gone, { once: true });
  return {
    stopped: promise,
    end: (): void => {
      leaveOnce();
      clearTimeout(timer);
      signal?.removeEventListener("abort", gone);
    },
  };
}
