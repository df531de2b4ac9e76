/**
 * The bounded caches of an isolate. Valid verification results are cached by SHA-256 of the token until the token
 * expires, or until the keys that it depends on are looked up again. Invalid ones are never cached, because anyone
 * could fill the memory with them; neither is the token itself.
 */
import { sha256 } from "../digest.ts";

/** A bounded cache. The oldest entry is dropped when it is full; an entry that is written again counts as new. */
export interface ExpiringCache<Value> {
  get(key: string): Value | undefined;
  /** `until` in milliseconds since 1970: at that time the entry expires. */
  set(key: string, value: Value, until: number): void;
  delete(key: string): void;
}

/** `clock` returns milliseconds since 1970. */
export function createExpiringCache<Value>(capacity: number, clock: () => number): ExpiringCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock() < entry.until) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, until) {
      entries.delete(key);
      entries.set(key, { value, until });
      if (entries.size <= capacity) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
  };
}

/** Entries; the oldest is evicted first. With the bounds below, 30 MB at worst and 2 MB in practice. */
export const VERIFICATION_CAPACITY = 4_096;
/** Characters; a larger token is verified each time, so that a few of them cannot fill the memory. */
const MAX_CACHED_TOKEN = 8 * 1024;
const MAX_CACHED_CAPABILITIES = 16;
/** Milliseconds for which a verification without an expiry is cached. */
const ENDLESS_LIFETIME = 3_600_000;

export type Verification =
  | { readonly kind: "invocation"; readonly issuer: string; readonly root?: string; readonly expiration: number }
  | {
      readonly kind: "delegation";
      readonly cid: string;
      readonly issuer: string;
      readonly audience: string;
      readonly expiration: number | null;
      readonly capabilities: readonly { readonly can: string; readonly with: string }[];
    };

export interface VerificationCache {
  recall<Kind extends Verification["kind"]>(
    kind: Kind,
    token: string,
  ): Promise<Extract<Verification, { kind: Kind }> | undefined>;
  /** `knownUntil`: milliseconds since 1970 until which the keys are known; absent if they never change. */
  remember(token: string, verification: Verification, knownUntil?: number): Promise<void>;
}

/** `clock` returns milliseconds since 1970. */
export function createVerificationCache(
  clock: () => number,
  capacity: number = VERIFICATION_CAPACITY,
): VerificationCache {
  const verifications = createExpiringCache<Verification>(capacity, clock);
  return {
    async recall(kind, token) {
      if (token.length > MAX_CACHED_TOKEN) return undefined;
      const verification = verifications.get(await keyOf(kind, token));
      return verification !== undefined && isOf(kind, verification) ? verification : undefined;
    },
    async remember(token, verification, knownUntil = Infinity) {
      const size = verification.kind === "delegation" ? verification.capabilities.length : 1;
      if (token.length > MAX_CACHED_TOKEN || size > MAX_CACHED_CAPABILITIES) return;
      const end = verification.expiration === null ? clock() + ENDLESS_LIFETIME : verification.expiration * 1000;
      verifications.set(await keyOf(verification.kind, token), verification, Math.min(end, knownUntil));
    },
  };
}

function isOf<Kind extends Verification["kind"]>(
  kind: Kind,
  verification: Verification,
): verification is Extract<Verification, { kind: Kind }> {
  return verification.kind === kind;
}

/** An invocation and a delegation are judged by different rules, so one token may have a verification for each. */
async function keyOf(kind: Verification["kind"], token: string): Promise<string> {
  return `${kind} ${String.fromCharCode(...(await sha256(token)))}`;
}
