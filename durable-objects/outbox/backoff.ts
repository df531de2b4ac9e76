/**
 * When a failed delivery is tried again: exponential back-off with jitter, so that receivers that failed together are
 * not all asked again together. About 20 hours in all, long enough for a night's outage.
 */

/** Attempts before a message becomes a dead letter. */
export const ATTEMPTS = 10;
/** Milliseconds; a deployment of the receiver takes about as long. */
const FIRST_DELAY = 5_000;
const FACTOR = 4;
/** Milliseconds: 6 hours. */
export const LONGEST_DELAY = 21_600_000;
/** The share of a delay that is left to chance. */
const JITTER = 0.5;

/**
 * Milliseconds from the beginning of the failed attempt to the next one. `attempt` is the number of the failed one, from
 * 1; `random` is from 0 up to 1; `asked` is what the receiver asked for, heeded up to the longest delay.
 */
export function delayAfter(attempt: number, random: number, asked = 0): number {
  const whole = Math.min(LONGEST_DELAY, FIRST_DELAY * FACTOR ** (attempt - 1));
  const jittered = Math.round(whole * (1 - JITTER * random));
  return Math.max(jittered, Math.min(asked, LONGEST_DELAY));
}
