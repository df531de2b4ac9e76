/**
 * Lets statements that scan, and all of callers without a key, run one at a time in an isolate, and other requests in between: a
 * database runs one statement at a time, so whatever is sent at once is waited for by everybody. Statements of callers with a
 * key come first.
 *
 * Waiting requests look again by timers of their own instead of being called: a request whose client leaves never finishes what
 * others would wait for.
 */
import { tooManyRows } from "../store/refused-query.ts";
import { pause } from "../../../platform/pause.ts";

export interface ScanGate {
  run<Value>(turn: ScanTurn, statement: () => Promise<Value>): Promise<Value>;
}

export interface ScanTurn {
  /** The caller has a key. */
  readonly isKeyed: boolean;
  /** One of many statements: others run before each. A small one runs at once where nobody waits. */
  readonly isScan: boolean;
}

/** Statements that wait in one isolate: with the longest turns, some seconds of work. */
export const MOST_WAITING = 500;
/** Milliseconds between two looks of the first in the queue, and of the last. */
const SHORTEST_LOOK = 1;
const LONGEST_LOOK = 50;
/** Milliseconds without a look after which a waiting request is gone, and after which a running statement is. */
const GONE_MS = 1_000;
const LOST_MS = 30_000;
/** Seconds after which a full queue has become shorter. */
const RETRY_SECONDS = 2;

interface Ticket {
  readonly isKeyed: boolean;
  seenAt: number;
}

export function createScanGate(clock: () => number = Date.now): ScanGate {
  let waiting: Ticket[] = [];
  let running: Ticket | undefined;

  /** How many are in front; the gate itself counts as one while a statement runs. */
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
        // A scan waits at least one look, so that what has come meanwhile runs before its next statement.
        for (let place = isScan ? 1 : placeOf(ticket); place > 0; place = placeOf(ticket)) {
          await pause(Math.min(LONGEST_LOOK, Math.max(SHORTEST_LOOK, waiting.indexOf(ticket))));
          // A look may come so late that the ticket counts as gone.
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

const gates = new WeakMap<D1Database, ScanGate>();

/** All surfaces of an isolate share one gate for a database. */
export function scanGateOf(database: D1Database): ScanGate {
  const gate = gates.get(database) ?? createScanGate();
  gates.set(database, gate);
  return gate;
}
