/**
 * `guardedFetch`: a request to an untrusted address, such as one from a user, a page or another server. Each address, including
 * redirects, is checked before a byte is sent, and a body is read up to a limit.
 */
import { abandon, readBytes } from "../../platform/http/body.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { fetchableAddress } from "./fetchable-address.ts";

/** Maximum number of redirects. */
export const REDIRECTS = 5;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** The only headers that another origin receives: tokens in custom headers are dropped. */
const HEADERS_FOR_ALL = ["accept", "accept-language", "content-type", "range", "user-agent"];

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not a stream: a redirect may need to send it again. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  /** `host` or `host:port` for which http, private addresses and every port are allowed, as named by the operator. */
  readonly allowedHosts?: readonly string[];
  /** Maximum number of redirects; 5 by default. */
  readonly redirects?: number;
  /** Defaults to the platform's fetch. */
  readonly fetch?: (address: URL, init: RequestInit) => Promise<Response>;
}

export interface GuardedResponse {
  readonly response: Response;
  /** The final address, after redirects. */
  readonly url: URL;
}

export interface FetchRefusal {
  /** `refused_address`: nothing was sent to it. `unreachable`: no response. `aborted`: the signal fired. */
  readonly reason: "refused_address" | "too_many_redirects" | "unreachable" | "aborted";
  /** A sentence that omits path, query and headers. */
  readonly message: string;
}

/** Any status is a response; a redirect with a `Location` is followed. After a change of origin, only a few headers are sent. */
export async function guardedFetch(
  address: string | URL,
  { allowedHosts = [], redirects = REDIRECTS, signal, fetch: send = platformFetch, ...request }: GuardedRequest = {},
): Promise<Result<GuardedResponse, FetchRefusal>> {
  let sent = requestOf(request);
  let checked = fetchableAddress(address, allowedHosts);
  for (let followed = 0; ; followed += 1) {
    if (!checked.ok) return failure({ reason: "refused_address", message: checked.error });
    const url = checked.value;
    const answered = await sendOnce(send, url, { ...sent, ...(signal === undefined ? {} : { signal }) });
    if (!answered.ok) return answered;
    const response = answered.value;
    const location = REDIRECT_STATUSES.includes(response.status) ? response.headers.get("Location") : null;
    if (location === null) return success({ response, url });
    abandon(response.body);
    if (followed >= redirects)
      return failure({ reason: "too_many_redirects", message: `${url.host} redirects too often` });
    const next = URL.parse(location, url.href);
    if (next === null) return failure({ reason: "refused_address", message: "The address is not an absolute URL" });
    checked = fetchableAddress(next, allowedHosts);
    sent = redirected(sent, response.status, next.origin === url.origin);
  }
}

const platformFetch: NonNullable<GuardedRequest["fetch"]> = (url, init) => fetch(url, init);

interface SentRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: "manual";
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

function requestOf({ method = "GET", headers = {}, body }: GuardedRequest): SentRequest {
  const sent = { method: method.toUpperCase(), headers: new Headers(headers), redirect: "manual" } as const;
  return body === undefined ? sent : { ...sent, body };
}

async function sendOnce(
  send: NonNullable<GuardedRequest["fetch"]>,
  url: URL,
  init: RequestInit,
): Promise<Result<Response, FetchRefusal>> {
  const isAborted = (): boolean => init.signal?.aborted === true;
  if (isAborted()) return failure({ reason: "aborted", message: `The request to ${url.host} was cancelled` });
  try {
    return success(await send(url, init));
  } catch {
    return isAborted()
      ? failure({ reason: "aborted", message: `The request to ${url.host} was cancelled` })
      : failure({ reason: "unreachable", message: `${url.host} could not be reached` });
  }
}

/** The request that follows a redirect with this status. */
function redirected({ body, ...request }: SentRequest, status: number, toSameOrigin: boolean): SentRequest {
  const repeats = status === 307 || status === 308;
  const method = repeats || request.method === "HEAD" ? request.method : "GET";
  const kept = [...request.headers].filter(([name]) => {
    if (!toSameOrigin && !HEADERS_FOR_ALL.includes(name)) return false;
    return repeats || !name.startsWith("content-");
  });
  return {
    method,
    headers: new Headers(kept),
    redirect: "manual",
    ...(repeats && body !== undefined ? { body } : {}),
  };
}

/** A response's body as bytes. Reading stops as soon as the body is known to exceed `limit`. */
export async function readLimited(
  response: Pick<Response, "body" | "headers">,
  limit: number,
): Promise<Result<Uint8Array<ArrayBuffer>, "too_large" | "broken">> {
  if (Number(response.headers.get("Content-Length") ?? 0) > limit) {
    abandon(response.body);
    return failure("too_large");
  }
  const bytes = await readBytes(response, limit);
  return bytes.ok ? bytes : failure(bytes.error === "too-large" ? "too_large" : "broken");
}
