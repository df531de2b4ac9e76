/** A user's Matrix OpenID token: from the cache while it is good, else from their homeserver. */
import type { TokenStore } from "../core/oracle-client.ts";
import { homeServerUrl, serverOfUser } from "./home-server.ts";
import { requestOpenIdToken, type IOpenIDToken } from "./matrix-rooms.ts";
import { keepToken, readToken, type CacheOwner } from "./token-cache.ts";

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

/**
 * A Matrix OpenID token, by which another service (such as one for calls) learns who the user is. It is kept encrypted for this
 * user, and asked for again five minutes before it ends; `expires_in` counts from now on. Throws `RequestError` when the homeserver
 * refuses and `OfflineError` when it cannot be reached.
 *
 * @example
 * const token = await getOpenIdToken({ userId: "@ada:mx.example", matrixAccessToken, did: "did:ixo:ixo1..." });
 */
export async function getOpenIdToken(params: GetOpenIdTokenParams): Promise<IOpenIDToken> {
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
