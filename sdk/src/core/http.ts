/**
 * Sends requests to one oracle for one user: adds tokens, renews them after a 401 or 403, and converts refusals to
 * errors.
 */
import { jsonOf, OfflineError, refusalOf, RequestError } from "./errors.ts";
import type { Endpoints, InspectedEntry } from "./client-settings.ts";
import { authHeaders, type SentTokens, type Tokens } from "./tokens.ts";

/** The options of a request, besides its path. */
export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. Set its type in the headers. */
  readonly raw?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** `false` for a public route: the client signs no token for it. */
  readonly signed?: boolean;
}

/** The oracle's routes, called with the user's tokens. */
export interface OracleHttp {
  /**
   * Returns the parsed JSON. Throws `RequestError` if the oracle refuses, and `OfflineError` if no server answers.
   * `path` starts with `/`.
   */
  json<T>(path: string, options?: RequestOptions): Promise<T>;
  /** Returns the response with any status, after at most two renewals. Throws `OfflineError` if no server answers. */
  open(path: string, options?: RequestOptions): Promise<Response>;
  /** The address of the oracle's API, without a trailing slash. */
  apiUrl(): Promise<string>;
  /** The address of its sockets. Set `isLost` if no server answered there. */
  socketUrl(isLost?: boolean): Promise<string>;
}

/** The dependencies of `createHttp`. */
export interface HttpOptions {
  readonly endpoints: Endpoints | (() => Promise<Endpoints>);
  readonly tokens: Tokens;
  readonly matrix?: { readonly accessToken: string; readonly homeServer: string } | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
}

/**
 * A response, and a function that removes its listener from the signal. A signal can live as long as its chat, which
 * sends many requests.
 */
interface Exchange {
  readonly response: Response;
  over(): void;
}

/** Milliseconds until a response must begin. An oracle that is starting takes a few seconds. */
const RESPONSE_TIME_MS = 30_000;

/** Milliseconds between two lookups of an address where no server answers. */
export const LOOKUP_PAUSE_MS = 60_000;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Encodes an id as one segment of a path. */
export const segment = encodeURIComponent;

export function createHttp({ tokens, matrix, inspect, ...options }: HttpOptions): OracleHttp {
  const fetchNow = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));
  let found: Promise<Endpoints> | undefined;
  let foundAt = 0;
  /** No server answered there, so the oracle may have moved. */
  let isLost = false;

  /**
   * Looks the addresses up once, and again after a failure or if no server answers. A failed lookup keeps the known
   * addresses.
   */
  async function endpoints(): Promise<Endpoints> {
    if (typeof options.endpoints !== "function") return options.endpoints;
    const known = found;
    if (known !== undefined && !(isLost && Date.now() - foundAt >= LOOKUP_PAUSE_MS)) return await known;
    isLost = false;
    foundAt = Date.now();
    found = options.endpoints().catch((error: unknown) => {
      found = known;
      if (known === undefined) throw error;
      return known;
    });
    return await found;
  }

  const apiUrl = async () => withoutSlash((await endpoints()).apiUrl);

  async function open(path: string, request: RequestOptions = {}): Promise<Exchange> {
    const url = (await apiUrl()) + path;
    for (let stage: 1 | 2 | 3 = 1; ; stage += 1) {
      const sent: SentTokens = request.signed === false ? {} : await tokens.handshake();
      const exchange = await send(url, path, request, sent);
      if (request.signed === false || stage > 2) return exchange;
      let isFinal: boolean;
      try {
        isFinal = !(await mayRenew(exchange.response)) || !(await tokens.renew(stage as 1 | 2, sent));
      } catch (error) {
        exchange.over();
        throw error;
      }
      if (isFinal) return exchange;
      exchange.over();
      exchange.response.body?.cancel().catch(() => undefined);
    }
  }

  async function send(url: string, path: string, request: RequestOptions, sent: SentTokens): Promise<Exchange> {
    const { method = "GET", body, signal } = request;
    const headers = {
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...authHeaders(sent),
      ...(matrix !== undefined && request.signed !== false && matrixHeaders(matrix)),
      "x-timezone": Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...request.headers,
    };
    checkHeaders(headers);
    const content = body === undefined ? (request.raw ?? null) : JSON.stringify(body);
    signal?.throwIfAborted();
    // Not `AbortSignal.any`: the time limit ends with the headers, but the signal also applies to the body.
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    const over = () => signal?.removeEventListener("abort", end);
    signal?.addEventListener("abort", end);
    const timer = setTimeout(end, RESPONSE_TIME_MS);
    const began = Date.now();
    const note = (detail: object) => {
      inspect?.({
        at: began,
        kind: "request",
        name: `${method} ${path}`,
        detail: { ...detail, ms: Date.now() - began },
      });
    };
    try {
      // Follows redirects manually, because fetch sends all headers but one to another origin.
      const init = { method, headers, signal: ending.signal, body: content, redirect: "manual" } as const;
      const response = await fetchNow(url, init);
      note({ status: response.status, requestId: response.headers.get("x-request-id") });
      refuseRedirect(response);
      return { response, over };
    } catch (cause) {
      over();
      if (cause instanceof RequestError) throw cause;
      note({ status: 0 });
      signal?.throwIfAborted();
      isLost = true;
      throw new OfflineError("The oracle could not be reached.", { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  async function bodyOf<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
    try {
      return (await jsonOf(response)) as T;
    } catch (cause) {
      signal?.throwIfAborted();
      isLost = true;
      throw new OfflineError("The oracle's response is incomplete.", { cause });
    }
  }

  return {
    open: async (path, request) => (await open(path, request)).response,
    apiUrl,
    async socketUrl(noAnswer = false) {
      isLost ||= noAnswer;
      const { apiUrl: api, socketUrl = api } = await endpoints();
      return withoutSlash(socketUrl);
    },
    async json<T>(path: string, request?: RequestOptions) {
      const { response, over } = await open(path, request);
      try {
        if (!response.ok) throw await refusalOf(response);
        return response.status === 204 ? (undefined as T) : await bodyOf<T>(response, request?.signal);
      } finally {
        over();
      }
    },
  };
}

/**
 * The same requests as user actions: if the user declined to sign before, they are asked again. Requests that the page
 * sends on its own are not user actions.
 */
export function asActs(http: OracleHttp, tokens: Pick<Tokens, "askAgain">): OracleHttp {
  return {
    json(path, request) {
      tokens.askAgain();
      return http.json(path, request);
    },
    open(path, request) {
      tokens.askAgain();
      return http.open(path, request);
    },
    apiUrl: http.apiUrl,
    socketUrl: http.socketUrl,
  };
}

function matrixHeaders({ accessToken, homeServer }: NonNullable<HttpOptions["matrix"]>): Record<string, string> {
  return { "x-matrix-access-token": accessToken, "x-matrix-homeserver": homeServer };
}

/** Some platforms quote the refused value, which may be a token, in their error. */
function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      throw new TypeError(`The header ${name} cannot be sent: it contains characters that are invalid in a header.`);
    }
  }
}

/** A browser reports only that there was a redirect, not its target. */
function refuseRedirect({ type, status }: Response): void {
  // The types of non-browser platforms lack this value.
  if ((type as string) !== "opaqueredirect" && !REDIRECTS.includes(status)) return;
  const message = "The oracle's address leads to another one, to which no tokens are sent: use the final address.";
  throw new RequestError(message, { status: status === 0 ? 302 : status, code: "redirected", retryable: false });
}

/** Leaves the body to the caller. */
async function mayRenew(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 403) return false;
  return (await refusalOf(response.clone())).retryable !== false;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
