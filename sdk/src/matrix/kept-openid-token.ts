/**
 * A user's Matrix OpenID token: from the cache while it is good, else from their homeserver. The cache keeps it between two visits,
 * encrypted under a key that only the holder of their access token can derive. Each user has an entry of their own; an entry that
 * cannot be opened is removed.
 */
import type { TokenStore } from "../core/client-settings.ts";
import { homeServerUrl, serverOfUser } from "./home-server.ts";
import { requestOpenIdToken, type IOpenIDToken } from "./matrix-rooms.ts";

/** What `getOpenIdToken` takes. */
export interface GetOpenIdTokenParams {
  /** The Matrix user, such as `@did-ixo-ixo1...:mx.example`. */
  readonly userId: string;
  readonly matrixAccessToken: string;
  readonly did: string;
  /** Where the homeserver answers; by default at the name in `userId`, over https. */
  readonly homeServerUrl?: string | undefined;
  /** Where the token is kept, encrypted: `localStorage` by default; null keeps it nowhere. */
  readonly storage?: TokenStore | null | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export async function keptOpenIdToken(params: GetOpenIdTokenParams): Promise<IOpenIDToken> {
  const { userId, matrixAccessToken: accessToken, did, fetch } = params;
  const server = serverOfUser(userId);
  if (accessToken === "") throw new Error("A Matrix access token is needed for an OpenID token");
  if (did === "") throw new Error("The user's DID is needed for an OpenID token");
  const owner: CacheOwner = { did, userId, accessToken };
  const store = storeOf(params);
  let cacheFault: unknown;
  const kept = await cached(store, owner).catch((fault: unknown) => {
    cacheFault = fault;
  });
  if (kept !== undefined) return kept;
  const account = { homeServerUrl: homeServerUrl(params.homeServerUrl ?? server), accessToken, fetch };
  const token = await requestOpenIdToken(account, userId).catch((error: unknown) => {
    // Only now is it of interest that there was a token that could not be read.
    if (error instanceof Error && cacheFault !== undefined) error.cause ??= cacheFault;
    throw error;
  });
  // A full or forbidden storage costs a request at the next visit, and nothing else.
  if (store !== undefined) await keepToken(store, owner, token, Date.now()).catch(() => undefined);
  return token;
}

async function cached(store: TokenStore | undefined, owner: CacheOwner): Promise<IOpenIDToken | undefined> {
  return store === undefined ? undefined : readToken(store, owner, Date.now());
}

/** None on a server, in a page without a secure origin, and where the user forbids it. */
function storeOf({ storage }: GetOpenIdTokenParams): TokenStore | undefined {
  if (storage === null || globalThis.crypto?.subtle === undefined) return undefined;
  try {
    return storage ?? globalThis.localStorage;
  } catch {
    return undefined;
  }
}

interface CacheOwner {
  readonly did: string;
  /** The Matrix user whom the token names. */
  readonly userId: string;
  readonly accessToken: string;
}

/** Milliseconds before its end at which a token is no longer handed out. */
export const OPENID_MARGIN_MS = 5 * 60_000;

const SALT_BYTES = 16;
/** Of AES-GCM. */
const NONCE_BYTES = 12;

interface Kept {
  readonly token: IOpenIDToken;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Undefined when there is none that is good for longer than the margin. Throws when what is there cannot be opened. */
export async function readToken(store: TokenStore, owner: CacheOwner, now: number): Promise<IOpenIDToken | undefined> {
  const entry = store.getItem(entryName(owner));
  if (entry === null) return undefined;
  try {
    const bytes = fromBase64(entry);
    const [salt, nonce] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES)];
    const sealed = bytes.subarray(SALT_BYTES + NONCE_BYTES);
    const opened = await crypto.subtle.decrypt(sealing(nonce, owner), await keyFor(owner, salt), sealed);
    const { token, expiresAt } = JSON.parse(new TextDecoder().decode(opened)) as Kept;
    if (expiresAt - now > OPENID_MARGIN_MS) return { ...token, expires_in: Math.floor((expiresAt - now) / 1000) };
    store.removeItem(entryName(owner));
    return undefined;
  } catch (error) {
    store.removeItem(entryName(owner));
    throw error;
  }
}

export async function keepToken(store: TokenStore, owner: CacheOwner, token: IOpenIDToken, now: number): Promise<void> {
  const [salt, nonce] = [SALT_BYTES, NONCE_BYTES].map((length) => crypto.getRandomValues(new Uint8Array(length)));
  if (salt === undefined || nonce === undefined) return;
  const kept: Kept = { token, expiresAt: now + token.expires_in * 1000 };
  const text = new TextEncoder().encode(JSON.stringify(kept));
  const sealed = await crypto.subtle.encrypt(sealing(nonce, owner), await keyFor(owner, salt), text);
  store.setItem(entryName(owner), toBase64(new Uint8Array([...salt, ...nonce, ...new Uint8Array(sealed)])));
}

function entryName({ did }: CacheOwner): string {
  return `twinedge-openid:${did}`;
}

/** An access token is random, so that one step of derivation is enough; the salt makes each entry's key another one. */
async function keyFor({ accessToken }: CacheOwner, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(accessToken), "HKDF", false, [
    "deriveKey",
  ]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode("twinedge openid token") };
  return crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** An entry opens only for the user that it was sealed for. */
function sealing(iv: Uint8Array<ArrayBuffer>, { did, userId }: CacheOwner): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${did}\n${userId}`) };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
