/**
 * A user's Matrix OpenID token: from the cache while it is valid, or else from the user's homeserver. The cache stores
 * it between two visits, encrypted with a key that only the holder of the user's access token can derive. Each user has
 * a separate entry. An entry that cannot be decrypted is removed.
 */
import type { TokenStore } from "../core/client-settings.ts";
import { homeServerUrl, serverOfUser } from "./home-server.ts";
import { requestOpenIdToken, type IOpenIDToken } from "./matrix-rooms.ts";

/** The parameter of `getOpenIdToken`. */
export interface GetOpenIdTokenParams {
  /** The Matrix user, such as `@did-ixo-ixo1...:mx.example`. */
  readonly userId: string;
  readonly matrixAccessToken: string;
  readonly did: string;
  /** The address of the homeserver. Default: the name in `userId`, over https. */
  readonly homeServerUrl?: string | undefined;
  /** The store of the encrypted token. Default: `localStorage`. Null stores it nowhere. */
  readonly storage?: TokenStore | null | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export async function keptOpenIdToken(params: GetOpenIdTokenParams): Promise<IOpenIDToken> {
  const { userId, matrixAccessToken: accessToken, did, fetch } = params;
  const server = serverOfUser(userId);
  if (accessToken === "") throw new Error("An OpenID token needs a Matrix access token");
  if (did === "") throw new Error("An OpenID token needs the user's DID");
  const owner: CacheOwner = { did, userId, accessToken };
  const store = storeOf(params);
  let cacheFault: unknown;
  const kept = await cached(store, owner).catch((fault: unknown) => {
    cacheFault = fault;
  });
  if (kept !== undefined) return kept;
  const account = { homeServerUrl: homeServerUrl(params.homeServerUrl ?? server), accessToken, fetch };
  const token = await requestOpenIdToken(account, userId).catch((error: unknown) => {
    // Now the error of the unreadable cached token is useful.
    if (error instanceof Error && cacheFault !== undefined) error.cause ??= cacheFault;
    throw error;
  });
  // If the storage is full or forbidden, the only cost is a request at the next visit.
  if (store !== undefined) await keepToken(store, owner, token, Date.now()).catch(() => undefined);
  return token;
}

async function cached(store: TokenStore | undefined, owner: CacheOwner): Promise<IOpenIDToken | undefined> {
  return store === undefined ? undefined : readToken(store, owner, Date.now());
}

/** Undefined on a server, on a page without a secure origin, and if the user forbids storage. */
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
  /** The Matrix user of the token. */
  readonly userId: string;
  readonly accessToken: string;
}

/** Milliseconds before its expiry from which a token is no longer returned. */
export const OPENID_MARGIN_MS = 5 * 60_000;

const SALT_BYTES = 16;
/** The length for AES-GCM. */
const NONCE_BYTES = 12;

interface Kept {
  readonly token: IOpenIDToken;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Undefined if no token is valid for longer than the margin. Throws if the entry cannot be decrypted. */
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

/** An access token is random, so one derivation step is enough. The salt makes each entry's key different. */
async function keyFor({ accessToken }: CacheOwner, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(accessToken), "HKDF", false, [
    "deriveKey",
  ]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode("twinedge openid token") };
  return crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** An entry can be decrypted only for the user that it was encrypted for. */
function sealing(iv: Uint8Array<ArrayBuffer>, { did, userId }: CacheOwner): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${did}\n${userId}`) };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
