/**
 * One beat: whoever owes a pong past its time is closed, whoever is due gets a ping, and those that are due soon get
 * theirs along with them, so that a crowd wakes the object a few times per interval and not once per socket.
 */
import type { DisconnectReason } from "../application.ts";
import type { EngineOptions } from "../options.ts";
import { TIMED_OUT } from "./close-codes.ts";
import type { Connections } from "./connections.ts";
import { PING } from "./packets.ts";
import type { Polling } from "./polling.ts";
import type { Session, SessionStore } from "./session-store.ts";

interface Parts {
  readonly options: Pick<EngineOptions, "pingIntervalMs" | "pingTimeoutMs" | "pingTogetherMs">;
  readonly sessions: SessionStore;
  readonly connections: Connections;
  readonly polling: Polling;
  readonly close: (sid: string, reason: DisconnectReason, code: number) => void;
}

export function createHeartbeat({ options, sessions, connections, polling, close }: Parts) {
  function pingPolling({ sid, pingDueAt }: Session, now: number): void {
    // A client that polls late finds a ping that was due earlier, and owes its pong from then on.
    const from = polling.isWaiting(sid) ? now : Math.min(now, pingDueAt);
    if (!polling.answer(sid, PING)) sessions.lay(sid, PING);
    sessions.setHeartbeat(sid, now + options.pingIntervalMs, from + options.pingTimeoutMs);
  }

  return {
    beat(now: number): void {
      const pingBy = now + options.pingTogetherMs;
      // A ping that is only nearly due is no reason to wake, but a good one to go along.
      const anyDue = (connections.nextDue() ?? Infinity) <= now || (sessions.nextDue() ?? Infinity) <= now;
      if (!anyDue) return;
      for (const one of connections.all()) {
        if (one.pongBy === undefined) {
          if (one.pingDueAt <= pingBy) connections.ping(one);
        } else if (one.pongBy <= now) close(one.sid, "ping timeout", TIMED_OUT);
      }
      for (const session of sessions.due(now, pingBy)) {
        if (session.closing) sessions.remove(session.sid);
        else if (session.pongBy === undefined) pingPolling(session, now);
        else close(session.sid, "ping timeout", TIMED_OUT);
      }
    },

    /** Whether a polling session is over, though no alarm has said so yet. */
    isOver({ pongBy, pingDueAt }: Session, now: number): boolean {
      return (pongBy ?? pingDueAt + options.pingTimeoutMs) <= now;
    },

    nextDue(): number | undefined {
      const dues = [connections.nextDue(), sessions.nextDue()].filter((due) => due !== undefined);
      return dues.length === 0 ? undefined : Math.min(...dues);
    },
  };
}
