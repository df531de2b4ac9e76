/**
 * The sockets of one session for its core: a room for events, and tabs that handle calls. Encodes both for Socket.IO.
 */
import * as z from "zod";
import {
  APPROVE_TOOL,
  clientEvents,
  isClientEventName,
  serverEvents,
  type ClientEvent,
  type ServerEventName,
  type ServerPayload,
} from "../../../protocol/socket-events.ts";
import type { ClientSide } from "../../../oracle/framework/tools.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { SocketServer } from "../../../socketio/index.ts";
import type { ConnectedSocket } from "../../../oracle/user-vault-rpc.ts";
import type { SocketCaller } from "../../../oracle/settings.ts";
import type { UserQuestion } from "../../../oracle/runs/questions.ts";
import type { ApprovalRequest } from "../../../oracle/runs/approvals.ts";
import type { ClientCall } from "../../../oracle/runs/client-calls.ts";

/** The close code of a socket whose authentication has ended; equal to that for a refused one. */
const REVOKED = 4401;

/** The tools that a socket's page has announced, by side. */
export type Announced = Readonly<Record<ClientSide, readonly string[]>>;

/** The stored data of a socket: its user, when it authenticated, and its client's last state. */
export interface SocketIdentity extends SocketCaller {
  /** When its tokens were checked, in Unix milliseconds. */
  readonly provenAt: number;
  /** When its client last acted, in Unix milliseconds, unique among all clients; undefined before the first action. */
  readonly activeAt?: number;
  readonly announced?: Announced;
}

const names = z.array(z.string());
const socketIdentity = z.object({
  did: z.string(),
  delegationExpiry: z.number().nullable().exactOptional(),
  provenAt: z.number(),
  activeAt: z.number().exactOptional(),
  announced: z.object({ browser: names, action: names }).exactOptional(),
}) satisfies z.ZodType<SocketIdentity>;

/** @returns undefined if the stored data is not an identity. */
export function parseSocketIdentity(stored: unknown): SocketIdentity | undefined {
  return socketIdentity.safeParse(stored).data;
}

/** A connected socket that is authenticated only by a delegation. */
export interface DelegatedSocket {
  readonly socketId: string;
  readonly did: string;
  readonly provenAt: number;
  /** Unix seconds; null for no expiry. */
  readonly delegationExpiry: number | null;
}

