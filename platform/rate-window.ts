/**
 * A sliding window that counts admitted requests exactly: a request is admitted when fewer than `limit` were admitted in
 * the window before it. Refused requests are not counted, so that a caller that waits that long is accepted. Pure: it knows neither
 * clock nor storage. Memory: at most two numbers per admission that still counts, of which there are at most `limit`.
 */

/** The outcome of counting one request against a sliding window. */
export interface Admission {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next request can be admitted, at least 1; 0 when this one was. */
  readonly retryAfter: number;
}

export interface RateWindow {
  /** Counts one request. `now` is Unix milliseconds; a clock that steps back counts as standing still. */
  take(now: number, limit: number): Admission;
  /** The same answer without counting: whole seconds until a request can be admitted, 0 when one can be now. */
  wait(now: number, limit: number): number;
}

/** `earlier`: when previous admissions happened, Unix milliseconds, ascending. */
export function createRateWindow(windowMs: number, earlier: readonly number[] = []): RateWindow {
  const admissions = [...earlier];
  // Those before `first` have left the window; they are cut off in bulk, which keeps one request's cost constant.
  let first = 0;
  let latest = admissions.at(-1) ?? -Infinity;

  function forget(now: number): void {
    while (first < admissions.length && (admissions[first] ?? now) + windowMs <= now) first += 1;
    if (first * 2 < admissions.length) return;
    admissions.splice(0, first);
    first = 0;
  }

  function wait(clock: number, limit: number): number {
    latest = Math.max(clock, latest);
    forget(latest);
    const counted = admissions.length - first;
    if (counted < limit) return 0;
    // The admission whose leaving makes room; an older one when the limit was higher before.
    const blocking = admissions[first + counted - limit] ?? latest;
    return Math.ceil((blocking + windowMs - latest) / 1000);
  }

  return {
    wait,
    take(now, limit) {
      const retryAfter = wait(now, limit);
      const counted = admissions.length - first;
      if (retryAfter > 0) return { admitted: false, limit, remaining: 0, retryAfter };
      admissions.push(latest);
      return { admitted: true, limit, remaining: limit - counted - 1, retryAfter: 0 };
    },
  };
}
