/**
 * Runs scanning statements, and all statements of callers without a key, one at a time per isolate, with other requests
 * in between. A database runs one statement at a time, so concurrent statements would delay everyone. Statements of
 * callers with a key come first.
 *
 * Waiting requests poll with their own timers instead of being called: if a client leaves, its request may never
 * finish, and others must not depend on it.
 */
import type { Database } from "../../../platform/database/database.ts";
import { tooManyRows } from "../store/refused-query.ts";
import { pause } from "../../../platform/pause.ts";

export interface ScanGate {
  run<Value>(turn: ScanTurn, statement: () => Promise<Value>): Promise<Value>;
}

export interface ScanTurn {
  /** The caller has a key. */
  readonly isKeyed: boolean;
  /** For one of many statements: other statements run before each of them. A small statement runs at once if the queue is empty. */
  readonly isScan: boolean;
}

/** Maximum waiting statements per isolate: at worst, a few seconds of work. */
export const MOST_WAITING = 500;
/** Milliseconds between two polls, for the first in the queue and for the last. */
const SHORTEST_LOOK = 1;
const LONGEST_LOOK = 50;
/** Milliseconds without a poll after which a waiting request counts as gone, and a running statement too. */
const GONE_MS = 1_000;
const LOST_MS = 30_000;
/** Seconds after which a full queue should be shorter. */
const RETRY_SECONDS = 2;

interface Ticket {
  readonly isKeyed: boolean;
  seenAt: number;
}

export function createScanGate(clock: () => number = Date.now): ScanGate {
  let waiting: Ticket[] = [];
  let running: Ticket | undefined;

  /** The number of statements ahead; a running statement counts as one. */
  function placeOf(ticket: Ticket): number {
    const now = clock();
    ticket.seenAt = now;
    waiting = waiting.filter(({ seenAt }) => now - seenAt <= GONE_MS);
    if (running !== undefined && now - running.seenAt > LOST_MS) running = undefined;
    const before = waiting.slice(0, waiting.indexOf(ticket));
    const inFront = ticket.isKeyed
      ? before.filter(({ isKeyed }) => isKeyed).length
      : before.length + waiting.slice(before.length).filter(({ isKeyed }) => isKeyed).length;
    return inFront + (running === undefined ? 0 : 1);
  }

  function enter(ticket: Ticket): void {
    if (!waiting.includes(ticket)) waiting.push(ticket);
  }

  return {
    async run({ isKeyed, isScan }, statement) {
      if (waiting.length >= MOST_WAITING) throw tooManyRows("deployment", RETRY_SECONDS);
      const ticket: Ticket = { isKeyed, seenAt: clock() };
      enter(ticket);
      try {
        // A scan waits for at least one poll, so that statements that arrived meanwhile run before its next one.
        for (let place = isScan ? 1 : placeOf(ticket); place > 0; place = placeOf(ticket)) {
          await pause(Math.min(LONGEST_LOOK, Math.max(SHORTEST_LOOK, waiting.indexOf(ticket))));
          // A poll can be so late that the ticket counts as gone.
          enter(ticket);
        }
        running = ticket;
        waiting = waiting.filter((each) => each !== ticket);
        return await statement();
      } finally {
        waiting = waiting.filter((each) => each !== ticket);
        if (running === ticket) running = undefined;
      }
    },
  };
}

const gates = new WeakMap<Database, ScanGate>();

/** All surfaces of an isolate share one gate per database. */
export function scanGateOf(database: Database): ScanGate {
  const gate = gates.get(database) ?? createScanGate();
  gates.set(database, gate);
  return gate;
}
