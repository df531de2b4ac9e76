/**
 * An Engine.IO v4 server: sessions over polling and websockets, their heartbeat, upgrade and end. It carries messages without
 * reading them; Socket.IO is built on it (../server.ts).
 */
import type { DisconnectReason } from "../application.ts";
import { createTables, dropTables, hasTables } from "../database.ts";
import type { EngineOptions } from "../options.ts";
import type { Connection, ServerPorts } from "../ports.ts";
import { createAlarm, createHeartbeat, earliest } from "./alarm.ts";
import { createEndpoint } from "./endpoint.ts";
import { createPacketLimit } from "./limits.ts";
import {
  CLOSE,
  CloseCode,
  decodeFrame,
  exceeds,
  NOOP,
  SEPARATOR,
  type EnginePacket,
  type Frame,
  type Message,
} from "./packets.ts";
import { createPolling } from "./polling.ts";
import { createSessions, type Session } from "./sessions.ts";
import { createUpgrades } from "./upgrade.ts";
import { attachmentOf, closeConnection, createWebSockets } from "./websockets.ts";

export interface EngineHandlers {
  onOpen?(sid: string): void;
  onMessage(sid: string, message: Message): void;
  /** The session has ended; nothing more can be sent to it. */
  onClose(sid: string, reason: DisconnectReason): void;
  /** There is no space for a new session: closing another one makes space. */
  onFull?(): void;
  /** Part of each alarm. */
  onAlarm?(): void;
  nextDeadline?(): number | undefined;
  /** The tables exist: called first after the object was constructed, or with its first session. */
  onLoad?(): void;
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions, ports: ServerPorts, handlers: EngineHandlers) {
  const { now, storage } = ports;
  /** Whether the tables exist and memory agrees with them. */
  let isLoaded = false;
  /** Known to be missing: only this server creates and drops them, so one lookup is enough. */
  let areTablesMissing = false;
  const sessions = createSessions(storage.sql);
  /**
   * Payloads of `closeAll` for clients between two polls. Storage must be empty, so they are in memory: such clients poll again at
   * once, long before an eviction.
   */
  const closePayloads = new Map<string, string[]>();
  const webSockets = createWebSockets(options, now);
  const polling = createPolling({
    sessions,
    find,
    maxPayload: options.maxPayload,
    maxBufferedBytes: options.maxBufferedBytes,
    now,
  });
  const packetLimit = createPacketLimit(options.packetRate, now);
  const upgrades = createUpgrades({
    upgradeTimeoutMs: options.upgradeTimeoutMs,
    now,
    scheduleBy: (at) => alarm.scheduleBy(at),
    releasePoll: (sid) => void polling.answer(sid, NOOP),
    onUpgrade,
  });
  const heartbeat = createHeartbeat({ options, sessions, webSockets, polling, close });
  const alarm = createAlarm(
    () =>
      isLoaded ? earliest(heartbeat.nextDeadline(), upgrades.nextDeadline(), handlers.nextDeadline?.()) : undefined,
    ports.alarmChanged,
  );
  const handleRequest = createEndpoint({
    options,
    ports,
    sessions,
    polling,
    upgrades,
    find,
    closePayloads,
    hasSpace() {
      const isFull = (): boolean => load() && sessions.count() >= options.maxSessions;
      if (isFull()) handlers.onFull?.();
      return !isFull();
    },
    open(sid, transport, request) {
      if (!load()) begin();
      const pingDueAt = now() + options.pingIntervalMs;
      sessions.insert({ sid, transport, request, pingDueAt });
      handlers.onOpen?.(sid);
      alarm.scheduleBy(pingDueAt);
    },
    attach: (connection, sid, firstFrame) =>
      void webSockets.send(webSockets.open(connection, sid), [firstFrame], false),
    receive,
    close,
  });

  /** After an eviction, or a kill: restores the websockets that are still open, and closes the sessions of the others. */
  function load(): boolean {
    if (isLoaded || areTablesMissing) return isLoaded;
    areTablesMissing = !hasTables(storage.sql);
    if (areTablesMissing) return false;
    begin();
    for (const connection of ports.connections()) {
      const attachment = attachmentOf(connection);
      if (attachment === undefined) continue;
      const { sid, probe } = attachment;
      if (sessions.find(sid) === undefined) closeConnection(connection, CloseCode.NORMAL, "session over");
      else if (probe === undefined) webSockets.restore(connection, attachment);
      else upgrades.restore(connection, sid, probe);
    }
    alarm.restore();
    for (const sid of sessions.openIds("websocket"))
      if (webSockets.get(sid) === undefined) close(sid, "transport error");
    return true;
  }

  function begin(): void {
    createTables(storage);
    isLoaded = true;
    areTablesMissing = false;
    handlers.onLoad?.();
  }

  function find(sid: string): Session | undefined {
    if (!load()) return undefined;
    const session = sessions.find(sid);
    if (session?.transport !== "polling" || !heartbeat.hasTimedOut(session, now())) return session;
    if (session.closing) sessions.remove(sid);
    else close(sid, "ping timeout");
    return undefined;
  }

  function isOpen(sid: string): boolean {
    if (webSockets.get(sid) !== undefined) return true;
    // After `closeAll` there are no tables.
    if (!isLoaded) return false;
    const session = sessions.find(sid);
    return session !== undefined && !session.closing;
  }

  /** @returns false if the packet exceeds the limit, which ends the session. */
  function countPacket(sid: string): boolean {
    if (packetLimit.allows(sid)) return true;
    ports.log("warn", "socketio.too-many-packets", {});
    close(sid, "forced server close", CloseCode.TOO_MANY_PACKETS);
    return false;
  }

  /** @returns whether the session is still open. */
  function receive(sid: string, { type, data }: EnginePacket): boolean {
    if (!countPacket(sid)) return false;
    if (type === "message") handlers.onMessage(sid, data ?? "");
    else if (type === "pong") pong(sid);
    else if (type === "close") close(sid, "transport close");
    // Only the server pings.
    else if (type === "ping") close(sid, "transport error", CloseCode.BAD_PACKET);
    return isOpen(sid);
  }

  function pong(sid: string): void {
    const one = webSockets.get(sid);
    if (one === undefined) {
      const session = sessions.find(sid);
      if (session !== undefined) sessions.setHeartbeat(sid, session.pingDueAt, undefined);
    } else {
      webSockets.pong(one);
      // No pong is awaited now, so the alarm that would have checked for one is not needed.
      if (webSockets.awaitedPongs === 0) alarm.recompute();
    }
  }

  function close(sid: string, reason: DisconnectReason, code: number = CloseCode.NORMAL): void {
    const session = isLoaded ? sessions.find(sid) : undefined;
    if (session === undefined || session.closing) return;
    // A client that has already sent `5` reads only its websocket, one that has not reads only its polls.
    upgrades.end(sid, reason === "forced server close" ? sessions.buffered(sid) : []);
    packetLimit.forget(sid);
    const one = webSockets.get(sid);
    if (one !== undefined) webSockets.close(one, code, reason);
    const isAnswered = polling.answer(sid, reason === "transport close" ? NOOP : CLOSE);
    if (!isAnswered && session.transport === "polling" && reason === "forced server close") {
      const deleteAt = now() + options.pingTimeoutMs;
      sessions.startClosing(sid, deleteAt);
      alarm.scheduleBy(deleteAt);
    } else sessions.remove(sid);
    polling.forget(sid);
    handlers.onClose(sid, reason);
  }

  function closeAll(): void {
    if (!load()) return;
    // For every polling client: one that reads its close packet now may have a post in flight.
    for (const sid of sessions.openIds("polling")) closePayloads.set(sid, [CLOSE]);
    for (const sid of sessions.openIds()) close(sid, "forced server close");
    for (const sid of sessions.closingIds()) {
      const packets = sessions.takeBuffered(sid);
      closePayloads.set(sid, packets.length === 0 ? [CLOSE] : [packets.join(SEPARATOR), CLOSE]);
    }
    dropTables(storage);
    isLoaded = false;
    areTablesMissing = true;
    alarm.recompute();
  }

  function onUpgrade(sid: string, connection: Connection): void {
    if (find(sid)?.transport !== "polling") {
      closeConnection(connection, CloseCode.NORMAL, "session over");
      return;
    }
    sessions.upgrade(sid);
    polling.forget(sid);
    const one = webSockets.open(connection, sid);
    webSockets.send(one, polling.takeFrames(sid), false);
  }

  /** @returns whether it was sent, or buffered for the next poll. */
  function send(sid: string, frames: readonly Frame[], volatile = false): boolean {
    const one = webSockets.get(sid);
    if (one === undefined && !isOpen(sid)) return false;
    const result = one === undefined ? polling.send(sid, frames, volatile) : webSockets.send(one, frames, volatile);
    if (result === "slow") close(sid, "transport error", CloseCode.TOO_SLOW);
    else if (one?.pongBy !== undefined) alarm.scheduleBy(one.pongBy);
    return result === "sent";
  }

  function webSocketMessage(connection: Connection, message: string | ArrayBuffer): void {
    const attachment = attachmentOf(connection);
    if (!load() || attachment === undefined) return;
    const { sid, probe } = attachment;
    const isTooLarge = exceeds(message, options.maxPayload);
    const packet = isTooLarge ? undefined : decodeFrame(message);
    const one = webSockets.get(sid);
    if (probe !== undefined) {
      if (countPacket(sid)) upgrades.receive(sid, packet);
    } else if (one === undefined) closeConnection(connection, CloseCode.NORMAL, "session over");
    else if (isTooLarge) close(sid, "transport error", CloseCode.TOO_LARGE);
    else if (packet === undefined) close(sid, "parse error", CloseCode.BAD_PACKET);
    else {
      if (packet.type !== "pong") webSockets.extendPong(one);
      receive(sid, packet);
    }
  }

  function webSocketEnded(connection: Connection, reason: "transport close" | "transport error"): void {
    const attachment = attachmentOf(connection);
    if (!load() || attachment === undefined) return;
    if (attachment.probe === undefined) close(attachment.sid, reason);
    else upgrades.end(attachment.sid);
  }

  return {
    handleRequest,
    webSocketMessage,
    webSocketClose: (connection: Connection) => webSocketEnded(connection, "transport close"),
    webSocketError: (connection: Connection) => webSocketEnded(connection, "transport error"),
    alarm(): number | undefined {
      if (!load()) return undefined;
      return alarm.run(() => {
        upgrades.onAlarm();
        heartbeat.run(now());
        handlers.onAlarm?.();
      });
    },
    scheduleBy: alarm.scheduleBy,
    nextAlarm: alarm.next,
    load,
    send,
    close,
    closeAll,
    isOpen,
    find,
    sessions,
  };
}
