/**
 * Failed authentications per client address. Many people share an address, so every credential is checked, and the failures
 * of others never refuse a right one; only a secret that is short enough to be guessed waits with its address. Kept in the
 * isolate: a refusal is always true, a count may be higher elsewhere.
 */
import { createExpiringCache } from "../auth/verification-cache.ts";
import { newFailure, type Failure } from "../failure.ts";
import { createRateWindow, type RateWindow } from "../rate-window.ts";

/** Failed attempts per address and minute. */
export const FAILED_ATTEMPTS_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses remembered at once; the one longest without a failure leaves first. */
const ADDRESSES = 10_000;

/** Characters from which a secret cannot be found at the rate that one address has. */
export const UNGUESSABLE_LENGTH = 16;

/** `guessable`: right, but so short that it might have been guessed just now, and its guesser must not learn so. */
export type CheckedCredential = "wrong" | "guessable" | "beyond-guessing";

export interface AttemptLimit {
  /** Counts a wrong credential. Returns why the address must wait, or nothing: a credential beyond guessing never waits. */
  judge(address: string, credential: CheckedCredential): Failure | undefined;
}

/** Of a right secret. */
export function guessabilityOf(secret: string): CheckedCredential {
  return secret.length >= UNGUESSABLE_LENGTH ? "beyond-guessing" : "guessable";
}

/** `clock` answers milliseconds since 1970. */
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
