/**
 * How often one caller may ask (contract D, section 12; decisions 1.7): a bucket per caller, in the isolate. A refusal is
 * always true; elsewhere the same caller may have a bucket of its own.
 */
import { createExpiringCache } from "../../platform/auth/expiring-cache.ts";

export interface RateSettings {
  readonly perMinute: number;
  /** How many at once, after a rest; absent: as many as a minute has. */
  readonly burst?: number | undefined;
}

const MINUTE_MS = 60_000;
/** Callers remembered at once; the one whose bucket was written longest ago leaves first. */
const CALLERS = 10_000;

/** Takes one request of a caller: 0 when it may go on, else the whole seconds to wait. `clock` in Unix milliseconds. */
export function createRequestRate(
  { perMinute, burst = perMinute }: RateSettings,
  clock: () => number,
): (caller: string) => number {
  const perMillisecond = perMinute / MINUTE_MS;
  const buckets = createExpiringCache<{ readonly tokens: number; readonly at: number }>(CALLERS, clock);
  return (caller) => {
    const now = clock();
    const bucket = buckets.get(caller) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) * perMillisecond);
    const isAdmitted = tokens >= 1;
    const left = isAdmitted ? tokens - 1 : tokens;
    // A full bucket is the same as none.
    buckets.set(caller, { tokens: left, at: now }, now + Math.ceil((burst - left) / perMillisecond) + 1);
    return isAdmitted ? 0 : Math.ceil((1 - tokens) / perMillisecond / 1000);
  };
}
