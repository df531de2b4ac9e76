/** `getOpenIdToken`. How the token is read and kept is loaded with the first call. */
import type { GetOpenIdTokenParams } from "./kept-openid-token.ts";
import type { IOpenIDToken } from "./matrix-rooms.ts";

/**
 * A Matrix OpenID token, by which another service (such as one for calls) learns who the user is. It is kept encrypted for this
 * user, and asked for again five minutes before it ends; `expires_in` counts from now on. Throws `RequestError` when the homeserver
 * refuses and `OfflineError` when it cannot be reached.
 *
 * @example
 * const token = await getOpenIdToken({ userId: "@ada:mx.example", matrixAccessToken, did: "did:ixo:ixo1..." });
 */
export async function getOpenIdToken(params: GetOpenIdTokenParams): Promise<IOpenIDToken> {
  const { keptOpenIdToken } = await import("./kept-openid-token.ts");
  return keptOpenIdToken(params);
}
