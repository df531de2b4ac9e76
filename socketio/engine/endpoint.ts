/** The endpoint of the engine: handshake, poll, post, upgrade and preflight. engine.ts has the sessions and their lifetimes. */
import type { DisconnectReason, HandshakeRequest } from "../application.ts";
import type { EngineOptions, TransportName } from "../options.ts";
import type { Connection, ServerPorts } from "../ports.ts";
import { createResponses, discardBody, handshakeRequest, parseRequest, type SessionRequest } from "./http.ts";
import { CLOSE, CloseCode, NOOP, openFrame, SEPARATOR, type EnginePacket } from "./packets.ts";
import type { Polling, PostResult } from "./polling.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { Upgrades } from "./upgrade.ts";

interface EndpointDependencies {
  readonly options: EngineOptions;
  readonly ports: Pick<ServerPorts, "accept" | "reject" | "now" | "newId">;
  readonly sessions: Sessions;
  readonly polling: Polling;
  readonly upgrades: Upgrades;
  /** A session that has not ended, including closing ones. */
  readonly find: (sid: string) => Session | undefined;
  /** Packets of ended sessions for their next polls. */
  readonly closePayloads: Map<string, string[]>;
  readonly hasSpace: () => boolean;
  readonly open: (sid: string, transport: TransportName, request: HandshakeRequest) => void;
  readonly attach: (connection: Connection, sid: string, firstFrame: string) => void;
  readonly receive: (sid: string, packet: EnginePacket) => boolean;
  readonly close: (sid: string, reason: DisconnectReason, code?: number) => void;
}

export function createEndpoint(dependencies: EndpointDependencies) {
  const { options, ports, sessions, polling, upgrades, closePayloads, close } = dependencies;
  const responses = createResponses(options);

  function handshake(request: Request, transport: TransportName): Response {
    if (!dependencies.hasSpace()) return responses.error(request, 4);
    const sid = ports.newId();
    dependencies.open(sid, transport, handshakeRequest(request, ports.now()));
    const frame = openFrame({
      sid,
      upgrades: transport === "polling" ? options.transports.filter((name) => name === "websocket") : [],
      pingInterval: options.pingIntervalMs,
      pingTimeout: options.pingTimeoutMs,
      maxPayload: options.maxPayload,
    });
    if (transport === "polling") return responses.payload(request, frame);
    const { connection, response } = ports.accept();
    dependencies.attach(connection, sid, frame);
    return response;
  }

  async function poll(request: Request, session: Session): Promise<Response> {
    const { sid } = session;
    if (session.closing) {
      const last = sessions.takeBuffered(sid);
      // Separate: the stock client acts on a close packet before it has read the messages of the same payload.
      if (last.length > 0) return responses.payload(request, last.join(SEPARATOR));
      sessions.remove(sid);
      return responses.payload(request, CLOSE);
    }
    if (polling.isWaiting(sid)) {
      close(sid, "transport error");
      return responses.error(request, 3);
    }
    const payload = polling.poll(sid);
    if (typeof payload === "string") return responses.payload(request, payload);
    if (upgrades.releasesPolls(sid)) polling.answer(sid, NOOP);
    // Once this poll has its response, an abort must not end a session that waits in the next one.
    let isWaiting = true;
    request.signal.addEventListener("abort", () => {
      if (isWaiting) close(sid, "transport error");
    });
    const answer = await payload;
    isWaiting = false;
    return answer === undefined ? responses.error(request, 3) : responses.payload(request, answer);
  }

  async function post(request: Request, { sid, closing }: Session): Promise<Response> {
    // A client that has read the reason sends its close packet, and polls no more.
    if (closing && sessions.bufferedSize(sid) === 0) sessions.remove(sid);
    const result = await polling.post(sid, request, (packet) => dependencies.receive(sid, packet));
    if (result === "ok") return responses.payload(request, "ok");
    // While its body was read, the session may have ended, with close payloads in memory only.
    const closed = result === "gone" ? closedResponse(request, { kind: "post", sid }) : undefined;
    return closed ?? failedPost(request, sid, result);
  }

  function failedPost(request: Request, sid: string, result: Exclude<PostResult, "ok">): Response {
    if (result === "gone") return responses.error(request, 1);
    if (result === "too large") return responses.tooLarge(request);
    if (result === "malformed") close(sid, "parse error", CloseCode.BAD_PACKET);
    else close(sid, "transport error");
    return responses.error(request, 3);
  }

  /** A concurrent post gets "ok": after an error, its client would not read the close payload. */
  function closedResponse(request: Request, { kind, sid }: SessionRequest): Response | undefined {
    const payloads = kind === "upgrade" ? undefined : closePayloads.get(sid);
    if (payloads === undefined) return undefined;
    if (kind === "post") return responses.payload(request, "ok");
    const [next = CLOSE, ...rest] = payloads;
    if (rest.length === 0) closePayloads.delete(sid);
    else closePayloads.set(sid, rest);
    return responses.payload(request, next);
  }

  /** Rejects by closing the websocket instead of by a status, which a client takes for a broken network. */
  function upgrade({ sid, transport, closing }: Session): Response {
    const canUpgrade = transport === "polling" && !closing && options.transports.length > 1;
    if (!canUpgrade || upgrades.has(sid)) return ports.reject(CloseCode.UNEXPECTED, "no upgrade");
    const { connection, response } = ports.accept();
    upgrades.begin(sid, connection);
    return response;
  }

  async function respond(request: Request): Promise<Response> {
    if (request.method === "OPTIONS") return responses.preflight(request);
    const parsed = parseRequest(request, options.transports);
    if (parsed.kind === "invalid") return responses.error(request, parsed.code);
    if (parsed.kind === "handshake") return handshake(request, parsed.transport);
    const session = dependencies.find(parsed.sid);
    if (session === undefined) return closedResponse(request, parsed) ?? responses.error(request, 1);
    if (parsed.kind === "upgrade") return upgrade(session);
    if (session.transport !== "polling") return responses.error(request, 3);
    return parsed.kind === "poll" ? poll(request, session) : post(request, session);
  }

  return async function handleRequest(request: Request): Promise<Response> {
    const response = await respond(request);
    await discardBody(request, options.maxPayload);
    return response;
  };
}
