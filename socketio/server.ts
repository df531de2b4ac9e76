/**
 * A Socket.IO v5 server over Engine.IO v4 for a Durable Object with hibernating WebSockets. The object forwards its
 * platform events (`handleRequest`, `webSocket*`, `alarm`) and uses the rest to emit. Everything that must survive an
 * eviction is in SQLite or in the attachments of the websockets. README.md describes the whole.
 */
import type { Application, AwaitedAck, EmitOptions, SocketPresence, SocketRecord, Target } from "./application.ts";
import { earliest } from "./engine/alarm.ts";
import { createEngine } from "./engine/engine.ts";
import { CloseCode } from "./engine/packets.ts";
import { socketServerDefaults, type SocketServerOptions } from "./options.ts";
import type { Connection, ServerPorts } from "./ports.ts";
import { createAcknowledgements } from "./sockets/acknowledgements.ts";
import { createCallbacks } from "./sockets/callbacks.ts";
import { createConnect } from "./sockets/connect.ts";
import { createDisconnect } from "./sockets/disconnect.ts";
import { createEmitter } from "./sockets/emitter.ts";
import { createIncoming, createPartialPackets } from "./sockets/incoming.ts";
import { createRecovery } from "./sockets/recovery.ts";
import { audienceOf, createRooms } from "./sockets/rooms.ts";
import { createSockets } from "./sockets/sockets.ts";
import { createEventLog } from "./sockets/event-log.ts";

export interface SocketServer<Data> {
  /** GET, POST and OPTIONS of the endpoint: handshake, polling, websocket, upgrade, preflight. Any path. */
  handleRequest(request: Request): Promise<Response>;
  webSocketMessage(socket: Connection, message: string | ArrayBuffer): void;
  webSocketClose(socket: Connection): void;
  webSocketError(socket: Connection): void;
  /**
   * Does the work that is due: pings, time-outs, expiry. Harmless if no work is due.
   * @returns when it must be called next, Unix milliseconds; undefined: not until `ports.alarmChanged` is called.
   */
  alarm(): number | undefined;
  /** The time at which `alarm` must be called next: the last argument of `ports.alarmChanged`. */
  nextAlarm(): number | undefined;

  /** @returns the number of connected sockets to which it was sent, or for which it was buffered until their next poll. */
  emit(target: Target, name: string, args: readonly unknown[], options?: EmitOptions): number;
  /**
   * To one socket. Its acknowledgement, the time-out or its disconnection is passed to the named handler, once.
   * @returns false if there is no such socket; then no handler is called.
   */
  emitWithAck(socketId: string, name: string, args: readonly unknown[], awaited: AwaitedAck): boolean;
  /** Acknowledges an event that came with this `ackId`. @returns false if the socket is not connected. */
  acknowledge(socketId: string, ackId: number, args: readonly unknown[]): boolean;

  socket(socketId: string): SocketRecord<Data> | undefined;
  /** Also returns lost sockets, while they can be recovered. */
  presence(socketId: string): SocketPresence | undefined;
  /** Connected sockets, oldest connect first. */
  sockets(target?: Target): readonly SocketRecord<Data>[];
  roomsOf(socketId: string): readonly string[];
  /** @returns false if there is no such socket or the room is full. */
  join(socketId: string, room: string): boolean;
  leave(socketId: string, room: string): void;
  /** Replaces the `data` of `authenticate`. */
  setData(socketId: string, data: Data): void;
  /** Sends DISCONNECT; `close` also ends the session, with websocket code `closeCode` (1000). */
  disconnect(socketId: string, how?: { readonly close?: boolean; readonly closeCode?: number }): void;
  /** Sessions of the object, and connected sockets of the namespace (`/`). */
  counts(namespace?: string): { readonly sessions: number; readonly sockets: number };
  /** Closes every session and deletes all stored data, including lost sockets: for an object that erases itself. */
  closeAll(): void;
}

