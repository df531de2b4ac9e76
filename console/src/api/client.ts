/**
 * The client of our own HTTP API, typed by the OpenAPI documents (`paths.d.ts`). Every request carries the key that its path
 * needs; every answer that is not ok is thrown as ApiFailure.
 */
import createFetchClient, { type Client } from "openapi-fetch";
import { ApiFailure, failureOf, failureOfThrown } from "./api-failure.ts";
import { credentialFor, type CredentialStore } from "./credentials.ts";
import type { paths } from "./paths.d.ts";

export type ApiClient = Client<paths>;

/** Paths that answer nobody without a key, so that a page without one does not ask. */
const neverPublic = /^\/v1\/(?!domains\/[^/]+\/card$)/;

/** As the global one; adds the key and turns failures into ApiFailure. Use it for paths that the documents do not type. */
export type AuthorizedFetch = (request: Request | string, init?: RequestInit) => Promise<Response>;

export function createAuthorizedFetch(credentials: CredentialStore, send: typeof fetch = fetch): AuthorizedFetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    const credential = credentialFor(path);
    const secret = credential === undefined ? undefined : credentials.read()[credential];
    if (!request.headers.has("Authorization")) {
      if (secret !== undefined) request.headers.set("Authorization", `Bearer ${secret}`);
      else if (neverPublic.test(path))
        throw new ApiFailure({ status: 401, code: "not_signed_in", message: "", credential });
    }
    let response;
    try {
      response = await send(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw failureOfThrown(error);
    }
    if (!response.ok && response.status !== 304) throw await failureOf(response, credential);
    return response;
  };
}

export function createApiClient(authorizedFetch: AuthorizedFetch, origin: string): ApiClient {
  return createFetchClient<paths>({ baseUrl: origin, fetch: authorizedFetch });
}
