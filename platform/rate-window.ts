/**
 * A sliding window that counts admitted requests exactly: a request is admitted if fewer than `limit` were admitted in
 * the window before it. Refused requests are not counted, so a caller that waits for the returned time is accepted.
 * Pure: it knows neither clock nor storage. Memory: at most two numbers per counted admission, of which there are at
 * most `limit`.
 */

/** The result of counting one request against a sliding window. */
export interface Admission {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next request can be admitted, at least 1; 0 if this one was. */
  readonly retryAfter: number;
}

export interface RateWindow {
  /** Counts one request. `now` is Unix milliseconds; a clock that steps back counts as stopped. */
  take(now: number, limit: number): Admission;
  /** Like `take`, without counting: whole seconds until a request can be admitted, 0 if one can be now. */
  wait(now: number, limit: number): number;
}

/** `earlier`: times of previous admissions in Unix milliseconds, ascending. */
export function createRateWindow(windowMs: number, earlier: readonly number[] = []): RateWindow {
  const admissions = [...earlier];
  // Entries before `first` have left the window; they are removed in bulk, so that one request's cost is constant.
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
    // The admission that makes room when it leaves; an older one if the limit was higher before.
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
