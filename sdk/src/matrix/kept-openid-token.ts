/** A user's Matrix OpenID token: from the cache while it is good, else from their homeserver. */
import type { TokenStore } from "../core/oracle-client.ts";
import { homeServerUrl, serverOfUser } from "./home-server.ts";
import { requestOpenIdToken, type IOpenIDToken } from "./matrix-rooms.ts";
import type { GetOpenIdTokenParams } from "./openid-token.ts";
import { keepToken, readToken, type CacheOwner } from "./token-cache.ts";

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
