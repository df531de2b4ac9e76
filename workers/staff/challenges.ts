/**
 * Challenges of passkeys. A challenge contains its expiry time and a code that authenticates it, so the server stores
 * only the challenges that were used to sign in.
 */
import { base64url } from "multiformats/bases/base64";
import type { Database } from "../../platform/database/database.ts";
import { equalBytes, sha256Hex } from "../../platform/digest.ts";
import { challengeKey } from "./store.ts";

/** Milliseconds that a person has to find their security key. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 8;

export interface Challenges {
  /** `purpose` binds it to one use, such as one invitation. */
  create(purpose: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The valid challenge's digest and end; `text` is in base64url. */
  check(purpose: string, text: string): Promise<{ readonly digest: string; readonly expiresAt: number } | undefined>;
}

/** `now` in Unix milliseconds. */
export function createChallenges(database: Database, now: number): Challenges {
  async function codeOf(purpose: string, payload: Uint8Array): Promise<Uint8Array> {
    const fresh = base64url.baseEncode(crypto.getRandomValues(new Uint8Array(32)));
    const secret = new TextEncoder().encode(await challengeKey(database, fresh));
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const text = new TextEncoder().encode(`${purpose} ${base64url.baseEncode(payload)}`);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
  }
  return {
    async create(purpose) {
      const payload = new Uint8Array(NONCE_BYTES + TIME_BYTES);
      crypto.getRandomValues(payload.subarray(0, NONCE_BYTES));
      new DataView(payload.buffer).setBigUint64(NONCE_BYTES, BigInt(now + CHALLENGE_LIFETIME_MS));
      const code = await codeOf(purpose, payload);
      const challenge = new Uint8Array(payload.length + code.length);
      challenge.set(payload);
      challenge.set(code, payload.length);
      return challenge;
    },
    async check(purpose, text) {
      const challenge = bytesOf(text);
      const payload = challenge?.slice(0, NONCE_BYTES + TIME_BYTES);
      if (challenge === undefined || payload?.length !== NONCE_BYTES + TIME_BYTES) return undefined;
      const expiresAt = Number(new DataView(payload.buffer).getBigUint64(NONCE_BYTES));
      const isGenuine = equalBytes(await codeOf(purpose, payload), challenge.slice(payload.length));
      return isGenuine && expiresAt > now ? { digest: await sha256Hex(text), expiresAt } : undefined;
    },
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  return /^[\w-]{1,200}$/.test(text) ? new Uint8Array(base64url.baseDecode(text)) : undefined;
}
