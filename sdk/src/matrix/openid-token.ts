/** `getOpenIdToken`. The code that reads and stores the token loads with the first call. */
import type { GetOpenIdTokenParams } from "./kept-openid-token.ts";
import type { IOpenIDToken } from "./matrix-rooms.ts";

/**
 * Gets a Matrix OpenID token, which proves the user's identity to another service, such as a call service. The token is
 * stored encrypted for this user and renewed five minutes before it expires; `expires_in` counts from now. Throws
 * `RequestError` if the homeserver refuses, and `OfflineError` if it cannot be reached.
 *
 * @example
 * const token = await getOpenIdToken({ userId: "@ada:mx.example", matrixAccessToken, did: "did:ixo:ixo1..." });
 */
export async function getOpenIdToken(params: GetOpenIdTokenParams): Promise<IOpenIDToken> {
  const { keptOpenIdToken } = await import("./kept-openid-token.ts");
  return keptOpenIdToken(params);
}
