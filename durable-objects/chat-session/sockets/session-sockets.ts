/** The sockets of one session as its core sees them: a room for events, and tabs that make calls. Encodes both for Socket.IO. */
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

/** The close code of a socket whose authentication no longer holds: that of a refused one. */
const REVOKED = 4401;

/** What the page of a socket can be called for, by where it runs. */
export type Announced = Readonly<Record<ClientSide, readonly string[]>>;

/** What is stored with a socket: its user and since when, and what its client last said. */
export interface SocketIdentity extends SocketCaller {
  /** When its tokens were checked, Unix milliseconds. */
  readonly provenAt: number;
  /** When its client last acted, Unix milliseconds, later than that of any other; undefined before the first time. */
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

/** A connected socket whose user is known by a delegation alone. */
export interface DelegatedSocket {
  readonly socketId: string;
  readonly did: string;
  readonly provenAt: number;
  /** Unix seconds; null: never. */
  readonly delegationExpiry: number | null;
}

/** An accepted message, whose run begins. */
export interface BegunRun {
  readonly sessionId: string;
  readonly requestId: string;
  /** `socketId` names the socket of the page that sent it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type SessionSockets = ReturnType<typeof createSessionSockets>;

/** `server` returns the current server: an erased object has another one. */
export function createSessionSockets(server: () => SocketServer<SocketIdentity>) {
  const disconnect = (socketId: string): void => server().disconnect(socketId, { close: true });

  /** Sends to one socket, without recovery: a reply is worthless after a reconnect. Returns whether it could. */
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
    /** Tells every socket but the one that the sender names that the run of this request has begun. */
    announceRun({ sessionId, requestId, metadata: { socketId } }: BegunRun): void {
      const target = typeof socketId === "string" ? { except: [socketId] } : {};
      const payload = outgoing("message_cache_invalidation", { sessionId, requestId });
      server().emit(target, "message_cache_invalidation", [payload]);
    },
    send,
    /**
     * The socket for a call: the one that it names if that is connected, else the one whose client was last active, among
     * those that announced the tool if any did. Of clients that were never active the newest.
     */
    choose({ kind, name, socketId }: Pick<ClientCall, "kind" | "name" | "socketId">): string | undefined {
      const named = socketId === undefined ? undefined : server().socket(socketId);
      if (named !== undefined) return named.id;
      const all = server().sockets();
      const holders = all.filter(({ data }) => data.announced?.[kind].includes(name));
      const candidates = holders.length > 0 ? holders : all;
      return candidates.toSorted((one, other) => activityOf(one) - activityOf(other)).at(-1)?.id;
    },
    /** Its client has acted. Stored only when that changes which client was active last. */
    noteActivity(socketId: string, now: number): void {
      const others = server()
        .sockets()
        .filter(({ id }) => id !== socketId);
      const latest = Math.max(0, ...others.map(activityOf));
      const own = server().socket(socketId);
      if (own === undefined || activityOf(own) > latest) return;
      server().setData(socketId, { ...own.data, activeAt: Math.max(now, latest + 1) });
    },
    /** Replaces what its page can be called for. */
    announce(socketId: string, announced: Announced): void {
      const own = server().socket(socketId);
      if (own !== undefined) server().setData(socketId, { ...own.data, announced });
    },
    presence: (socketId: string): { readonly lostAt: number | undefined } | undefined => server().presence(socketId),
    /** Sends the call to that socket under its invocation id; returns whether it could. */
    write(socketId: string, call: ClientCall, invocationId: string): boolean {
      const { sessionId, requestId, name: toolName, args } = call;
      const fields = { sessionId, requestId, toolCallId: invocationId, toolName, args };
      return call.kind === "browser"
        ? send(socketId, "browser_tool_call", fields)
        : send(socketId, "action_call", { ...fields, status: "isRunning" });
    },
    /** Asks that socket, or every one of the session, whether a tool may be called. */
    askApproval({ id, sessionId, requestId, ...args }: ApprovalRequest, socketId?: string): void {
      askUser({ id, sessionId, requestId, toolName: APPROVE_TOOL, args }, socketId);
    },
    /** Asks that socket, or every one of the session, a question of a plugin. */
    askUser,
    /** Acknowledges an event whose sender asked for it. */
    acknowledge: (socketId: string, ackId: number): void => void server().acknowledge(socketId, ackId, []),
    count: (): number => server().counts().sockets,
    /** Disconnects the oldest sockets above `limit`, never `newcomer` (a recovered socket may be the oldest). */
    makeRoom(limit: number, newcomer: string): void {
      const others = server()
        .sockets()
        .filter(({ id }) => id !== newcomer);
      for (const { id } of others.slice(0, Math.max(0, others.length + 1 - limit))) disconnect(id);
    },
    /** The connected sockets of that user, oldest connect first. */
    listOf: (did: string): readonly ConnectedSocket[] =>
      server()
        .sockets()
        .filter(({ data }) => data.did === did)
        // A recovered one has the request that brought it back.
        .map(({ id, request }) => ({ socketId: id, connectedAt: request.openedAt })),
    /** Disconnects a socket of that user; one that is gone or another user's is ignored. */
    dismiss(did: string, socketId: string): void {
      if (server().socket(socketId)?.data.did === did) disconnect(socketId);
    },
    delegated: (): readonly DelegatedSocket[] =>
      server()
        .sockets()
        .flatMap(({ id: socketId, data: { did, provenAt, delegationExpiry } }) =>
          delegationExpiry === undefined ? [] : [{ socketId, did, provenAt, delegationExpiry }],
        ),
    /** Disconnects a socket whose authentication no longer holds. */
    revoke: (socketId: string): void => server().disconnect(socketId, { close: true, closeCode: REVOKED }),
    /** Disconnects all and forgets what the socket server stored. */
    closeAll(): void {
      for (const { id } of server().sockets()) disconnect(id);
      server().closeAll();
    },
  };
}

function activityOf({ data }: { readonly data: SocketIdentity }): number {
  return data.activeAt ?? 0;
}

/** The first argument of an event as it is sent. */
export function outgoing<Name extends ServerEventName>(name: Name, payload: ServerPayload<Name>): JsonObject {
  const fields = payload as JsonObject;
  if (serverEvents[name].form !== "hybrid") return fields;
  // Clients show an invalidation as a message when its nested session is theirs; they reload whichever it is.
  const nested = name === "message_cache_invalidation" ? { ...fields, sessionId: "" } : fields;
  return { ...fields, eventName: name, payload: nested };
}

/** What a client sent, checked; or why it is ignored. */
export function incoming(name: string, payload: unknown): Result<ClientEvent, "unknown event" | "malformed payload"> {
  if (!isClientEventName(name)) return failure("unknown event");
  const parsed = clientEvents[name].payload.safeParse(payload);
  if (!parsed.success) return failure("malformed payload");
  return success({ name, payload: parsed.data } as ClientEvent);
}
