/**
 * Positive verdicts on tokens, by SHA-256 of the token, until the token expires.
 * Negative ones are never kept: they would let anyone fill the memory. Neither is the token itself.
 */
import { sha256 } from "../digest.ts";
import { createExpiringCache } from "./expiring-cache.ts";

/** Entries; the oldest leaves first. With the bounds below, 30 MB at the very worst and 2 MB in practice. */
export const VERDICT_CAPACITY = 4_096;
/** Characters; a larger token is verified each time, so that a few of them cannot fill the memory. */
const MAX_CACHED_TOKEN = 8 * 1024;
const MAX_CACHED_CAPABILITIES = 16;
/** Milliseconds a verdict without an expiry of its own is kept. */
const ENDLESS_VERDICT_LIFETIME = 3_600_000;

export type Verdict =
  | { readonly kind: "invocation"; readonly issuer: string; readonly expiration: number }
  | {
      readonly kind: "delegation";
      readonly issuer: string;
      readonly audience: string;
      readonly expiration: number | null;
      readonly capabilities: readonly { readonly can: string; readonly with: string }[];
    };

export interface VerdictCache {
  recall<Kind extends Verdict["kind"]>(
    kind: Kind,
    token: string,
  ): Promise<Extract<Verdict, { kind: Kind }> | undefined>;
  remember(token: string, verdict: Verdict): Promise<void>;
}

/** `clock` answers milliseconds since 1970. */
export function createVerdictCache(clock: () => number, capacity: number = VERDICT_CAPACITY): VerdictCache {
  const verdicts = createExpiringCache<Verdict>(capacity, clock);
  return {
    async recall(kind, token) {
      if (token.length > MAX_CACHED_TOKEN) return undefined;
      const verdict = verdicts.get(await keyOf(kind, token));
      return verdict !== undefined && isOf(kind, verdict) ? verdict : undefined;
    },
    async remember(token, verdict) {
      const size = verdict.kind === "delegation" ? verdict.capabilities.length : 1;
      if (token.length > MAX_CACHED_TOKEN || size > MAX_CACHED_CAPABILITIES) return;
      const until = verdict.expiration === null ? clock() + ENDLESS_VERDICT_LIFETIME : verdict.expiration * 1000;
      verdicts.set(await keyOf(verdict.kind, token), verdict, until);
    },
  };
}

function isOf<Kind extends Verdict["kind"]>(kind: Kind, verdict: Verdict): verdict is Extract<Verdict, { kind: Kind }> {
  return verdict.kind === kind;
}

/** An invocation and a delegation are judged by different rules, so the same token may have a verdict as each. */
async function keyOf(kind: Verdict["kind"], token: string): Promise<string> {
  return `${kind} ${String.fromCharCode(...(await sha256(token)))}`;
}
