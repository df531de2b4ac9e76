/**
 * A Socket.IO v5 server over Engine.IO v4 for a Durable Object with hibernating WebSockets. It knows nothing of what it
 * carries. The object forwards its platform events (`handleRequest`, `webSocket*`, `alarm`) and emits through the rest;
 * everything that must outlive an eviction is in SQLite or in the attachments of the sockets. Options: options.ts;
 * callbacks: application.ts; what the object must lend: ports.ts.
 */
import { createAckStore } from "./ack-store.ts";
import { createAcknowledgements } from "./acknowledgements.ts";
import { createAdmission } from "./admission.ts";
import type { Application, SocketRecord } from "./application.ts";
import { createCall } from "./callbacks.ts";
import { createDepartures } from "./departures.ts";
import { audienceOf, createEmitter } from "./emitter.ts";
import type { AwaitedAck, EmitOptions, Target } from "./emit.ts";
import { TIMED_OUT } from "./engine/close-codes.ts";
import { createEngine } from "./engine/engine.ts";
import { createEventStore } from "./event-store.ts";
import { createIncoming } from "./incoming.ts";
import { socketServerDefaults, type RecoveryOptions, type SocketServerOptions } from "./options.ts";
import { createPartialStore } from "./partial-store.ts";
import type { Connection, ServerPorts } from "./ports.ts";
import { createRecovery } from "./recovery.ts";
import { createRooms } from "./rooms.ts";
import { createSocketStore, recordOf, type Presence } from "./socket-store.ts";

export interface SocketServer<Data> {
  /** GET, POST and OPTIONS of the one endpoint: handshake, polling, websocket, upgrade, preflight. Any path. */
  handleRequest(request: Request): Promise<Response>;
  webSocketMessage(socket: Connection, message: string | ArrayBuffer): void;
  webSocketClose(socket: Connection): void;
  webSocketError(socket: Connection): void;
  /**
   * Does what is due: pings, time-outs, expiries. Harmless when nothing is.
   * @returns when it wants to be called next, Unix milliseconds; undefined: not until something new happens.
   */
  alarm(): number | undefined;
  /** When `alarm` is wanted next; what `ports.dueChanged` was last told. */
  nextDue(): number | undefined;

  /** @returns how many connected sockets it was sent to (polling clients: laid in their buffer). */
  emit(target: Target, name: string, args: readonly unknown[], options?: EmitOptions): number;
  /**
   * To one socket; its answer, the time-out or its disconnection reaches the named handler exactly once.
   * @returns false when there is no such socket; then no handler is called.
   */
  emitWithAck(socketId: string, name: string, args: readonly unknown[], awaited: AwaitedAck): boolean;
  /** Answers an event that came with this `ackId`. @returns false when the socket is gone. */
  acknowledge(socketId: string, ackId: number, args: readonly unknown[]): boolean;

  socket(socketId: string): SocketRecord<Data> | undefined;
  /** Lost sockets too, as long as they may come back. */
  presence(socketId: string): Presence | undefined;
  /** Connected sockets, oldest connect first. */
  sockets(target?: Target): readonly SocketRecord<Data>[];
  roomsOf(socketId: string): readonly string[];
  /** @returns false when there is no such socket or the room is full. */
  join(socketId: string, room: string): boolean;
  leave(socketId: string, room: string): void;
  /** Replaces what `authenticate` gave. */
  setData(socketId: string, data: Data): void;
  /** DISCONNECT from its namespace; `close` ends the whole session with it (websocket code `closeCode`, 1000). */
  disconnect(socketId: string, how?: { readonly close?: boolean; readonly closeCode?: number }): void;
  /** Sessions of the object, and connected sockets of the namespace (`/`). */
  counts(namespace?: string): { readonly sessions: number; readonly sockets: number };
  /** Closes every session and forgets all that is stored, lost sockets included: before the object erases itself. */
  closeAll(): void;
}

