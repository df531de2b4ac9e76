/** `getOpenIdToken`: what it takes and answers. How it is read and kept is loaded with the first call. */
import type { TokenStore } from "../core/oracle-client.ts";
import type { IOpenIDToken } from "./matrix-rooms.ts";

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
  const { keptOpenIdToken } = await import("./kept-openid-token.ts");
  return keptOpenIdToken(params);
}
