/**
 * The client of the HTTP API, typed by the OpenAPI documents (`paths.d.ts`). Every request carries the key that its path requires;
 * every response that is not ok is thrown as ApiFailure.
 */
import createFetchClient, { type Client } from "openapi-fetch";
import { ApiFailure, KEY_ENDED, failureOf, failureOfThrown } from "./api-failure.ts";
import { credentialFor, type CredentialStore } from "./credentials.ts";
import type { paths } from "./paths.d.ts";

export type ApiClient = Client<paths>;

/** Paths that the server refuses without a key, so a request without a key is not sent. */
const needsKey = /^\/v1\/(?!domains\/[^/]+\/card$)/;

/**
 * Works as the global `fetch`, adds the key, and throws failures as ApiFailure. Use it for paths that the documents do not type.
 * @param accepted statuses that are answers of this path and not failures, in addition to 2xx and 304.
 */
export type AuthorizedFetch = (
  request: Request | string,
  init?: RequestInit,
  accepted?: readonly number[],
) => Promise<Response>;

const NOT_MODIFIED = 304;

export function createAuthorizedFetch(credentials: CredentialStore, send: typeof fetch = fetch): AuthorizedFetch {
  return async (input, init, accepted = []) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    const credential = credentialFor(path);
    const secret = credential === undefined ? undefined : credentials.read()[credential];
    const sendsOwn = !request.headers.has("Authorization");
    if (sendsOwn) {
      if (credential === "apiKey" && credentials.keyEnd() !== undefined) throw keyEnded();
      if (secret !== undefined) request.headers.set("Authorization", `Bearer ${secret}`);
      else if (needsKey.test(path))
        throw new ApiFailure({ status: 401, code: "not_signed_in", message: "", credential });
    }
    let response;
    try {
      response = await send(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw failureOfThrown(error);
    }
    const { ok, status } = response;
    if (ok || status === NOT_MODIFIED || accepted.includes(status)) return response;
    const failure = await failureOf(response, credential);
    if (sendsOwn && credential === "apiKey" && secret !== undefined && failure.isWrongKey) {
      credentials.refuseKey(secret);
      if (credentials.keyEnd() !== undefined) throw keyEnded();
    }
    throw failure;
  };
}

/** The page reports once that the session has ended; further registry requests only wait. */
function keyEnded(): ApiFailure {
  return new ApiFailure({ status: 401, code: KEY_ENDED, message: "", credential: "apiKey" });
}

export function createApiClient(authorizedFetch: AuthorizedFetch, origin: string): ApiClient {
  return createFetchClient<paths>({ baseUrl: origin, fetch: (request) => authorizedFetch(request) });
}