/** @param given override `socketServerDefaults`. */
export function createSocketServer<Data>(
  application: Application<Data>,
  given: Partial<SocketServerOptions>,
  ports: ServerPorts,
): SocketServer<Data> {
  const options: SocketServerOptions = { ...socketServerDefaults, ...given };
  const { connectTimeoutMs } = options;
  const windowMs = options.recovery?.windowMs ?? 0;
  const { now, storage } = ports;
  const rooms = createRooms(storage.sql, options.maxSocketsPerRoom);
  const sockets = createSockets(storage.sql, rooms);
  const partials = createPartialPackets(storage.sql);
  const events = createEventLog(storage.sql, options, now);
  const callbacks = createCallbacks(application, ports, (socket) => disconnect.damaged(socket));

  const engine = createEngine(options, ports, {
    onOpen: () => engine.scheduleBy(now() + connectTimeoutMs),
    onMessage: (sid, message) => receive(sid, message),
    onClose(sid, reason) {
      partials.remove(sid);
      disconnect.withSession(sid, reason);
    },
    onLoad() {
      partials.load();
      events.load();
    },
    // A client that has not connected must not keep out another.
    onFull() {
      const longest = engine.sessions.longestEmpty();
      const [sid] = longest === undefined ? [] : engine.sessions.emptySince(longest);
      if (sid !== undefined) engine.close(sid, "forced server close", CloseCode.TIMED_OUT);
    },
    onAlarm() {
      acknowledgements.expire();
      for (const sid of engine.sessions.emptySince(now() - connectTimeoutMs)) {
        engine.close(sid, "forced server close", CloseCode.TIMED_OUT);
      }
      disconnect.expire(windowMs);
      events.expire();
    },
    nextDeadline: () =>
      earliest(
        acknowledgements.nextDeadline(),
        after(engine.sessions.longestEmpty(), connectTimeoutMs),
        after(sockets.longestLost(), windowMs),
      ),
  });

  const context = { options, ports, engine, sockets, rooms, events, callbacks };
  const acknowledgements = createAcknowledgements(context);
  const disconnect = createDisconnect(context, acknowledgements);
  const connect = createConnect(context, options.recovery && createRecovery(context, windowMs));
  const receive = createIncoming(context, { partials, acknowledgements, disconnect, connect });
  const emitter = createEmitter(context);

  /** Before the first handshake there are no sockets, and no tables to read. */
  function ifOpened<Value>(otherwise: Value, work: () => Value): Value {
    return engine.load() ? work() : otherwise;
  }

  return {
    handleRequest: engine.handleRequest,
    webSocketMessage: engine.webSocketMessage,
    webSocketClose: engine.webSocketClose,
    webSocketError: engine.webSocketError,
    alarm: engine.alarm,
    nextAlarm: () => ifOpened(undefined, engine.nextAlarm),
    emit: (...emitted) => ifOpened(0, () => emitter.emit(...emitted)),
    emitWithAck: (...emitted) => ifOpened(false, () => acknowledgements.emitWithAck(...emitted)),
    acknowledge: (...acknowledged) => ifOpened(false, () => emitter.acknowledge(...acknowledged)),
    socket: (id) =>
      ifOpened(undefined, () => {
        const stored = sockets.find(id);
        return stored && callbacks.recordOf(stored);
      }),
    presence: (id) => ifOpened(undefined, () => sockets.presence(id)),
    sockets: (target = {}) =>
      ifOpened([], () => {
        const ids = rooms.recipients(audienceOf(target)).map(({ id }) => id);
        return sockets.withIds(ids).flatMap((stored) => callbacks.recordOf(stored) ?? []);
      }),
    roomsOf: (id) => ifOpened([], () => [...rooms.of(id).keys()]),
    join: (id, room) =>
      ifOpened(false, () => {
        const socket = sockets.find(id);
        return socket !== undefined && rooms.join(socket, room, events.nextOffset());
      }),
    leave: (id, room) =>
      ifOpened(undefined, () => {
        const socket = sockets.find(id);
        if (socket !== undefined) rooms.leave(socket, room);
      }),
    setData: (id, data) => ifOpened(undefined, () => sockets.setData(id, JSON.stringify(data ?? null))),
    disconnect: (id, how) => ifOpened(undefined, () => disconnect.byServer(id, how)),
    counts: (namespace = "/") =>
      ifOpened({ sessions: 0, sockets: 0 }, () => ({
        sessions: engine.sessions.count(),
        sockets: sockets.count(namespace),
      })),
    closeAll: engine.closeAll,
  };
}

function after(since: number | undefined, milliseconds: number): number | undefined {
  return since === undefined ? undefined : since + milliseconds;
}