/** @param given over `socketServerDefaults`. */
export function createSocketServer<Data>(
  application: Application<Data>,
  given: Partial<SocketServerOptions>,
  ports: ServerPorts,
): SocketServer<Data> {
  const options: SocketServerOptions = { ...socketServerDefaults, ...given };
  const { connectTimeoutMs } = options;
  const { now, log } = ports;
  const { sql } = ports.storage;
  const sockets = createSocketStore(sql);
  const acks = createAckStore(sql);
  const partials = createPartialStore(sql);
  const windowMs = options.recovery?.windowMs ?? 0;
  const unnoticedMs = options.pingIntervalMs + options.pingTimeoutMs;
  const events = createEventStore(sql, { ...(options.recovery ?? NOTHING_KEPT), unnoticedMs }, now);
  const recovery = options.recovery && createRecovery({ sockets, events, windowMs, now });
  const rooms = createRooms(sockets, events, options.maxSocketsPerRoom);
  const call = createCall(ports);

  const engine = createEngine(options, ports, {
    onOpen: () => engine.dueBy(now() + connectTimeoutMs),
    onMessage: (sid, message) => receive(sid, message),
    onClose: (sid, reason) => departures.bySession(sid, reason),
    onWake() {
      partials.wake();
      events.wake();
    },
    // Who has not said who he is must not keep out who would.
    onFull() {
      const longest = engine.sessions.longestEmpty();
      const [sid] = longest === undefined ? [] : engine.sessions.emptySince(longest);
      if (sid !== undefined) engine.close(sid, "forced server close", TIMED_OUT);
    },
    onAlarm() {
      acknowledgements.expire(now());
      for (const sid of engine.sessions.emptySince(now() - connectTimeoutMs)) {
        engine.close(sid, "forced server close", TIMED_OUT);
      }
      departures.expire(windowMs);
      events.expire();
    },
    nextDue() {
      const dues = [
        acks.nextDue(),
        after(engine.sessions.longestEmpty(), connectTimeoutMs),
        after(sockets.longestLost(), windowMs),
      ].filter((due) => due !== undefined);
      return dues.length === 0 ? undefined : Math.min(...dues);
    },
  });

  const acknowledgements = createAcknowledgements({ application, acks, sockets, call, log });
  const departures = createDepartures({
    application,
    options,
    engine,
    sockets,
    acknowledgements,
    partials,
    events,
    call,
    now,
  });
  const admission = createAdmission({ application, options, ports, engine, sockets, rooms, events, recovery, call });
  const receive = createIncoming({
    application,
    options,
    engine,
    sockets,
    partials,
    acknowledgements,
    departures,
    connect: admission.connect,
    call,
  });
  const emitter = createEmitter({
    acknowledgements: application.acknowledgements,
    engine,
    sockets,
    acks,
    events,
    isRecoveryOn: recovery !== undefined,
    now,
  });

  /** Before the first handshake there is nobody, and there are no tables to ask. */
  function asked<Value>(nothing: Value, ask: () => Value): Value {
    return engine.wake() ? ask() : nothing;
  }

  return {
    handleRequest: engine.handleRequest,
    webSocketMessage: engine.webSocketMessage,
    webSocketClose: engine.webSocketClose,
    webSocketError: engine.webSocketError,
    alarm: engine.alarm,
    nextDue: () => asked(undefined, engine.nextDue),
    emit: (target, name, args, emitOptions = {}) => asked(0, () => emitter.emit(target, name, args, emitOptions)),
    emitWithAck: (...emitted) => asked(false, () => emitter.emitWithAck(...emitted)),
    acknowledge: (...answer) => asked(false, () => emitter.acknowledge(...answer)),
    socket: (id) =>
      asked(undefined, () => {
        const stored = sockets.find(id);
        return stored && recordOf<Data>(stored);
      }),
    presence: (id) => asked(undefined, () => sockets.presence(id)),
    sockets: (target = {}) => asked([], () => sockets.connected(audienceOf(target)).map(recordOf<Data>)),
    roomsOf: (id) => asked([], () => [...sockets.roomsOf(id).keys()]),
    join: (id, room) => asked(false, () => rooms.join(id, room)),
    leave: (id, room) => asked(undefined, () => rooms.leave(id, room)),
    setData: (id, data) => asked(undefined, () => sockets.setData(id, JSON.stringify(data ?? null))),
    disconnect: (id, how) => asked(undefined, () => departures.byServer(id, how)),
    counts: (namespace = "/") =>
      asked({ sessions: 0, sockets: 0 }, () => ({ sessions: engine.count(), sockets: sockets.count(namespace) })),
    closeAll: engine.closeAll,
  };
}

/** Recovery switched off. */
const NOTHING_KEPT: RecoveryOptions = { windowMs: 0, maxEvents: 0, maxBytes: 0 };

function after(since: number | undefined, milliseconds: number): number | undefined {
  return since === undefined ? undefined : since + milliseconds;
}
