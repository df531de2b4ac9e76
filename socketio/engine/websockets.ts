/**
 * The open websockets of the sessions, each with its heartbeat and with how much it has not confirmed. State that must survive
 * hibernation is in the attachment; the rest is in memory.
 *
 * Back-pressure: the runtime does not report how much it has sent, but a pong confirms everything that was sent before its ping.
 * A connection with much unconfirmed data is pinged at once, gets no volatile packets until it answers, and is closed when
 * it is still too far behind after its time to answer (limits.ts).
 */
import * as z from "zod";
import type { EngineOptions } from "../options.ts";
import type { Connection } from "../ports.ts";
import { isTooSlow } from "./limits.ts";
import { PING, sizeOf, type Frame } from "./packets.ts";
import type { SendResult } from "./polling.ts";

/** Share of `maxBufferedBytes` above which a connection is asked to confirm. */
const CONFIRM_SHARE = 0.25;

const attachment = z.object({
  sid: z.string(),
  pingDueAt: z.number(),
  pongBy: z.number().or(z.undefined()),
  /** The state of a second transport, during an upgrade. */
  probe: z.object({ releaseAt: z.number().or(z.undefined()), until: z.number() }).exactOptional(),
});

/** The state that a websocket keeps through hibernation. A closed websocket, and one of another version, has no such state. */
export type Attachment = Readonly<z.infer<typeof attachment>>;

export interface OpenWebSocket {
  readonly sid: string;
  readonly connection: Connection;
  pingDueAt: number;
  /** Set while a pong is awaited. */
  pongBy: number | undefined;
  /** When the unanswered ping was sent, Unix milliseconds. */
  pingedAt: number;
  /** Bytes sent and not confirmed by a pong. */
  unconfirmed: number;
  /** How many of them the awaited pong will confirm. */
  confirming: number;
}

type Settings = Pick<EngineOptions, "pingIntervalMs" | "pingTimeoutMs" | "maxBufferedBytes">;

export type WebSockets = ReturnType<typeof createWebSockets>;

export function createWebSockets({ pingIntervalMs, pingTimeoutMs, maxBufferedBytes }: Settings, now: () => number) {
  const open = new Map<string, OpenWebSocket>();
  let awaitedPongs = 0;

  function store({ sid, connection, pingDueAt, pongBy }: OpenWebSocket): void {
    connection.serializeAttachment({ sid, pingDueAt, pongBy } satisfies Attachment);
  }

  function add(connection: Connection, { sid, pingDueAt, pongBy }: Attachment): OpenWebSocket {
    const added = { sid, connection, pingDueAt, pongBy, pingedAt: now(), unconfirmed: 0, confirming: 0 };
    open.set(sid, added);
    if (pongBy !== undefined) awaitedPongs += 1;
    return added;
  }

  function ping(one: OpenWebSocket): void {
    if (one.pongBy === undefined) awaitedPongs += 1;
    one.pingedAt = now();
    one.pongBy = now() + pingTimeoutMs;
    one.pingDueAt = now() + pingIntervalMs;
    one.confirming = one.unconfirmed;
    store(one);
    sendFrame(one.connection, PING);
  }

  function hasMuchUnconfirmed({ unconfirmed }: OpenWebSocket): boolean {
    return unconfirmed >= maxBufferedBytes * CONFIRM_SHARE;
  }

  return {
    /** Number of connections that have a ping to answer. */
    get awaitedPongs() {
      return awaitedPongs;
    },
    get: (sid: string) => open.get(sid),
    all: () => open.values(),

    /** A new connection; its first ping is due after one interval. */
    open(connection: Connection, sid: string): OpenWebSocket {
      const opened = add(connection, { sid, pingDueAt: now() + pingIntervalMs, pongBy: undefined });
      store(opened);
      return opened;
    },

    /** Restores one that was open before an eviction. */
    restore: add,

    ping,

    /**
     * @returns "slow" if the connection should be closed because too much would be unconfirmed. Then nothing was sent: the
     * caller may send it to another client, and this one must not act on it too.
     */
    send(one: OpenWebSocket, frames: readonly Frame[], volatile: boolean): SendResult {
      if (volatile && hasMuchUnconfirmed(one)) return "dropped";
      const waiting = frames.reduce((sum, frame) => sum + sizeOf(frame), one.unconfirmed);
      // Without an awaited pong, it has not been asked to confirm.
      const waitingMs = one.pongBy === undefined ? 0 : now() - one.pingedAt;
      if (isTooSlow(waiting, waitingMs, maxBufferedBytes)) return "slow";
      one.unconfirmed = waiting;
      for (const frame of frames) sendFrame(one.connection, frame);
      if (one.pongBy === undefined && hasMuchUnconfirmed(one)) ping(one);
      return "sent";
    },

    pong(one: OpenWebSocket): void {
      if (one.pongBy === undefined) return;
      awaitedPongs -= 1;
      one.pongBy = undefined;
      one.unconfirmed -= one.confirming;
      one.confirming = 0;
      // Data sent after that ping needs another one.
      if (hasMuchUnconfirmed(one)) ping(one);
      else store(one);
    },

    /** A packet other than the awaited pong has arrived: the client is alive, but perhaps in the middle of a large upload. */
    extendPong(one: OpenWebSocket): void {
      if (one.pongBy === undefined) return;
      one.pongBy = now() + pingTimeoutMs;
      store(one);
    },

    close(one: OpenWebSocket, code: number, reason: string): void {
      if (open.get(one.sid) !== one) return;
      open.delete(one.sid);
      if (one.pongBy !== undefined) awaitedPongs -= 1;
      closeConnection(one.connection, code, reason);
    },

    nextDeadline(): number | undefined {
      let least: number | undefined;
      for (const { pongBy, pingDueAt } of open.values()) {
        const deadline = pongBy ?? pingDueAt;
        if (least === undefined || deadline < least) least = deadline;
      }
      return least;
    },
  };
}

export function sendFrame(connection: Connection, frame: Frame): void {
  try {
    connection.send(frame);
  } catch {
    // It has just closed; the runtime is about to call `webSocketClose`.
  }
}

/** Later events of this connection do not concern any session. */
export function closeConnection(connection: Connection, code: number, reason: string): void {
  connection.serializeAttachment(null);
  try {
    connection.close(code, reason);
  } catch {
    // Already closed.
  }
}

export function attachmentOf(connection: Connection): Attachment | undefined {
  return attachment.safeParse(connection.deserializeAttachment()).data;
}
