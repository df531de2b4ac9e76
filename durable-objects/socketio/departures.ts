/**
 * How a socket leaves: told by the client, told by the server, or because the session beneath is gone; in the last case
 * it is kept for a while, so that it can be recovered. Whoever leaves acknowledges nothing any more.
 */
import { PacketType } from "socket.io-parser";
import type { Application, DisconnectReason } from "./application.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { Call } from "./callbacks.ts";
import { NORMAL } from "./engine/close-codes.ts";
import type { Engine } from "./engine/engine.ts";
import type { EventStore } from "./event-store.ts";
import type { SocketServerOptions } from "./options.ts";
import { encodePacket } from "./packets.ts";
import type { PartialStore } from "./partial-store.ts";
import { recordOf, type SocketStore, type StoredSocket } from "./socket-store.ts";

interface Parts<Data> {
  readonly application: Application<Data>;
  readonly options: Pick<SocketServerOptions, "recovery" | "closeEmptySessions" | "connectTimeoutMs">;
  readonly engine: Engine;
  readonly sockets: SocketStore;
  readonly acknowledgements: Acknowledgements;
  readonly partials: PartialStore;
  readonly events: EventStore;
  readonly call: Call;
  readonly now: () => number;
}

/** Reasons that say nothing of the client's will: it may come back for what it missed. */
const RECOVERABLE: readonly DisconnectReason[] = ["transport close", "transport error", "ping timeout"];

export type Departures = ReturnType<typeof createDepartures>;

export function createDepartures<Data>(parts: Parts<Data>) {
  const { application, options, engine, sockets, acknowledgements, partials, events, call, now } = parts;

  function part(socket: StoredSocket, reason: DisconnectReason): void {
    // Another one's goodbye may have made the application send it away.
    if (sockets.find(socket.id) === undefined) return;
    const record = recordOf<Data>(socket);
    if (options.recovery !== undefined && RECOVERABLE.includes(reason)) {
      sockets.lose(socket.id, now());
      engine.dueBy(now() + options.recovery.windowMs);
    } else sockets.remove(socket.id);
    acknowledgements.abandon(record);
    call("onDisconnect", () => application.onDisconnect?.(record, reason));
  }

  /** The session goes on: after the last of its sockets it has the time of a new one to connect again. */
  function leave(socket: StoredSocket, reason: DisconnectReason, closeCode = NORMAL): void {
    part(socket, reason);
    forgetEvents();
    if (sockets.ofSession(socket.sid).length > 0) return;
    if (options.closeEmptySessions) engine.close(socket.sid, "forced server close", closeCode);
    else {
      engine.sessions.setEmptySince(socket.sid, now());
      engine.dueBy(now() + options.connectTimeoutMs);
    }
  }

  /** Without any socket, connected or lost, there is nobody who could miss an event. */
  function forgetEvents(): void {
    if (sockets.isEmpty()) events.clear();
  }

  return {
    /** DISCONNECT has come. */
    byClient: (socket: StoredSocket) => leave(socket, "client namespace disconnect"),

    byServer(socketId: string, { close = false, closeCode = NORMAL } = {}): void {
      const socket = sockets.find(socketId);
      if (socket === undefined) return;
      engine.send(socket.sid, encodePacket(PacketType.DISCONNECT, socket.namespace));
      leave(socket, "server namespace disconnect", closeCode);
      if (close) engine.close(socket.sid, "forced server close", closeCode);
    },

    /** The session is over, with all its sockets. */
    bySession(sid: string, reason: DisconnectReason): void {
      partials.remove(sid);
      for (const socket of sockets.ofSession(sid)) part(socket, reason);
      forgetEvents();
    },

    /** Lost sockets that can come back no more. */
    expire(windowMs: number): void {
      sockets.expire(now() - windowMs);
      forgetEvents();
    },
  };
}
