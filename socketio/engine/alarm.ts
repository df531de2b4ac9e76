/**
 * The object's alarm: its next time, and the heartbeat that it drives. One alarm pings every client whose ping is due soon, so that
 * many clients wake the object a few times per interval instead of once each.
 */
import type { DisconnectReason } from "../application.ts";
import type { EngineOptions } from "../options.ts";
import { CloseCode, PING } from "./packets.ts";
import type { Polling } from "./polling.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { WebSockets } from "./websockets.ts";

/**
 * Announces the next deadline. A new deadline is compared with the announced one. An announced one that no longer applies is
 * corrected by `recompute`, which reads all of them, or costs one alarm without work.
 */
export function createAlarm(compute: () => number | undefined, announce: (at: number | undefined) => void) {
  let announced: number | undefined;
  let running = false;

  function set(at: number | undefined): void {
    if (at === announced) return;
    announced = at;
    if (!running) announce(at);
  }

  return {
    next: () => announced,

    scheduleBy(at: number): void {
      if (announced === undefined || at < announced) set(at);
    },

    recompute(): void {
      if (!running) set(compute());
    },

    /** After an eviction: the alarm that was announced before is still set. */
    restore(): void {
      announced = compute();
    },

    /** @returns its next time. */
    run(work: () => void): number | undefined {
      running = true;
      try {
        work();
        announced = compute();
        return announced;
      } finally {
        running = false;
      }
    },
  };
}

interface HeartbeatDependencies {
  readonly options: Pick<EngineOptions, "pingIntervalMs" | "pingTimeoutMs" | "pingTogetherMs">;
  readonly sessions: Sessions;
  readonly webSockets: WebSockets;
  readonly polling: Polling;
  readonly close: (sid: string, reason: DisconnectReason, code: number) => void;
}

export function createHeartbeat({ options, sessions, webSockets, polling, close }: HeartbeatDependencies) {
  function pingPolling({ sid, pingDueAt }: Session, now: number): void {
    // A client that polls later finds a ping that was due earlier, and its time to answer runs from then.
    const from = polling.isWaiting(sid) ? now : Math.min(now, pingDueAt);
    if (!polling.answer(sid, PING)) sessions.buffer(sid, PING);
    sessions.setHeartbeat(sid, now + options.pingIntervalMs, from + options.pingTimeoutMs);
  }

  return {
    /** Pings due clients and closes those that have not answered. */
    run(now: number): void {
      const pingBy = now + options.pingTogetherMs;
      // A ping that is due soon is sent together with others, but is no reason to send any.
      if (!((webSockets.nextDeadline() ?? Infinity) <= now || (sessions.nextDeadline() ?? Infinity) <= now)) return;
      for (const one of webSockets.all()) {
        if (one.pongBy === undefined) {
          if (one.pingDueAt <= pingBy) webSockets.ping(one);
        } else if (one.pongBy <= now) close(one.sid, "ping timeout", CloseCode.TIMED_OUT);
      }
      for (const session of sessions.due(now, pingBy)) {
        if (session.closing) sessions.remove(session.sid);
        else if (session.pongBy === undefined) pingPolling(session, now);
        else close(session.sid, "ping timeout", CloseCode.TIMED_OUT);
      }
    },

    /** Whether a polling session has timed out, though no alarm has run since. */
    hasTimedOut({ pongBy, pingDueAt }: Session, now: number): boolean {
      return (pongBy ?? pingDueAt + options.pingTimeoutMs) <= now;
    },

    nextDeadline: () => earliest(webSockets.nextDeadline(), sessions.nextDeadline()),
  };
}

export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
