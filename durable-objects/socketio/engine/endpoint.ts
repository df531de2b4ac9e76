/**
 * The HTTP side of the engine: handshake, poll, post, upgrade and preflight, each answered as the protocol says. What a
 * session is and how it ends stands in engine.ts.
 */
import type { DisconnectReason, OpeningRequest } from "../application.ts";
import type { EngineOptions, TransportName } from "../options.ts";
import type { Connection, ServerPorts } from "../ports.ts";
import { discardBody } from "./body.ts";
import { BAD_PACKET, NOT_WANTED } from "./close-codes.ts";
import { crossOriginHeaders, preflight } from "./cross-origin.ts";
import { CLOSE, NOOP, openFrame, SEPARATOR, type EnginePacket } from "./packets.ts";
import type { Polling, Posted } from "./polling.ts";
import {
  openingRequest,
  readRequest,
  refusal,
  refusalOfSize,
  type AskedOfSession,
  type RefusalCode,
} from "./request.ts";
import type { Session, SessionStore } from "./session-store.ts";
import type { Upgrades } from "./upgrade.ts";

interface Parts {
  readonly options: EngineOptions;
  readonly ports: Pick<ServerPorts, "accept" | "refuse" | "now" | "newId">;
  readonly sessions: SessionStore;
  readonly polling: Polling;
  readonly upgrades: Upgrades;
  /** A session that is there and not over; closing ones too. */
  readonly find: (sid: string) => Session | undefined;
  /** Of sessions that are gone whole, for the poll that comes next. */
  readonly lastWords: Map<string, string[]>;
  /** For one session more. */
  readonly hasRoom: () => boolean;
  readonly open: (sid: string, transport: TransportName, request: OpeningRequest) => void;
  readonly attach: (connection: Connection, sid: string, firstFrame: string) => void;
  readonly receive: (sid: string, packet: EnginePacket) => boolean;
  readonly close: (sid: string, reason: DisconnectReason, code?: number) => void;
  readonly dueBy: (at: number) => void;
}

const NO_STORE = { "Cache-Control": "no-store" };
const TEXT = { "Content-Type": "text/plain; charset=UTF-8", ...NO_STORE };

export function createEndpoint(parts: Parts) {
  const { options, ports, sessions, polling, upgrades, close } = parts;

  function refusalParts(request: Request) {
    const headers = { ...NO_STORE, ...crossOriginHeaders(request, options.allowOrigin) };
    return { headers, errorMembers: options.errorMembers };
  }

  function refuse(request: Request, code: RefusalCode): Response {
    return refusal(request, code, refusalParts(request));
  }

  function reply(request: Request, body: string): Response {
    return new Response(body, { headers: { ...TEXT, ...crossOriginHeaders(request, options.allowOrigin) } });
  }

  function handshake(request: Request, transport: TransportName): Response {
    if (!parts.hasRoom()) return refuse(request, 4);
    const sid = ports.newId();
    parts.open(sid, transport, openingRequest(request, ports.now()));
    const frame = openFrame({
      sid,
      upgrades: transport === "polling" ? options.transports.filter((name) => name === "websocket") : [],
      pingInterval: options.pingIntervalMs,
      pingTimeout: options.pingTimeoutMs,
      maxPayload: options.maxPayload,
    });
    parts.dueBy(ports.now() + options.pingIntervalMs);
    if (transport === "polling") return reply(request, frame);
    const { connection, response } = ports.accept();
    parts.attach(connection, sid, frame);
    return response;
  }

  async function poll(request: Request, session: Session): Promise<Response> {
    const { sid } = session;
    if (session.closing) {
      const last = sessions.takeWaiting(sid);
      // Alone: the stock client acts on a close packet before it has read the messages that came with it.
      if (last.length > 0) return reply(request, last.join(SEPARATOR));
      sessions.remove(sid);
      return reply(request, CLOSE);
    }
    if (polling.isWaiting(sid)) {
      close(sid, "transport error");
      return refuse(request, 3);
    }
    const payload = polling.poll(sid);
    if (typeof payload === "string") return reply(request, payload);
    if (upgrades.letsGo(sid)) polling.answer(sid, NOOP);
    // Whether it is this poll that waits: the next one of the session is another.
    let waits = true;
    request.signal.addEventListener("abort", () => {
      if (waits) close(sid, "transport error");
    });
    const answer = await payload;
    waits = false;
    return answer === undefined ? refuse(request, 3) : reply(request, answer);
  }

  async function post(request: Request, { sid, closing }: Session): Promise<Response> {
    // Whoever has heard why says goodbye, and fetches nothing more.
    if (closing && sessions.waitingSize(sid) === 0) sessions.remove(sid);
    const outcome = await polling.post(sid, request, (packet) => parts.receive(sid, packet));
    if (outcome === "taken") return reply(request, "ok");
    // While its body was read the session may have been closed, and its last words kept in memory alone.
    const words = outcome === "gone" ? farewell(request, { kind: "post", sid }) : undefined;
    return words ?? refusedPost(request, sid, outcome);
  }

  function refusedPost(request: Request, sid: string, outcome: Exclude<Posted, "taken">): Response {
    switch (outcome) {
      case "gone":
        return refuse(request, 1);
      case "too large":
        return refusalOfSize(request, refusalParts(request));
      case "malformed":
        close(sid, "parse error", BAD_PACKET);
        return refuse(request, 3);
      case "overlap":
      case "too slow":
      case "binary":
        close(sid, "transport error");
        return refuse(request, 3);
    }
  }

  /** A post that crosses with the last words is let pass, or its client would see an error instead of them. */
  function farewell(request: Request, { kind, sid }: AskedOfSession): Response | undefined {
    const words = kind === "upgrade" ? undefined : parts.lastWords.get(sid);
    if (words === undefined) return undefined;
    if (kind === "post") return reply(request, "ok");
    const [next = CLOSE, ...rest] = words;
    if (rest.length === 0) parts.lastWords.delete(sid);
    else parts.lastWords.set(sid, rest);
    return reply(request, next);
  }

  /** Refused by closing it, not by its status: a client takes a refused upgrade for a broken network. */
  function upgrade(session: Session): Response {
    const { sid, transport, closing } = session;
    const canUpgrade = transport === "polling" && !closing && options.transports.length > 1;
    if (!canUpgrade || upgrades.isUnderWay(sid)) return ports.refuse(NOT_WANTED, "no upgrade");
    const { connection, response } = ports.accept();
    upgrades.begin(sid, connection);
    return response;
  }

  async function answer(request: Request): Promise<Response> {
    if (request.method === "OPTIONS") return preflight(request, options.allowOrigin);
    const asked = readRequest(request, options.transports);
    if (asked.kind === "refused") return refuse(request, asked.code);
    if (asked.kind === "handshake") return handshake(request, asked.transport);
    const session = parts.find(asked.sid);
    if (session === undefined) return farewell(request, asked) ?? refuse(request, 1);
    if (asked.kind === "upgrade") return upgrade(session);
    if (session.transport !== "polling") return refuse(request, 3);
    return asked.kind === "poll" ? poll(request, session) : post(request, session);
  }

  return async function handleRequest(request: Request): Promise<Response> {
    const response = await answer(request);
    await discardBody(request, options.maxPayload);
    return response;
  };
}
