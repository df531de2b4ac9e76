/**
 * Limits requests for each network. Counted per isolate: a caller may get more than the limit, never fewer. All secrets
 * here have 256 bits, so the limit saves work; it does not protect against guessing.
 */
import { createExpiringCache } from "../../platform/auth/verification-cache.ts";
import { createRateWindow, type RateWindow } from "../../platform/rate-window.ts";

/** Requests of one network in a minute: enough for an office where everyone signs in at nine o'clock. */
const REQUESTS_PER_MINUTE = 300;
const MINUTE_MS = 60_000;
/** Maximum networks tracked; the one that was added first is evicted first. */
const NETWORKS = 10_000;

export interface StaffRates {
  /** Seconds to wait; 0 if the request is admitted. `now` in Unix milliseconds. */
  take(counted: string, now: number): number;
}

export function createStaffRates(clock: () => number): StaffRates {
  const windows = createExpiringCache<RateWindow>(NETWORKS, clock);
  return {
    take(counted, now) {
      const window = windows.get(counted) ?? createRateWindow(MINUTE_MS);
      windows.set(counted, window, now + MINUTE_MS);
      return window.take(now, REQUESTS_PER_MINUTE).retryAfter;
    },
  };
}
