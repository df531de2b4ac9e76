/**
 * An Engine.IO v4 server: sessions over polling and websockets, their heartbeat, upgrade and end. It carries messages
 * and knows nothing of what they mean; Socket.IO is built on it (../server.ts).
 */
import type { DisconnectReason } from "../application.ts";
import type { EngineOptions } from "../options.ts";
import type { Connection, ServerPorts } from "../ports.ts";
import { dropTables, hasTables, makeTables } from "../schema.ts";
import { BAD_PACKET, NORMAL, TOO_LARGE, TOO_MANY_PACKETS, TOO_SLOW } from "./close-codes.ts";
import { attachmentOf, closeConnection, createConnections } from "./connections.ts";
import { createDue } from "./due.ts";
import { createEndpoint } from "./endpoint.ts";
import { createHeartbeat } from "./heartbeat.ts";
import {
  CLOSE,
  decodeFrame,
  exceeds,
  NOOP,
  SEPARATOR,
  type EnginePacket,
  type Frame,
  type Message,
} from "./packets.ts";
import { createPacketLimit } from "./packet-limit.ts";
import { createPolling } from "./polling.ts";
import { createSessionStore, type Session } from "./session-store.ts";
import { createUpgrades } from "./upgrade.ts";

export interface EngineHandlers {
  onOpen?(sid: string): void;
  onMessage(sid: string, message: Message): void;
  /** The session is over; nothing can be sent to it any more. Not called for one that never came to be. */
  onClose(sid: string, reason: DisconnectReason): void;
  /** One session too many wants to come: the time to close another. */
  onFull?(): void;
  /** Part of each alarm. */
  onAlarm?(now: number): void;
  nextDue?(): number | undefined;
  /** The tables are there: first thing in a new life of the object, or with its first session. */
  onWake?(): void;
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions, ports: ServerPorts, handlers: EngineHandlers) {
  const { now, storage } = ports;
  const sessions = createSessionStore(storage.sql);
  /**
   * What `closeAll` had for clients that were between two polls, poll by poll. Nothing may stay in storage, so it is in
   * memory: they poll again at once, long before an eviction.
   */
  const lastWords = new Map<string, string[]>();
  const connections = createConnections({ ...options, now });
  const polling = createPolling({ ...options, sessions, find, now });
  const packetLimit = createPacketLimit(options.packetRate, now);
  const upgrades = createUpgrades({
    upgradeTimeoutMs: options.upgradeTimeoutMs,
    now,
    dueBy: (at) => due.by(at),
    letGo: (sid) => void polling.answer(sid, NOOP),
    onUpgrade,
  });
  const heartbeat = createHeartbeat({ options, sessions, connections, polling, close });
  const due = createDue(
    () => (awake ? earliest(heartbeat.nextDue(), upgrades.nextDue(now()), handlers.nextDue?.()) : undefined),
    ports.dueChanged,
  );
  const handleRequest = createEndpoint({
    options,
    ports,
    sessions,
    polling,
    upgrades,
    find,
    lastWords,
    hasRoom() {
      const isFull = (): boolean => wake() && sessions.count() >= options.maxSessions;
      if (isFull()) handlers.onFull?.();
      return !isFull();
    },
    open(sid, transport, request) {
      if (!wake()) comeUp();
      sessions.insert({ sid, transport, request, pingDueAt: now() + options.pingIntervalMs });
      handlers.onOpen?.(sid);
    },
    attach(connection, sid, firstFrame) {
      const one = connections.open(connection, sid);
      connections.send(one, [firstFrame], false);
    },
    receive,
    close,
    dueBy: due.by,
  });
  /** Whether the tables are there and memory agrees with them. */
  let awake = false;

  /** After an eviction, or a kill: websockets that are still open are taken up again, lost ones are told of. */
  function wake(): boolean {
    if (awake || !hasTables(storage.sql)) return awake;
    comeUp();
    for (const connection of ports.connections()) {
      const attachment = attachmentOf(connection);
      if (attachment === undefined) continue;
      if (sessions.find(attachment.sid) === undefined) closeConnection(connection, NORMAL, "session over");
      else if (attachment.probe === undefined) connections.restore(connection, attachment);
      else upgrades.restore(connection, attachment.sid, attachment.probe);
    }
    due.remember();
    for (const sid of sessions.sids("websocket")) if (connections.get(sid) === undefined) close(sid, "transport error");
    return true;
  }

  function comeUp(): void {
    makeTables(storage);
    awake = true;
    handlers.onWake?.();
  }

  function find(sid: string): Session | undefined {
    if (!wake()) return undefined;
    const session = sessions.find(sid);
    if (session?.transport !== "polling" || !heartbeat.isOver(session, now())) return session;
    if (session.closing) sessions.remove(sid);
    else close(sid, "ping timeout");
    return undefined;
  }

  function isOpen(sid: string): boolean {
    if (connections.get(sid) !== undefined) return true;
    // After `closeAll` there are no tables to ask.
    if (!awake) return false;
    const session = sessions.find(sid);
    return session !== undefined && !session.closing;
  }

  /** @returns whether the packet may be taken; one too many ends the session. */
  function admits(sid: string): boolean {
    if (packetLimit.take(sid)) return true;
    ports.log("warn", "socketio.too-many-packets", {});
    close(sid, "forced server close", TOO_MANY_PACKETS);
    return false;
  }

  /** @returns whether the session is still open. */
  function receive(sid: string, packet: EnginePacket): boolean {
    if (!admits(sid)) return false;
    switch (packet.type) {
      case "message":
        handlers.onMessage(sid, packet.data ?? "");
        break;
      case "pong":
        pong(sid);
        break;
      case "close":
        close(sid, "transport close");
        break;
      case "ping":
        // Only the server pings.
        close(sid, "transport error", BAD_PACKET);
        break;
      case "open":
      case "upgrade":
      case "noop":
        break;
    }
    return isOpen(sid);
  }

  function pong(sid: string): void {
    const one = connections.get(sid);
    if (one === undefined) {
      const session = sessions.find(sid);
      if (session !== undefined) sessions.setHeartbeat(sid, session.pingDueAt, undefined);
    } else {
      connections.pong(one);
      // Nobody owes one any more: the alarm that would have looked after them need not wake the object.
      if (connections.pinged === 0) due.recompute();
    }
  }

  function close(sid: string, reason: DisconnectReason, code = NORMAL): void {
    const session = awake ? sessions.find(sid) : undefined;
    if (session === undefined || session.closing) return;
    // A client that has sent `5` already reads only its websocket, one that has not reads only its polls.
    upgrades.end(sid, NORMAL, reason === "forced server close" ? sessions.waiting(sid) : []);
    packetLimit.forget(sid);
    const one = connections.get(sid);
    if (one !== undefined) connections.close(one, code, reason);
    const last = reason === "transport close" ? NOOP : CLOSE;
    const mustBeTold = session.transport === "polling" && reason === "forced server close";
    if (!polling.answer(sid, last) && mustBeTold) {
      sessions.linger(sid, now() + options.pingTimeoutMs);
      due.by(now() + options.pingTimeoutMs);
    } else sessions.remove(sid);
    polling.forget(sid);
    handlers.onClose(sid, reason);
  }

  function onUpgrade(sid: string, connection: Connection): void {
    if (find(sid)?.transport !== "polling") {
      closeConnection(connection, NORMAL, "session over");
      return;
    }
    sessions.upgrade(sid);
    polling.forget(sid);
    const one = connections.open(connection, sid);
    connections.send(one, polling.handOver(sid), false);
  }

  /** @returns whether it was sent, or laid where the client will find it. */
  function send(sid: string, frames: readonly Frame[], volatile = false): boolean {
    const one = connections.get(sid);
    if (one === undefined && !isOpen(sid)) return false;
    const outcome = one === undefined ? polling.send(sid, frames, volatile) : connections.send(one, frames, volatile);
    if (outcome === "slow") close(sid, "transport error", TOO_SLOW);
    else if (one?.pongBy !== undefined) due.by(one.pongBy);
    return outcome === "sent";
  }

  function webSocketMessage(connection: Connection, message: string | ArrayBuffer): void {
    const attachment = attachmentOf(connection);
    if (!wake() || attachment === undefined) return;
    const { sid, probe } = attachment;
    const packet = exceeds(message, options.maxPayload) ? undefined : decodeFrame(message);
    const one = connections.get(sid);
    if (probe !== undefined) {
      if (admits(sid)) upgrades.receive(sid, packet);
    } else if (one === undefined) closeConnection(connection, NORMAL, "session over");
    else if (packet === undefined) {
      const tooLarge = exceeds(message, options.maxPayload);
      if (tooLarge) close(sid, "transport error", TOO_LARGE);
      else close(sid, "parse error", BAD_PACKET);
    } else {
      if (packet.type !== "pong") connections.heard(one);
      receive(sid, packet);
    }
  }

  function webSocketGone(connection: Connection, reason: "transport close" | "transport error"): void {
    const attachment = attachmentOf(connection);
    if (!wake() || attachment === undefined) return;
    if (attachment.probe === undefined) close(attachment.sid, reason);
    else upgrades.end(attachment.sid);
  }

  return {
    handleRequest,
    webSocketMessage,
    webSocketClose: (connection: Connection) => webSocketGone(connection, "transport close"),
    webSocketError: (connection: Connection) => webSocketGone(connection, "transport error"),
    alarm(): number | undefined {
      if (!wake()) return undefined;
      return due.ring(() => {
        upgrades.onAlarm(now());
        heartbeat.beat(now());
        handlers.onAlarm?.(now());
      });
    },
    dueBy: due.by,
    nextDue: due.next,
    wake,
    send,
    close,
    isOpen,
    find,
    sessions,
    count: () => (wake() ? sessions.count() : 0),
    closeAll(): void {
      if (!wake()) return;
      // Also whoever hears it at once may have a post on its way.
      for (const sid of sessions.sids("polling")) lastWords.set(sid, [CLOSE]);
      for (const sid of sessions.sids()) close(sid, "forced server close");
      for (const sid of sessions.closing()) {
        const untold = sessions.takeWaiting(sid);
        lastWords.set(sid, untold.length === 0 ? [CLOSE] : [untold.join(SEPARATOR), CLOSE]);
      }
      dropTables(storage);
      awake = false;
      due.recompute();
    },
  };
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
