/**
 * Access to a chain profile: authentication, then the rate limit, before routing. Wrong keys are counted by address;
 * past the limit a wrong key must wait, while open paths and unguessable keys pass.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import type { AttemptLimit } from "../../../platform/http/attempt-limit.ts";
import { fail } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Authenticate } from "./authenticate.ts";

/** The inputs of an access decision. */
interface Credentials {
  readonly headers: Headers;
  /** Raw, without the profile's mount. */
  readonly path: string;
  /** The address by which rate and wrong keys are counted. */
  readonly address: () => string;
}

export type CheckAccess = (credentials: Credentials) => Promise<Result<undefined>>;

interface AccessOptions {
  /** At least one of this and `rate`: with neither there is nothing to check. */
  readonly authenticate?: Authenticate;
  readonly rate?: {
    /** Whole seconds to wait, 0 if the caller may continue. */
    readonly waitOf: (caller: string) => number;
    readonly by: "ip" | "key";
  };
  /** The limit on wrong keys; absent in development. */
  readonly attempts?: AttemptLimit;
}

export function createAccessCheck({ authenticate, rate, attempts }: AccessOptions): CheckAccess {
  /** Keys that were accepted before: a caller who has one is not guessing it. */
  const known = new Set<number>();

  return async ({ headers, path, address }) => {
    const from = address();
    let label: string | undefined;
    if (authenticate !== undefined) {
      const found = await authenticate(headers, path);
      if (!found.ok) {
        const { failure: refused, isWrongKey } = found.error;
        return failure((isWrongKey ? attempts?.judge(from, "wrong") : undefined) ?? refused);
      }
      label = found.value?.label;
      if (found.value !== undefined) {
        const { key, guessability } = found.value;
        const limited = known.has(key) ? undefined : attempts?.judge(from, guessability);
        if (limited !== undefined) return failure(limited);
        known.add(key);
      }
    }
    const caller = rate?.by === "key" && label !== undefined ? `key ${label}` : `address ${from}`;
    const wait = rate?.waitOf(caller) ?? 0;
    return wait > 0 ? fail("rate_limited", "Too many requests", { retryAfter: wait }) : success(undefined);
  };
}

interface RateSettings {
  readonly perMinute: number;
  /** Maximum burst after an idle period; by default the requests of a minute. */
  readonly burst?: number | undefined;
}

const MINUTE_MS = 60_000;
/** Maximum callers tracked; the one whose bucket was written longest ago is evicted first. */
const CALLERS = 10_000;

/**
 * Takes one request of a caller: 0 if it may continue, otherwise the whole seconds to wait. `clock` in Unix
 * milliseconds.
 */
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
    const isAllowed = tokens >= 1;
    const left = isAllowed ? tokens - 1 : tokens;
    // A full bucket equals a missing one.
    buckets.set(caller, { tokens: left, at: now }, now + Math.ceil((burst - left) / perMillisecond) + 1);
    return isAllowed ? 0 : Math.ceil((1 - tokens) / perMillisecond / 1000);
  };
}
