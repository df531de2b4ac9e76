/**
 * Failed authentications per client address: after 100 in a minute the address waits, whatever it
 * presents next. Kept in the isolate: a refusal is always true, a count may be higher elsewhere.
 */
import { createExpiringCache } from "../auth/verification-cache.ts";
import { newFailure, type Failure } from "../failure.ts";
import { createRateWindow, type RateWindow } from "../rate-window.ts";

/** Failed attempts per address and minute. */
export const FAILED_ATTEMPTS_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses remembered at once; the one longest without a failure leaves first. */
const ADDRESSES = 10_000;

export interface AttemptLimit {
  /** Why the address must wait, or nothing. */
  refusal(address: string): Failure | undefined;
  /** Counts one failed attempt. */
  failed(address: string): void;
}

/** `clock` answers milliseconds since 1970. */
export function createAttemptLimit(clock: () => number, limit = FAILED_ATTEMPTS_PER_MINUTE): AttemptLimit {
  const windows = createExpiringCache<RateWindow>(ADDRESSES, clock);
  return {
    refusal(address) {
      const retryAfter = windows.get(address)?.wait(clock(), limit) ?? 0;
      if (retryAfter === 0) return undefined;
      return newFailure("rate_limited", "Too many failed attempts to sign in; wait before the next", { retryAfter });
    },
    failed(address) {
      const window = windows.get(address) ?? createRateWindow(MINUTE_MS);
      window.take(clock(), limit);
      windows.set(address, window, clock() + MINUTE_MS);
    },
  };
}
