/**
 * Limits failed authentications per client address. Many people share an address, so every credential is checked, and
 * others' failures never refuse a right one; only a secret that is short enough to be guessed waits with its address.
 * Counted per isolate: a caller may get more attempts than the limit, never fewer.
 */
import { createExpiringCache } from "../auth/verification-cache.ts";
import { newFailure, type Failure } from "../failure.ts";
import { createRateWindow, type RateWindow } from "../rate-window.ts";

/** Failed attempts per address and minute. */
export const FAILED_ATTEMPTS_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Maximum addresses tracked; the one longest without a failure is evicted first. */
const ADDRESSES = 10_000;

/** Minimum characters of a secret that cannot be guessed at one address's rate. */
export const UNGUESSABLE_LENGTH = 16;

/** `guessable`: right, but so short that it may just have been guessed, and the guesser must not learn that. */
export type CheckedCredential = "wrong" | "guessable" | "beyond-guessing";

export interface AttemptLimit {
  /**
   * Counts a wrong credential. Returns why the address must wait, or undefined: an unguessable credential never waits.
   */
  judge(address: string, credential: CheckedCredential): Failure | undefined;
}

/** The guessability of a right secret. */
export function guessabilityOf(secret: string): CheckedCredential {
  return secret.length >= UNGUESSABLE_LENGTH ? "beyond-guessing" : "guessable";
}

/** `clock` returns milliseconds since 1970. */
export function createAttemptLimit(clock: () => number, limit = FAILED_ATTEMPTS_PER_MINUTE): AttemptLimit {
  const windows = createExpiringCache<RateWindow>(ADDRESSES, clock);
  return {
    judge(address, credential) {
      if (credential === "beyond-guessing") return undefined;
      const known = windows.get(address);
      const retryAfter = known?.wait(clock(), limit) ?? 0;
      if (credential === "wrong") {
        const window = known ?? createRateWindow(MINUTE_MS);
        window.take(clock(), limit);
        windows.set(address, window, clock() + MINUTE_MS);
      }
      if (retryAfter === 0) return undefined;
      return newFailure("rate_limited", "Too many failed attempts to sign in; wait before you try again", {
        retryAfter,
      });
    },
  };
}
