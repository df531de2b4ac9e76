/** Requests of the application in the user's name, to any address. */
import { createHttp } from "../core/http.ts";
import { createTokens } from "../core/tokens.ts";
import type { ClientPool } from "./client-pool.ts";

export type RequestMethod = "GET" | "POST" | "PUT" | "DELETE" | "PATCH";

/**
 * Sends a request and returns the JSON of its answer. With `oracleDid` it carries the user's tokens for that oracle, which are
 * renewed when they are refused; without it it carries none.
 *
 * @throws `RequestError` for a refusal, `OfflineError` when nobody answered
 */
export async function sendAuthed<Result>(
  clients: ClientPool,
  userDid: string,
  target: { readonly url: string; readonly method: RequestMethod; readonly oracleDid: string | undefined },
  { body, headers, signal }: RequestInit = {},
): Promise<Result> {
  const { oracleDid } = target;
  // A path is one of the page's own server.
  const here = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const { origin, pathname, search } = new URL(target.url, here);
  const tokens =
    oracleDid === undefined
      ? createTokens({ userDid, oracleDid: "", creators: () => ({}), store: null })
      : clients.actingTokens(userDid, oracleDid);
  const given = Object.fromEntries(new Headers(headers));
  const isText = typeof body === "string";
  return await createHttp({ endpoints: { apiUrl: origin }, tokens }).json<Result>(pathname + search, {
    method: target.method,
    headers: { ...(isText && { "content-type": "application/json" }), ...given },
    signed: oracleDid !== undefined,
    ...(body !== undefined && body !== null && { raw: body }),
    ...(signal !== undefined && signal !== null && { signal }),
  });
}
