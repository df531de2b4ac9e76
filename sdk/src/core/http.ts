/** Requests to one oracle in the name of one user: tokens, renewal after a 401 or 403, errors that say what to do. */
import { jsonOf, OfflineError, refusalOf, RequestError } from "./errors.ts";
import type { Endpoints, InspectedEntry } from "./client-settings.ts";
import { authHeaders, type SentTokens, type Tokens } from "./tokens.ts";

/** What is asked of the oracle, beside the path. */
export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A body that is sent as it is; the headers say what it is. */
  readonly raw?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** `false` for a public route: no token is signed for it. */
  readonly signed?: boolean;
}

/** The oracle's routes, in the name of the user. */
export interface OracleHttp {
  /** Parsed JSON; throws `RequestError` for a refusal, `OfflineError` when nobody answered. `path` begins with `/`. */
  json<T>(path: string, options?: RequestOptions): Promise<T>;
  /** The response, whatever its status, after at most two renewals; throws `OfflineError` when nobody answered. */
  open(path: string, options?: RequestOptions): Promise<Response>;
  /** The oracle's API, without a slash at its end. */
  apiUrl(): Promise<string>;
  /** Where its sockets are; `isLost`: nobody answered there. */
  socketUrl(isLost?: boolean): Promise<string>;
}

/** What requests are made of. */
export interface HttpOptions {
  readonly endpoints: Endpoints | (() => Promise<Endpoints>);
  readonly tokens: Tokens;
  readonly matrix?: { readonly accessToken: string; readonly homeServer: string } | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
}

/** A response, and what ends the wait for its signal: a signal may live as long as its chat, which makes many requests. */
interface Exchange {
  readonly response: Response;
  over(): void;
}

/** Milliseconds until a response has to begin: an oracle that starts takes a few seconds. */
const RESPONSE_TIME_MS = 30_000;

/** Milliseconds between two look-ups of an address at which nobody answers. */
export const LOOKUP_PAUSE_MS = 60_000;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** An id as one segment of a path. */
export const segment = encodeURIComponent;

export function createHttp({ tokens, matrix, inspect, ...options }: HttpOptions): OracleHttp {
  const fetchNow = options.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));
  let found: Promise<Endpoints> | undefined;
  let foundAt = 0;
  /** Nobody answered there: the oracle may have moved. */
  let isLost = false;

  /** Looked up once; again after a failure, and where nobody answers. What is known outlives a look-up that fails. */
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
    // By hand, because the time ends with the headers while the signal goes on for the body.
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
      // By hand, because fetch takes all headers but one along to another origin.
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
      throw new OfflineError("The oracle's answer did not arrive whole.", { cause });
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
 * The same requests as acts of the user: a signature that they declined is asked for again. What a page reads by itself is no act.
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

/** Some platforms quote the value that they refuse, which may be a token. */
function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      throw new TypeError(`The header ${name} cannot be sent: it has characters that no header may have.`);
    }
  }
}

/** A browser says of a redirect only that there is one. */
function refuseRedirect({ type, status }: Response): void {
  // The types of other platforms than browsers do not know the word.
  if ((type as string) !== "opaqueredirect" && !REDIRECTS.includes(status)) return;
  const message = "The oracle's address leads to another one, to which no tokens are sent: use the final address.";
  throw new RequestError(message, { status: status === 0 ? 302 : status, code: "redirected", retryable: false });
}

/** The body is left to the caller. */
async function mayRenew(response: Response): Promise<boolean> {
  if (response.status !== 401 && response.status !== 403) return false;
  return (await refusalOf(response.clone())).retryable !== false;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
