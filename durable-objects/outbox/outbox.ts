/**
 * The core of an Outbox: accepts messages, runs deliveries when its alarm runs, and ensures that an alarm is set while
 * messages wait. Storage, clock, random source and alarm are parameters; a sender delivers (sender.ts).
 */
import { fail } from "../../platform/failure.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { success } from "../../platform/result.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import { runDeliveries } from "./delivery-run.ts";
import type { OutboxMessage, OutboxRpc } from "./rpc.ts";
import type { Sender } from "./sender.ts";
import { createOutboxStore } from "./store.ts";

/** Maximum waiting messages in an outbox that is passed its messages. */
export const QUEUE = 1_000;
/** Maximum bytes of one body as UTF-8. */
export const BODY_BYTES = 128 * 1024;
/** Delay before a failed or lost run is repeated, in milliseconds. */
const WATCH_INTERVAL = 10_000;
/** Milliseconds between two looks that wakes cause; each look reads the database. */
export const WAKE_INTERVAL = 1_000;
/**
 * Milliseconds that the opener of an outbox has to register its receiver; after that, an outbox without a receiver is
 * erased.
 */
export const OPENING_TIME = 60_000;

/**
 * Maximum milliseconds that a caller can wait for an outcome: the time that a phone network allows for a whole screen.
 */
export const LONGEST_OUTCOME_WAIT = 10_000;

export interface OutboxParts {
  readonly name: string;
  /** Undefined if this kind has no sender. */
  readonly sender: Sender | undefined;
  readonly storage: ObjectStorage;
  /** Deletes all stored data and the alarm. */
  readonly erase: () => Promise<void>;
  /** Sets the one alarm, in Unix milliseconds, or deletes it. */
  readonly arm: (at: number | undefined) => Promise<void>;
  readonly now: () => number;
  /** Runs `work` after the delay, unless the returned function cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  readonly random: () => number;
  readonly log: Logger;
}

export interface OutboxCore extends OutboxRpc {
  /** Handles the alarm. Never throws. */
  ring(): Promise<void>;
}

export function createOutbox({ name, sender, storage, erase, arm, now, after, random, log }: OutboxParts): OutboxCore {
  let store = createOutboxStore(storage);
  let running = false;
  /** The outbox was woken during a run, which may already have looked for messages. */
  let woken = false;

  /** Callers that wait for the end of a message. */
  const waiting = new Map<string, Set<() => void>>();

  function ended(id: string): void {
    for (const resolve of waiting.get(id) ?? []) resolve();
  }

  function awaitEnd(id: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = waiting.get(id) ?? new Set();
      waiting.set(id, waiters);
      const done = () => {
        callOff();
        waiters.delete(done);
        if (waiters.size === 0) waiting.delete(id);
        resolve();
      };
      const callOff = after(milliseconds, done);
      waiters.add(done);
    });
  }

  /** When the last look began, in Unix milliseconds. */
  let looked = Number.NEGATIVE_INFINITY;

  async function wakeUp(): Promise<void> {
    woken = true;
    await arm(now());
  }

  /** A wake-up that follows another within a second waits for the rest of that second, together with all wake-ups in the meantime. */
  function nextLook(): number {
    return Math.max(now(), looked + WAKE_INTERVAL);
  }

  async function close(): Promise<void> {
    store = createOutboxStore(storage);
    await erase();
  }

  /** Deletes old messages after the run; returns the earlier of its next time and the end of the oldest message. */
  async function runAndForget(): Promise<number | undefined> {
    const next = await run();
    const time = sender?.keeps.time;
    const oldest = time === undefined ? undefined : store.removeEnded(now() - time);
    return oldest === undefined || time === undefined
      ? next
      : Math.min(oldest + time, next ?? Number.POSITIVE_INFINITY);
  }

  /** Returns when to run again; undefined if only a call brings new work. */
  async function run(): Promise<number | undefined> {
    if (sender === undefined) return now() + WATCH_INTERVAL;
    const mine = store;
    const receiver = await sender.open(name);
    if (store !== mine || receiver === "paused") return undefined;
    if (receiver === "none") {
      await close();
      return undefined;
    }
    const { keeps } = sender;
    const takeWake = () => {
      const wasWoken = woken;
      woken = false;
      return wasWoken;
    };
    const current = () => store === mine;
    return runDeliveries({ store: mine, receiver, keeps, now, random, current, takeWake, after, ended, log });
  }

  return {
    async ring() {
      if (running) woken = true;
      if (running || !store.exists()) return;
      running = true;
      woken = false;
      looked = now();
      try {
        // If this instance ends meanwhile, the next one continues.
        await arm(now() + WATCH_INTERVAL);
        const next = await runAndForget();
        // A closed outbox leaves no trace.
        if (store.exists()) await arm(woken ? Math.min(nextLook(), next ?? Number.POSITIVE_INFINITY) : next);
      } catch (thrown) {
        log.error("outbox-run-failed", { reason: describeThrown(thrown) });
        await arm(now() + WATCH_INTERVAL);
      } finally {
        running = false;
      }
    },
    async enqueue(messages) {
      if (sender === undefined) return fail("unavailable", "Messages of this kind cannot be delivered here");
      if (messages.some(({ body }) => bytesOf(body) > BODY_BYTES)) {
        return fail("too_large", `A message must not be larger than ${BODY_BYTES} bytes`);
      }
      if (store.exists() && store.summary().pending + messages.length > QUEUE) {
        return fail("unavailable", "Too many messages are waiting to be sent", { retryAfter: 60 });
      }
      const added = store.add(messages, now());
      await wakeUp();
      return success(added);
    },
    async outcome(id, withinMs) {
      const wait = Math.min(withinMs, LONGEST_OUTCOME_WAIT);
      if (store.stateOf(id) === "pending" && wait > 0) await awaitEnd(id, wait);
      return store.stateOf(id);
    },
    async open(cursor, secret) {
      store.begin(cursor, secret);
      await arm(now() + OPENING_TIME);
    },
    async wake() {
      if (!store.exists()) return;
      woken = true;
      if (!running) await arm(nextLook());
    },
    async resume() {
      store.resume(now());
      if (store.exists()) await wakeUp();
    },
    async rotate(secret, overlapMs) {
      store.rotate(secret, now() + overlapMs);
    },
    async summary() {
      return store.summary();
    },
    async deliveries(page) {
      return store.deliveries(page);
    },
    async replay(ids) {
      const replayed = store.replay(ids, now());
      if (replayed > 0) await wakeUp();
      return replayed;
    },
    async messagesTo(to) {
      return store.messagesTo(to);
    },
    async forget(to) {
      return store.forget(to);
    },
    async recheck() {
      if (store.exists()) await arm(now() + OPENING_TIME);
    },
    close,
  };
}

function bytesOf(text: OutboxMessage["body"]): number {
  return new TextEncoder().encode(text).length;
}
