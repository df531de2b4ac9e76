/**
 * The chat channel: how a session uses its Socket.IO server. It accepts the owner's sockets, answers their requests
 * (`ping`, `status`) and forwards results of tools. socketio/ handles packets, transports and the heartbeat below
 * `ping`; `client-calls.ts` decides about a result.
 */
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { oracleMembers } from "../../../platform/http/error-bodies.ts";
import type { JsonValue } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import type { Result } from "../../../platform/result.ts";
import type {
  Application,
  ConnectRequest,
  ConnectResult,
  HandshakeRequest,
  SocketRecord,
} from "../../../socketio/index.ts";
import type { ArrivedResult } from "../../../oracle/runs/client-calls.ts";
import type { HandshakeTokens, SocketCaller } from "../../../oracle/settings.ts";
import { clientEventNames, serverEventNames, type ClientEvent } from "../../../protocol/socket-events.ts";
import type { ClientSide } from "../../../oracle/framework/tools.ts";
import { incoming, parseSocketIdentity, type SessionSockets, type SocketIdentity } from "./session-sockets.ts";
import type { UserSockets } from "./user-sockets.ts";

/** Sockets of one session; a ninth disconnects the oldest. */
export const SOCKETS_PER_SESSION = 8;
/** The close code of a refused connection: clients must not reconnect automatically. */
export const REFUSED = 4401;

/** The form of this oracle's invocation ids; an earlier version sent only the part before the colon. */
const INVOCATION_ID = /^(?:bt|ag|ap)_[0-9a-f-]{36}(?::[0-9a-f-]{36})?$/;

export interface ChatChannelOptions {
  readonly sockets: SessionSockets;
  /** Counts a user's sockets over all their sessions. */
  readonly userSockets: UserSockets;
  readonly session: {
    /** Undefined for a session that was never created. */
    owner(): string | undefined;
    id(): string;
    /** Recovers runs that should be active. */
    wake(): void;
    finishCall(result: ArrivedResult): string | undefined;
    socketJoined(socketId: string): void;
    socketLeft(socketId: string): void;
  };
  /** The caller that the tokens prove, counted as one of their requests. */
  readonly authenticate: (tokens: HandshakeTokens, request: HandshakeRequest) => Promise<Result<SocketCaller>>;
  readonly allowsOrigin: (origin: string) => boolean;
  readonly now: () => number;
  readonly log: Logger;
}

