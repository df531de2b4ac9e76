/**
 * Equal requests at the same time share one answer: the first one's call is everybody's. The call belongs to nobody's request,
 * so that it goes on when the caller who began it leaves while others wait.
 */

export interface Waiter {
  /** Aborted when this caller has gone; absent: nobody waits for the answer, but it is wanted. */
  readonly signal?: AbortSignal;
  /** Milliseconds that this caller waits at most. */
  readonly patienceMs: number;
}

export type Shared<Value> =
  | { readonly kind: "landed"; readonly value: Value; readonly isOwn: boolean }
  /** The caller has gone; the caller's time is up. */
  | { readonly kind: "gone" | "late" };

export interface SingleFlight<Value> {
  /**
   * Joins the call under this key, or begins it. `keepAlive` is told of a call that begins, which must be let run to its end
   * whatever becomes of the request.
   */
  readonly share: (
    key: string,
    waiter: Waiter,
    begin: (signal: AbortSignal) => Promise<Value>,
    keepAlive: (work: Promise<unknown>) => void,
  ) => Promise<Shared<Value>>;
}

interface Flight<Value> {
  readonly landed: Promise<Value>;
  /** Unix milliseconds. Nobody joins it from then on: the platform may have ended its request, and then it never ends. */
  readonly until: number;
  waiting: number;
}

/** `clock` in Unix milliseconds. */
export function createSingleFlight<Value>(clock: () => number): SingleFlight<Value> {
  const flights = new Map<string, Flight<Value>>();

  function launch(
    key: string,
    { signal, patienceMs }: Waiter,
    begin: (signal: AbortSignal) => Promise<Value>,
    keepAlive: (work: Promise<unknown>) => void,
  ): Flight<Value> {
    const controller = new AbortController();
    const flight: Flight<Value> = {
      landed: begin(controller.signal).finally(() => {
        if (flights.get(key) === flight) flights.delete(key);
      }),
      until: clock() + patienceMs,
      waiting: 0,
    };
    // The platform may end a call only from the request that began it, so only its own caller can.
    signal?.addEventListener(
      "abort",
      () => {
        if (flight.waiting > 0) return;
        if (flights.get(key) === flight) flights.delete(key);
        controller.abort();
      },
      { once: true },
    );
    flights.set(key, flight);
    keepAlive(flight.landed.catch(() => undefined));
    return flight;
  }

  return {
    async share(key, waiter, begin, keepAlive) {
      if (waiter.signal?.aborted === true) return { kind: "gone" };
      const found = flights.get(key);
      const underWay = found !== undefined && clock() < found.until ? found : undefined;
      const isOwn = underWay === undefined;
      // Before the flight's own listener, so that a caller who leaves is no longer counted when that looks.
      const stopped = stopOf(waiter, () => (flight.waiting -= 1));
      const flight = underWay ?? launch(key, waiter, begin, keepAlive);
      flight.waiting += 1;
      try {
        const landed = flight.landed.then((value) => ({ kind: "landed", value, isOwn }) as const);
        return await Promise.race([landed, stopped.stopped]);
      } finally {
        stopped.end();
      }
    },
  };
}

/** Settles when the caller stops waiting; calls `leave` then, or at the end. */
function stopOf({ signal, patienceMs }: Waiter, leave: () => void) {
  const { promise, resolve } = Promise.withResolvers<{ readonly kind: "gone" | "late" }>();
  let hasLeft = false;
  const leaveOnce = (): void => {
    if (!hasLeft) leave();
    hasLeft = true;
  };
  const gone = (): void => {
    leaveOnce();
    resolve({ kind: "gone" });
  };
  const timer = setTimeout(() => resolve({ kind: "late" }), Math.max(0, patienceMs));
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
