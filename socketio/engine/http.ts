/**
 * The engine's HTTP: parses a request and its body, and builds the responses of the protocol. Errors are status 400 with `{code,
 * message}`; the checks are in the order of the reference server.
 */
import type { HandshakeRequest } from "../application.ts";
import type { EngineOptions, TransportName } from "../options.ts";

export type ErrorCode = 0 | 1 | 2 | 3 | 4 | 5;

export interface SessionRequest {
  readonly kind: "poll" | "post" | "upgrade";
  readonly sid: string;
}

export type EngineRequest =
  | SessionRequest
  | { readonly kind: "handshake"; readonly transport: TransportName }
  | { readonly kind: "invalid"; readonly code: ErrorCode };

export function parseRequest(request: Request, transports: readonly TransportName[]): EngineRequest {
  const query = new URL(request.url).searchParams;
  const transport = transports.find((name) => name === query.get("transport"));
  if (transport === undefined) return invalid(0);
  const upgrades = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  const sid = query.get("sid") ?? "";
  if (sid === "") {
    if (request.method !== "GET") return invalid(2);
    if ((transport === "websocket") !== upgrades) return invalid(3);
    return query.get("EIO") === "4" ? { kind: "handshake", transport } : invalid(5);
  }
  if (query.get("EIO") !== "4") return invalid(3);
  if (transport === "websocket") return upgrades ? { kind: "upgrade", sid } : invalid(3);
  if (request.method === "GET") return { kind: "poll", sid };
  return request.method === "POST" ? { kind: "post", sid } : invalid(3);
}

function invalid(code: ErrorCode): EngineRequest {
  return { kind: "invalid", code };
}

/** Headers that are stored with a session; none of them is secret. */
const STORED_HEADERS = ["origin", "user-agent", "x-request-id", "accept-language"] as const;

export function handshakeRequest(request: Request, openedAt: number): HandshakeRequest {
  const headers: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { url: request.url, headers, openedAt };
}

/** Multiplied by `maxBytes`: how far a body over the limit is read. */
const READ_FACTOR = 10;
/** How long a body may take to arrive, milliseconds. */
const BODY_TIME_MS = 60_000;
/** How long a body that is not used may take, milliseconds. */
const UNUSED_BODY_TIME_MS = 5_000;

export type Body = { readonly text: string } | "too large" | "too slow";

/**
 * Reads a body up to the limit as text. A body over it is still read before the response is sent, because workerd breaks a
 * request whose response comes before the end of its body. Time is limited: a pending request keeps the object in memory.
 */
export async function readBody(request: Request, maxBytes: number, timeMs = BODY_TIME_MS): Promise<Body> {
  if (request.body === null) return { text: "" };
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeMs);
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), timeout.promise]);
      if (read === undefined) {
        reader.cancel().catch(() => undefined);
        return "too slow";
      }
      const { done, value } = read;
      if (done) return size > maxBytes ? "too large" : { text: text + decoder.decode() };
      size += value.byteLength;
      if (size <= maxBytes) text += decoder.decode(value, { stream: true });
      else if (size > maxBytes * READ_FACTOR) {
        await reader.cancel();
        return "too large";
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a body that is not used, for this reason. */
export async function discardBody(request: Request, maxBytes: number): Promise<void> {
  if (!request.bodyUsed) await readBody(request, maxBytes, UNUSED_BODY_TIME_MS);
}

const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  0: "Transport unknown",
  1: "Session ID unknown",
  2: "Bad handshake method",
  3: "Bad request",
  4: "Too many connections",
  5: "Unsupported protocol version",
};
const STATUS: Partial<Record<ErrorCode, number>> = { 4: 503 };

const NO_STORE = { "Cache-Control": "no-store" };
const TEXT = { "Content-Type": "text/plain; charset=UTF-8", ...NO_STORE };
/** How long a browser may cache a preflight, seconds; the longest that browsers accept. */
const PREFLIGHT_SECONDS = 86_400;

export function createResponses({ allowOrigin, errorMembers }: Pick<EngineOptions, "allowOrigin" | "errorMembers">) {
  function corsHeaders(request: Request): Record<string, string> {
    const origin = request.headers.get("origin");
    if (allowOrigin === "*") return { "Access-Control-Allow-Origin": "*" };
    // The response depends on the origin, so a cache must not reuse it for another.
    if (origin === null || !allowOrigin(origin)) return { Vary: "Origin" };
    return { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
  }

  function failed(request: Request, status: number, message: string, members: object): Response {
    const headers = { ...NO_STORE, ...corsHeaders(request) };
    return Response.json({ ...members, message, ...errorMembers(status, message, request) }, { status, headers });
  }

  return {
    payload: (request: Request, body: string) => new Response(body, { headers: { ...TEXT, ...corsHeaders(request) } }),
    error: (request: Request, code: ErrorCode) => failed(request, STATUS[code] ?? 400, MESSAGES[code], { code }),
    /** The protocol has no code for it. */
    tooLarge: (request: Request) => failed(request, 413, "Request body too large", {}),

    preflight(request: Request): Response {
      const requested = request.headers.get("access-control-request-headers");
      return new Response(null, {
        status: 204,
        headers: {
          ...corsHeaders(request),
          "Access-Control-Allow-Methods": "GET, POST",
          "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
          ...(requested === null ? {} : { "Access-Control-Allow-Headers": requested }),
        },
      });
    },
  };
}
