/**
 * What a request asks of the engine, and the refusals of the protocol: status 400 with `{code, message}`. The order of
 * the checks is that of the reference server.
 */
import type { OpeningRequest } from "../application.ts";
import type { EngineOptions, TransportName } from "../options.ts";

export type RefusalCode = 0 | 1 | 2 | 3 | 4 | 5;

const MESSAGES: Readonly<Record<RefusalCode, string>> = {
  0: "Transport unknown",
  1: "Session ID unknown",
  2: "Bad handshake method",
  3: "Bad request",
  4: "Too many connections",
  5: "Unsupported protocol version",
};

const STATUS: Partial<Record<RefusalCode, number>> = { 4: 503 };

export interface Refused {
  readonly kind: "refused";
  readonly code: RefusalCode;
}

export interface AskedOfSession {
  readonly kind: "poll" | "post" | "upgrade";
  readonly sid: string;
}

export type Asked = { readonly kind: "handshake"; readonly transport: TransportName } | AskedOfSession | Refused;

function refused(code: RefusalCode): Refused {
  return { kind: "refused", code };
}

export function readRequest(request: Request, transports: readonly TransportName[]): Asked {
  const query = new URL(request.url).searchParams;
  const transport = transports.find((name) => name === query.get("transport"));
  if (transport === undefined) return refused(0);
  const upgrades = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  const sid = query.get("sid") ?? "";
  if (sid === "") {
    if (request.method !== "GET") return refused(2);
    if ((transport === "websocket") !== upgrades) return refused(3);
    return query.get("EIO") === "4" ? { kind: "handshake", transport } : refused(5);
  }
  if (query.get("EIO") !== "4") return refused(3);
  if (transport === "websocket") return upgrades ? { kind: "upgrade", sid } : refused(3);
  if (request.method === "GET") return { kind: "poll", sid };
  return request.method === "POST" ? { kind: "post", sid } : refused(3);
}

const TOO_LARGE_STATUS = 413;
const TOO_LARGE_MESSAGE = "Request body too large";

interface RefusalParts {
  readonly headers: Record<string, string>;
  readonly errorMembers: EngineOptions["errorMembers"];
}

export function refusal(request: Request, code: RefusalCode, { headers, errorMembers }: RefusalParts): Response {
  const status = STATUS[code] ?? 400;
  const message = MESSAGES[code];
  return Response.json({ code, message, ...errorMembers(status, message, request) }, { status, headers });
}

/** Of a body that is too large, for which the protocol has no code. */
export function refusalOfSize(request: Request, { headers, errorMembers }: RefusalParts): Response {
  const [status, message] = [TOO_LARGE_STATUS, TOO_LARGE_MESSAGE];
  return Response.json({ message, ...errorMembers(status, message, request) }, { status, headers });
}

/** Kept with a session; nothing here is a secret of the client but what it put into the URL itself. */
const KEPT_HEADERS = ["origin", "user-agent", "x-request-id", "accept-language"] as const;

export function openingRequest(request: Request, openedAt: number): OpeningRequest {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { url: request.url, headers, openedAt };
}