/** An accepted message whose run begins. */
export interface BegunRun {
  readonly sessionId: string;
  readonly requestId: string;
  /** `socketId` is the socket of the sending page. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type SessionSockets = ReturnType<typeof createSessionSockets>;

/** `server` returns the current server: an object has a new one after it is erased. */
export function createSessionSockets(server: () => SocketServer<SocketIdentity>) {
  const disconnect = (socketId: string): void => server().disconnect(socketId, { close: true });

  /**
   * Sends to one socket, without recovery, because a reply is worthless after a reconnect. Returns whether it was sent.
   */
  function send<Name extends ServerEventName>(socketId: string, name: Name, payload: ServerPayload<Name>): boolean {
    return server().emit({ rooms: [socketId] }, name, [outgoing(name, payload)], { recover: false }) > 0;
  }

  function askUser({ id: toolCallId, ...question }: UserQuestion, socketId?: string): void {
    const fields = { ...question, toolCallId, status: "isRunning" as const };
    const audience = socketId === undefined ? {} : { rooms: [socketId] };
    server().emit(audience, "action_call", [outgoing("action_call", fields)], { recover: false });
  }

  return {
    /** Sends an event to every socket of the session. */
    publish<Name extends ServerEventName>(name: Name, payload: ServerPayload<Name>): void {
      server().emit({}, name, [outgoing(name, payload)]);
    },
    /** Tells every socket except the sender's that the run of this request has begun. */
    announceRun({ sessionId, requestId, metadata: { socketId } }: BegunRun): void {
      const target = typeof socketId === "string" ? { except: [socketId] } : {};
      const payload = outgoing("message_cache_invalidation", { sessionId, requestId });
      server().emit(target, "message_cache_invalidation", [payload]);
    },
    send,
    /**
     * The socket for a call: the one that it names if that is connected, otherwise the one whose client was last
     * active, among those that announced the tool if any did. If no client was active, the newest.
     */
    choose({ kind, name, socketId }: Pick<ClientCall, "kind" | "name" | "socketId">): string | undefined {
      const named = socketId === undefined ? undefined : server().socket(socketId);
      if (named !== undefined) return named.id;
      const all = server().sockets();
      const holders = all.filter(({ data }) => data.announced?.[kind].includes(name));
      const candidates = holders.length > 0 ? holders : all;
      return candidates.toSorted((one, other) => activityOf(one) - activityOf(other)).at(-1)?.id;
    },
    /** Records that the client acted. Stored only if that changes which client was active last. */
    noteActivity(socketId: string, now: number): void {
      const others = server()
        .sockets()
        .filter(({ id }) => id !== socketId);
      const latest = Math.max(0, ...others.map(activityOf));
      const own = server().socket(socketId);
      if (own === undefined || activityOf(own) > latest) return;
      server().setData(socketId, { ...own.data, activeAt: Math.max(now, latest + 1) });
    },
    /** Replaces the tools that the page has announced. */
    announce(socketId: string, announced: Announced): void {
      const own = server().socket(socketId);
      if (own !== undefined) server().setData(socketId, { ...own.data, announced });
    },
    presence: (socketId: string): { readonly lostAt: number | undefined } | undefined => server().presence(socketId),
    /** Sends the call to that socket under its invocation id; returns whether it was sent. */
    write(socketId: string, call: ClientCall, invocationId: string): boolean {
      const { sessionId, requestId, name: toolName, args } = call;
      const fields = { sessionId, requestId, toolCallId: invocationId, toolName, args };
      return call.kind === "browser"
        ? send(socketId, "browser_tool_call", fields)
        : send(socketId, "action_call", { ...fields, status: "isRunning" });
    },
    /** Asks that socket, or all sockets of the session, to approve a tool call. */
    askApproval({ id, sessionId, requestId, ...args }: ApprovalRequest, socketId?: string): void {
      askUser({ id, sessionId, requestId, toolName: APPROVE_TOOL, args }, socketId);
    },
    /** Shows that socket, or all sockets of the session, a question of a plugin. */
    askUser,
    /** Acknowledges an event whose sender asked for it. */
    acknowledge: (socketId: string, ackId: number): void => void server().acknowledge(socketId, ackId, []),
    count: (): number => server().counts().sockets,
    /** Disconnects the oldest sockets above `limit`, but never `newcomer` (a recovered socket may be the oldest). */
    makeRoom(limit: number, newcomer: string): void {
      const others = server()
        .sockets()
        .filter(({ id }) => id !== newcomer);
      for (const { id } of others.slice(0, Math.max(0, others.length + 1 - limit))) disconnect(id);
    },
    /** The connected sockets of that user, oldest connection first. */
    listOf: (did: string): readonly ConnectedSocket[] =>
      server()
        .sockets()
        .filter(({ data }) => data.did === did)
        // A recovered socket has the request that restored it.
        .map(({ id, request }) => ({ socketId: id, connectedAt: request.openedAt })),
    /** Disconnects a socket of that user; ignores a socket that is gone or belongs to another user. */
    dismiss(did: string, socketId: string): void {
      if (server().socket(socketId)?.data.did === did) disconnect(socketId);
    },
    delegated: (): readonly DelegatedSocket[] =>
      server()
        .sockets()
        .flatMap(({ id: socketId, data: { did, provenAt, delegationExpiry } }) =>
          delegationExpiry === undefined ? [] : [{ socketId, did, provenAt, delegationExpiry }],
        ),
    /** Disconnects a socket whose authentication has ended. */
    revoke: (socketId: string): void => server().disconnect(socketId, { close: true, closeCode: REVOKED }),
    /** Disconnects all sockets and deletes what the socket server stored. */
    closeAll(): void {
      for (const { id } of server().sockets()) disconnect(id);
      server().closeAll();
    },
  };
}

function activityOf({ data }: { readonly data: SocketIdentity }): number {
  return data.activeAt ?? 0;
}

/** The first argument of an outgoing event. */
export function outgoing<Name extends ServerEventName>(name: Name, payload: ServerPayload<Name>): JsonObject {
  const fields = payload as JsonObject;
  if (serverEvents[name].form !== "hybrid") return fields;
  // Clients show an invalidation as a message if its nested session is theirs; they reload in either case.
  const nested = name === "message_cache_invalidation" ? { ...fields, sessionId: "" } : fields;
  return { ...fields, eventName: name, payload: nested };
}

/** A client's event, validated; or why it is ignored. */
export function incoming(name: string, payload: unknown): Result<ClientEvent, "unknown event" | "malformed payload"> {
  if (!isClientEventName(name)) return failure("unknown event");
  const parsed = clientEvents[name].payload.safeParse(payload);
  if (!parsed.success) return failure("malformed payload");
  return success({ name, payload: parsed.data } as ClientEvent);
}
