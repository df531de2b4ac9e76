/**
 * The open websockets of the sessions, each with its heartbeat and with how much it has not yet confirmed. What must
 * outlive hibernation is in the attachment; the rest is worth as much as the memory it is in.
 *
 * Back-pressure: the runtime does not tell how much of what was sent has left, but a pong confirms all that was sent
 * before its ping. So a connection with much unconfirmed is pinged at once, is spared volatile packets until it answers,
 * and is given up when it has had time to answer and still is too far behind (back-pressure.ts).
 */
import * as z from "zod";
import type { Connection } from "../ports.ts";
import { fallsBehind } from "./back-pressure.ts";
import { PING, sizeOf, type Frame } from "./packets.ts";

/** Of `maxBufferedBytes`: from here on a connection is asked to confirm. */
const CONFIRM_SHARE = 0.25;

const attachment = z.object({
  sid: z.string(),
  pingDueAt: z.number(),
  pongBy: z.number().or(z.undefined()),
  /** Of a second transport that has not taken the session over yet. */
  probe: z.object({ letGoAt: z.number().or(z.undefined()), until: z.number() }).exactOptional(),
});

/** What a websocket keeps through hibernation; one that is closed, or not ours, has none. */
export type Attachment = Readonly<z.infer<typeof attachment>>;

export interface LiveConnection {
  readonly sid: string;
  readonly connection: Connection;
  pingDueAt: number;
  /** Set while a ping is out. */
  pongBy: number | undefined;
  /** When the ping that is out was sent, Unix milliseconds. */
  pingedAt: number;
  /** Sent and not confirmed by a pong. */
  unconfirmed: number;
  /** What of it the pong that is awaited will confirm. */
  confirming: number;
}

interface Settings {
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  readonly maxBufferedBytes: number;
  readonly now: () => number;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(settings: Settings) {
  const live = new Map<string, LiveConnection>();
  let pinged = 0;

  function keep({ sid, connection, pingDueAt, pongBy }: LiveConnection): void {
    connection.serializeAttachment({ sid, pingDueAt, pongBy } satisfies Attachment);
  }

  function add(connection: Connection, { sid, pingDueAt, pongBy }: Attachment): LiveConnection {
    const pingedAt = settings.now();
    const added = { sid, connection, pingDueAt, pongBy, pingedAt, unconfirmed: 0, confirming: 0 };
    live.set(sid, added);
    if (pongBy !== undefined) pinged += 1;
    return added;
  }

  function ping(one: LiveConnection): void {
    const now = settings.now();
    if (one.pongBy === undefined) pinged += 1;
    one.pingedAt = now;
    one.pongBy = now + settings.pingTimeoutMs;
    one.pingDueAt = now + settings.pingIntervalMs;
    one.confirming = one.unconfirmed;
    keep(one);
    sendFrame(one.connection, PING);
  }

  function mustConfirm({ unconfirmed, pongBy }: LiveConnection): boolean {
    return pongBy === undefined && unconfirmed >= settings.maxBufferedBytes * CONFIRM_SHARE;
  }

  return {
    get size() {
      return live.size;
    },
    /** Connections that have a ping to answer. */
    get pinged() {
      return pinged;
    },
    get: (sid: string) => live.get(sid),
    all: () => live.values(),

    /** A new connection, whose first ping is due after one interval. */
    open(connection: Connection, sid: string): LiveConnection {
      const opened = add(connection, { sid, pingDueAt: settings.now() + settings.pingIntervalMs, pongBy: undefined });
      keep(opened);
      return opened;
    },

    /** One that was open before an eviction. */
    restore: add,

    ping,

    /**
     * @returns "slow" when so much would be unconfirmed that the connection should be given up. Then nothing was sent: the
     * caller may send it to another client, and this one must not act on it too.
     */
    send(one: LiveConnection, frames: readonly Frame[], volatile: boolean): "sent" | "dropped" | "slow" {
      if (volatile && one.unconfirmed >= settings.maxBufferedBytes * CONFIRM_SHARE) return "dropped";
      const waiting = frames.reduce((sum, frame) => sum + sizeOf(frame), one.unconfirmed);
      // Without a ping out, it has not been asked to confirm yet.
      const silentMs = one.pongBy === undefined ? 0 : settings.now() - one.pingedAt;
      if (fallsBehind(waiting, silentMs, settings.maxBufferedBytes)) return "slow";
      one.unconfirmed = waiting;
      for (const frame of frames) sendFrame(one.connection, frame);
      if (mustConfirm(one)) ping(one);
      return "sent";
    },

    pong(one: LiveConnection): void {
      if (one.pongBy === undefined) return;
      pinged -= 1;
      one.pongBy = undefined;
      one.unconfirmed -= one.confirming;
      one.confirming = 0;
      // What was sent behind that ping waits for its own.
      if (mustConfirm(one)) ping(one);
      else keep(one);
    },

    /** Another packet while a pong is awaited: alive, but perhaps behind a large upload. */
    heard(one: LiveConnection): void {
      if (one.pongBy === undefined) return;
      one.pongBy = settings.now() + settings.pingTimeoutMs;
      keep(one);
    },

    close(one: LiveConnection, code: number, reason: string): void {
      if (live.get(one.sid) !== one) return;
      live.delete(one.sid);
      if (one.pongBy !== undefined) pinged -= 1;
      closeConnection(one.connection, code, reason);
    },

    nextDue(): number | undefined {
      let least: number | undefined;
      for (const { pongBy, pingDueAt } of live.values()) {
        const due = pongBy ?? pingDueAt;
        if (least === undefined || due < least) least = due;
      }
      return least;
    },
  };
}

export function sendFrame(connection: Connection, frame: Frame): void {
  try {
    connection.send(frame);
  } catch {
    // It closed a moment ago: the runtime is about to say so.
  }
}

/** Closes it for good: what the runtime still says of it concerns no session any more. */
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
