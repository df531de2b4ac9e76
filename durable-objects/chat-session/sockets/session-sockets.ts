/** The sockets of one session as its core sees them: a room to tell of things, and tabs that calls are written to. */
import type { SocketServer } from "../../socketio/server.ts";
import type { ClientCall } from "./client-call-records.ts";
import type { CallSockets } from "./client-calls.ts";
import type { SocketCaller } from "./door.ts";
import { outgoing } from "../socket-events.ts";
import type { ServerEventName, ServerPayload } from "../../../protocol/socket-events.ts";
import type { ConnectedSocket } from "../../user-store/rpc.ts";
import type { PublishToRoom } from "../plugin.ts";

/** The close code of a socket whose authentication no longer holds: that of a refused one. */
const REVOKED = 4401;

/** What is kept with a socket: whom it speaks for, and since when. */
export interface SocketIdentity extends SocketCaller {
  /** When its tokens were checked, Unix milliseconds. */
  readonly provenAt: number;
}

/** A connected socket whose user is known by a delegation alone. */
export interface DelegatedSocket {
  readonly socketId: string;
  readonly did: string;
  readonly provenAt: number;
  /** Unix seconds; null: never. */
  readonly delegationExpiry: number | null;
}

export interface SessionSockets extends CallSockets {
  readonly publish: PublishToRoom;
  /** To one socket and to nobody later: an answer that was missed means nothing to who comes back. */
  tell<Name extends ServerEventName>(socketId: string, name: Name, payload: ServerPayload<Name>): boolean;
  /** Answers an event whose sender waits to be told that it came. */
  acknowledge(socketId: string, ackId: number): void;
  count(): number;
  /** Disconnects the oldest until there are at most so many; who just came stays, though he may be an old one recovered. */
  makeRoom(limit: number, newcomer: string): void;
  /** The connected sockets of that user, oldest connect first. */
  listOf(did: string): readonly ConnectedSocket[];
  /** Disconnects a socket of that user; one that is gone or another's is passed over. */
  dismiss(did: string, socketId: string): void;
  delegated(): readonly DelegatedSocket[];
  /** Disconnects a socket whose authentication no longer holds. */
  revoke(socketId: string): void;
  /** Disconnects all and forgets what the socket server stored. */
  closeAll(): void;
}

/** `server` answers the server of the moment: an erased object has another one. */
export function createSessionSockets(server: () => SocketServer<SocketIdentity>): SessionSockets {
  const disconnect = (socketId: string): void => server().disconnect(socketId, { close: true });

  function tell<Name extends ServerEventName>(socketId: string, name: Name, payload: ServerPayload<Name>): boolean {
    return server().emit({ rooms: [socketId] }, name, [outgoing(name, payload)], { recover: false }) > 0;
  }

  return {
    publish(name, payload) {
      server().emit({}, name, [outgoing(name, payload)]);
    },
    tell,
    choose(preferred) {
      const known = preferred === undefined ? undefined : server().socket(preferred);
      return (known ?? server().sockets().at(-1))?.id;
    },
    presence: (socketId) => server().presence(socketId),
    write: (socketId, call) =>
      call.kind === "browser"
        ? tell(socketId, "browser_tool_call", fieldsOf(call))
        : tell(socketId, "action_call", { ...fieldsOf(call), status: "isRunning" }),
    acknowledge: (socketId, ackId) => void server().acknowledge(socketId, ackId, []),
    count: () => server().counts().sockets,
    makeRoom(limit, newcomer) {
      const others = server()
        .sockets()
        .filter(({ id }) => id !== newcomer);
      for (const { id } of others.slice(0, Math.max(0, others.length + 1 - limit))) disconnect(id);
    },
    listOf: (did) =>
      server()
        .sockets()
        .filter(({ data }) => data.did === did)
        // A recovered one has the request that brought it back.
        .map(({ id, request }) => ({ socketId: id, connectedAt: request.openedAt })),
    dismiss(did, socketId) {
      if (server().socket(socketId)?.data.did === did) disconnect(socketId);
    },
    delegated: () =>
      server()
        .sockets()
        .flatMap(({ id: socketId, data: { did, provenAt, delegationExpiry } }) =>
          delegationExpiry === undefined ? [] : [{ socketId, did, provenAt, delegationExpiry }],
        ),
    revoke: (socketId) => server().disconnect(socketId, { close: true, closeCode: REVOKED }),
    closeAll() {
      for (const { id } of server().sockets()) disconnect(id);
      server().closeAll();
    },
  };
}

function fieldsOf({ sessionId, requestId, toolCallId, name, args }: ClientCall) {
  return { sessionId, requestId, toolCallId, toolName: name, args };
}
