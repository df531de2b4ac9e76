/**
 * Requests of a sign-in. Their addresses come from other servers, so each address is checked before a byte is sent, and time and
 * size are limited.
 */
import { guardedFetch, readLimited, type GuardedRequest } from "../../framework/guarded-fetch.ts";

/** Time limit of one request, milliseconds: a user or a turn waits for it. */
export const REQUEST_MS = 10_000;
/** Maximum size of an answer, bytes: a metadata document or a token has a few KiB. */
export const ANSWER_BYTES = 64 * 1024;
/** Redirects of a metadata document. A request with a code, a token or a registration is never redirected. */
const METADATA_REDIRECTS = 3;

export type FetchLike = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** No usable answer. Its message names at most the host: addresses and bodies of a sign-in can be secret. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** `serverUrl`: the operator's configured address, the one host that may be private or without https. */
export function signInFetch(serverUrl: string, send?: GuardedRequest["fetch"]): FetchLike {
  return async (address, { method = "GET", headers, body } = {}) => {
    const answered = await guardedFetch(address, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: textOf(body) }),
      allowedHosts: hostsFor(address, serverUrl),
      redirects: method === "GET" ? METADATA_REDIRECTS : 0,
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(send === undefined ? {} : { fetch: send }),
    });
    if (!answered.ok) throw new NoAnswer(answered.error.message);
    const { response } = answered.value;
    const bytes = await readLimited(response, ANSWER_BYTES);
    if (!bytes.ok) throw new NoAnswer(`The answer was ${bytes.error === "too_large" ? "too large" : "cut off"}`);
    const { status, statusText } = response;
    return new Response(bytes.value.byteLength === 0 ? null : bytes.value, {
      status,
      statusText,
      headers: response.headers,
    });
  };
}

/** The server's own host. If the server is on a developer's machine, its authorization server may use another port. */
function hostsFor(address: string | URL, serverUrl: string): readonly string[] {
  const server = new URL(serverUrl);
  const asked = URL.parse(String(address));
  const areBothLocal = isLoopback(server.hostname) && asked !== null && isLoopback(asked.hostname);
  return areBothLocal ? [server.host, asked.host] : [server.host];
}

export function isLoopback(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function textOf(body: BodyInit): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("a sign-in sends text");
}