export function createChatChannel(options: ChatChannelOptions): Application<SocketIdentity> {
  const { sockets, userSockets, session, log } = options;

  async function authenticate({ request, auth }: ConnectRequest): Promise<ConnectResult<SocketIdentity>> {
    const sessionId = sessionIdOf(request);
    if (sessionId === "") return refusedAs(newFailure("invalid_request", "sessionId is required"));
    const { origin } = request.headers;
    if (origin !== undefined && !options.allowsOrigin(origin))
      return refusedAs(newFailure("forbidden", "Origin not allowed", { retryable: false }));
    // Taken before the check for revocation, so that a revocation during the check closes the socket.
    const provenAt = options.now();
    const caller = await options.authenticate(tokensOf(auth), request);
    if (!caller.ok) return refusedAs(caller.error);
    // Read after the wait, because the session may have been deleted meanwhile.
    const { did } = caller.value;
    if (session.owner() !== did || session.id() !== sessionId)
      return refusedAs(newFailure("not_found", "Session not found"));
    const data: SocketIdentity = { ...caller.value, provenAt };
    return { ok: true, data, identity: did, recoverData: (kept) => recovered(data, kept) };
  }

  function answer({ id: socketId, data }: Sender, event: ClientEvent): void {
    const sessionId = session.id();
    const timestamp = new Date(options.now()).toISOString();
    switch (event.name) {
      case "ping":
        sockets.send(socketId, "pong", { timestamp, sessionId });
        return;
      case "status": {
        const totalConnections = sockets.count();
        sockets.send(socketId, "status", {
          connected: true,
          sessionId,
          activeSessions: 1,
          totalConnections,
          timestamp,
        });
        return;
      }
      case "subscribe":
        sockets.send(socketId, "subscribed", { sessionId, timestamp });
        return;
      case "list-events": {
        const lists = { clientEvents: [...clientEventNames], serverEvents: [...serverEventNames] };
        sockets.send(socketId, "available-events", { ...lists, sessionId, timestamp });
        return;
      }
      case "tool_result":
        finishCall("browser", socketId, data.did, event.payload);
        return;
      case "action_call_result":
        finishCall("action", socketId, data.did, event.payload);
        return;
      case "announce_tools": {
        const { tools, actions } = event.payload;
        sockets.announce(socketId, { browser: tools, action: actions });
      }
    }
  }

  function finishCall(kind: ClientSide, socketId: string, did: string, payload: ToolResult): void {
    const { toolCallId: invocationId, sessionId, result, error } = payload;
    const outcome = typeof error === "string" && error !== "" ? { error } : { output: result ?? null };
    const isForeign = (sessionId !== undefined && sessionId !== session.id()) || did !== session.owner();
    const reason = isForeign ? "foreign session" : session.finishCall({ kind, socketId, invocationId, outcome });
    if (reason === undefined) return;
    // Any other text comes from the client and is not logged.
    const named = INVOCATION_ID.test(invocationId) ? { invocationId } : {};
    log.warn("tool-result-refused", { kind, reason, ...named });
  }

  return {
    authenticate,
    parseData: parseSocketIdentity,
    onConnect({ id, data, request }) {
      sockets.makeRoom(SOCKETS_PER_SESSION, id);
      userSockets.changed(data.did, sessionIdOf(request));
      const sessionId = session.id();
      const timestamp = new Date(options.now()).toISOString();
      sockets.send(id, "connected", { message: "Connected successfully", sessionId, timestamp });
      session.wake();
      session.socketJoined(id);
    },
    onEvent(sender, name, args, ackId) {
      if (ackId !== undefined) sockets.acknowledge(sender.id, ackId);
      const event = incoming(name, args[0]);
      // Clients choose event names, so they are not logged.
      if (!event.ok) return log.warn("socket-event-ignored", { reason: event.error });
      if (!passiveEvents.has(event.value.name)) {
        session.wake();
        sockets.noteActivity(sender.id, options.now());
      }
      answer(sender, event.value);
    },
    onDisconnect({ id, data, request }: SocketRecord<SocketIdentity>) {
      session.socketLeft(id);
      // From the request, because a session that is being deleted has no id.
      userSockets.changed(data.did, sessionIdOf(request));
    },
  };
}

/** Events that wake no run and do not count as activity: a keep-alive does not show which page its user looks at. */
const passiveEvents: ReadonlySet<ClientEvent["name"]> = new Set(["ping", "status", "list-events"]);

type Sender = Pick<SocketRecord<SocketIdentity>, "id" | "data">;

/** A recovered socket is authenticated by the tokens of its reconnect and keeps its client's state. */
function recovered(proven: SocketIdentity, { activeAt, announced }: SocketIdentity): SocketIdentity {
  return {
    ...proven,
    ...(activeAt === undefined ? {} : { activeAt }),
    ...(announced === undefined ? {} : { announced }),
  };
}

interface ToolResult {
  readonly toolCallId: string;
  readonly sessionId?: string | undefined;
  readonly result?: JsonValue | undefined;
  readonly error?: string | null | undefined;
}

function sessionIdOf({ url }: HandshakeRequest): string {
  return new URL(url).searchParams.get("sessionId") ?? "";
}

/** `data` reaches the client as `error.data` of its `connect_error`. */
function refusedAs(failure: Failure): ConnectResult<SocketIdentity> {
  const message = failure.code === "unauthenticated" ? `Unauthorized: ${failure.message}` : failure.message;
  return { ok: false, message, data: oracleMembers(failure), closeCode: REFUSED };
}

function tokensOf(auth: Readonly<Record<string, unknown>>): HandshakeTokens {
  return { invocation: tokenOf(auth["invocation"]), delegation: tokenOf(auth["ucanDelegation"]) };
}

/** Undefined and blank mean no token; a value that is not a text is an invalid token. */
function tokenOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") return "not a text";
  return value.trim() === "" ? undefined : value;
}
