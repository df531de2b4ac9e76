/**
 * Access to a deployment: authentication, then the rate limit, before routing. Wrong keys are counted by address; past the limit
 * a wrong key has to wait, while open paths and keys that cannot have been guessed pass.
 */
import { createExpiringCache } from "../../platform/auth/expiring-cache.ts";
import type { AttemptLimit } from "../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";
import type { Gate } from "./authenticate.ts";

/** What of a request it looks at. */
interface Applicant {
  readonly headers: Headers;
  /** Raw, without the deployment's mount. */
  readonly path: string;
  /** What rate and failed attempts are counted by; not asked for where nothing is counted. */
  readonly address: () => string;
}

export type Admit = (applicant: Applicant) => Promise<Result<undefined, GatewayFault>>;

interface AdmissionParts {
  readonly gate?: Gate;
  readonly rate?: {
    /** Whole seconds to wait, 0 when the caller may go on. */
    readonly waitOf: (caller: string) => number;
    readonly by: "ip" | "key";
  };
  /** Of wrong keys; absent in development. */
  readonly attempts?: AttemptLimit;
}

export function createAdmission({ gate, rate, attempts }: AdmissionParts): Admit {
  /** Keys that were let in before: whoever has one is not guessing it. */
  const known = new Set<number>();

  return async ({ headers, path, address }) => {
    if (gate === undefined && rate === undefined) return success(undefined);
    const from = address();
    let label: string | undefined;
    if (gate !== undefined) {
      const admitted = await gate(headers, path);
      // Asked for after the gate: many share an address, and the wrong keys of one must not shut out the others.
      const braked = attempts?.refusal(from);
      if (!admitted.ok) {
        const { fault, isWrongKey } = admitted.error;
        if (!isWrongKey) return failure(fault);
        attempts?.failed(from);
        return braked === undefined ? failure(fault) : tooOften(braked.message, braked.retryAfter ?? 1);
      }
      label = admitted.value?.label;
      if (admitted.value !== undefined) {
        const isTrusted = admitted.value.isBeyondGuessing || known.has(admitted.value.key);
        // A short key might have been guessed just now, and its guesser must not learn so.
        if (braked !== undefined && !isTrusted) return tooOften(braked.message, braked.retryAfter ?? 1);
        known.add(admitted.value.key);
      }
    }
    const caller = rate?.by === "key" && label !== undefined ? `key ${label}` : `address ${from}`;
    const wait = rate?.waitOf(caller) ?? 0;
    return wait > 0 ? tooOften("Too many requests", wait) : success(undefined);
  };
}

function tooOften(message: string, retryAfter: number): Result<never, GatewayFault> {
  return failure({ code: GRPC.resourceExhausted, message, retryAfter });
}

interface RateSettings {
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
