/**
 * How a socket disconnects: by the client, by the server, or with its session. In the last case it stays recoverable for a
 * while. The acknowledgements that it owes end with it.
 */
import { PacketType } from "socket.io-parser";
import type { DisconnectReason } from "../application.ts";
import { CloseCode } from "../engine/packets.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { ServerContext } from "./context.ts";
import { encodePacket } from "./packets.ts";
import type { StoredSocket } from "./stored-socket.ts";

/** Reasons that are not the client's intention: it may come back for the events that it missed. */
const RECOVERABLE: readonly DisconnectReason[] = ["transport close", "transport error", "ping timeout"];

export type Disconnect = ReturnType<typeof createDisconnect>;

export function createDisconnect<Data>(context: ServerContext<Data>, acknowledgements: Acknowledgements<Data>) {
  const { options, ports, engine, sockets, events, callbacks } = context;

  function detach(socket: StoredSocket, reason: DisconnectReason): void {
    // The application may have disconnected it when another socket of the session left.
    if (sockets.find(socket.id) === undefined) return;
    const record = callbacks.parse(socket);
    if (record !== undefined && options.recovery !== undefined && RECOVERABLE.includes(reason)) {
      sockets.lose(socket.id, ports.now());
      engine.scheduleBy(ports.now() + options.recovery.windowMs);
    } else sockets.remove(socket.id);
    acknowledgements.abandon(socket.id, record);
    if (record === undefined) ports.log("error", "socketio.socket-damaged", { namespace: socket.namespace });
    else callbacks.disconnected(record, reason);
  }

  /** The session stays open: without any socket it has the time of a new session to connect again. */
  function leave(socket: StoredSocket, reason: DisconnectReason, closeCode: number = CloseCode.NORMAL): void {
    detach(socket, reason);
    deleteUnusedEvents();
    if (sockets.ofSession(socket.sid).length > 0) return;
    if (options.closeEmptySessions) engine.close(socket.sid, "forced server close", closeCode);
    else {
      engine.sessions.setEmptySince(socket.sid, ports.now());
      engine.scheduleBy(ports.now() + options.connectTimeoutMs);
    }
  }

  function sendAway(socket: StoredSocket, closeCode?: number): void {
    engine.send(socket.sid, encodePacket(PacketType.DISCONNECT, socket.namespace));
    leave(socket, "server namespace disconnect", closeCode);
  }

  /** Without any socket, connected or lost, no client can miss an event. */
  function deleteUnusedEvents(): void {
    if (sockets.isEmpty()) events.clear();
  }

  return {
    byClient: (socket: StoredSocket) => leave(socket, "client namespace disconnect"),

    byServer(socketId: string, { close = false, closeCode }: { close?: boolean; closeCode?: number } = {}): void {
      const socket = sockets.find(socketId);
      if (socket === undefined) return;
      sendAway(socket, closeCode);
      if (close) engine.close(socket.sid, "forced server close", closeCode);
    },

    /** Its stored data cannot be read, so the application cannot be called for it. */
    damaged(socket: StoredSocket): void {
      if (sockets.find(socket.id) !== undefined) sendAway(socket);
    },

    /** The session has ended, with all its sockets. */
    withSession(sid: string, reason: DisconnectReason): void {
      for (const socket of sockets.ofSession(sid)) detach(socket, reason);
      deleteUnusedEvents();
    },

    /** Deletes lost sockets that can no longer be recovered. */
    expire(windowMs: number): void {
      sockets.expire(ports.now() - windowMs);
      deleteUnusedEvents();
    },
  };
}
