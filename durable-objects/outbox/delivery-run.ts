/**
 * One run of an outbox: collects, sends what is due, and says when to run again. Ordered messages go one at a time in each lane,
 * lanes and the others beside them; when one attempt ends the next begins, however long others take. Every attempt is counted before it is made, so that whatever ends the object ends no delivery.
 */
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { DueMessage } from "./rows.ts";
import { delayAfter, type Receiver, type AttemptResult } from "./sender.ts";
import type { AttemptOutcome, Ending, Keeps, OutboxStore } from "./store.ts";

/** Attempts under way at once, one of each lane at most; a runtime allows a Worker six connections that wait for an answer. */
export const PARALLEL_ATTEMPTS = 6;
/**
 * Messages that wait in an outbox that collects by itself; the rest waits where it is collected from. Enough for many lanes, since
 * those of a lane that fails wait here too.
 */
export const COLLECTED = 128;
/** Milliseconds between two looks while attempts are under way; each look may read the database. */
const LOOK_INTERVAL = 1_000;
/** Attempts of one run; a run has a bound on time and on requests, and the next one follows at once. */
export const ATTEMPTS_PER_RUN = 200;
/** Ordered dead letters in a row after which the receiver counts as lost. */
export const DEAD_IN_A_ROW = 3;
/** Messages that it refused in a row, with no delivery between: then the address is wrong, and not a message. */
export const REFUSED_IN_A_ROW = 20;

export interface DeliveryRun {
  readonly store: OutboxStore;
  readonly receiver: Receiver;
  readonly keeps: Keeps;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Whether the storage is still this run's; it is not once the outbox was closed. */
  readonly current: () => boolean;
  /** Whether somebody woke the outbox since this was asked last. */
  readonly takeWake: () => boolean;
  /** Does the work after so many milliseconds, unless it is called off by what this answers. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  /** Called with each message that was delivered or given up. */
  readonly ended: (id: string) => void;
  readonly log: Logger;
}

/** When to run again, Unix milliseconds; undefined when there is nothing to do until somebody wakes the outbox. */
export async function runDeliveries(run: DeliveryRun): Promise<number | undefined> {
  const { store, now, current, takeWake } = run;
  const running = new Map<string, Promise<void>>();
  let left = ATTEMPTS_PER_RUN;
  /** Why no further attempt begins: the receiver is off, or something of ours failed. */
  let stop: { readonly off: string } | { readonly thrown: unknown } | undefined;
  const goesOn = () => stop === undefined && left > 0 && current();

  /** Answers how many attempts it has begun. */
  function begin(): number {
    const places = Math.min(PARALLEL_ATTEMPTS - running.size, left);
    // One under way may be due again by the time that its attempt has taken.
    const due = store.due(now(), places + running.size).filter(({ id }) => !running.has(id));
    for (const message of due.slice(0, places)) {
      left -= 1;
      const ended = attempt(run, message).then(
        (off) => void (off !== undefined && (stop ??= { off })),
        (thrown: unknown) => void (stop ??= { thrown }),
      );
      running.set(
        message.id,
        ended.then(() => void running.delete(message.id)),
      );
    }
    return Math.min(places, due.length);
  }

  let mayHaveMore = true;
  try {
    for (;;) {
      while (goesOn() && running.size < PARALLEL_ATTEMPTS) {
        if (begin() > 0) continue;
        // What else there is, is collected once there is room for it.
        if (isFull(store)) break;
        if (!takeWake() && !mayHaveMore) break;
        mayHaveMore = await collect(run);
        if (goesOn() && begin() === 0) {
          left -= 1;
          if (!mayHaveMore) break;
        }
      }
      if (running.size === 0) break;
      await oneOf(running, run);
    }
  } finally {
    await Promise.all(running.values());
  }
  if (stop !== undefined && "thrown" in stop) throw stop.thrown;
  if (!current()) return undefined;
  if (stop !== undefined) {
    run.log.warn("outbox-off", { reason: stop.off });
    await run.receiver.turnedOff?.(stop.off);
    return undefined;
  }
  return left > 0 ? store.nextDue() : now();
}

/** Until an attempt ends, or until it is time to look for messages that came or became due meanwhile. */
async function oneOf(running: ReadonlyMap<string, Promise<void>>, { after }: DeliveryRun): Promise<void> {
  const looked = Promise.withResolvers<void>();
  const callOff = after(LOOK_INTERVAL, () => looked.resolve());
  await Promise.race([...running.values(), looked.promise]);
  callOff();
}

function isFull(store: OutboxStore): boolean {
  return store.summary().pending >= COLLECTED;
}

/** Takes in what fits; whether there is more. */
async function collect({ store, receiver, now, current }: DeliveryRun): Promise<boolean> {
  if (receiver.collect === undefined) return false;
  const { cursor, pending } = store.summary();
  const collected = await receiver.collect(cursor, COLLECTED - pending);
  if (current() && collected.cursor > cursor) store.collect(cursor, collected.cursor, collected.messages, now());
  return collected.more && collected.cursor > cursor;
}

/** Answers why the receiver is to be left alone, if it is. */
async function attempt(run: DeliveryRun, message: DueMessage): Promise<string | undefined> {
  const { store, now, random } = run;
  const { id, attempts, attemptsAllowed } = message;
  const begun = now();
  if (attempts >= attemptsAllowed) {
    // The last one began in a life of the object that did not see its end.
    return end(run, id, "dead", { status: null, reason: "interrupted" });
  }
  const number = attempts + 1;
  const chance = random();
  store.beginAttempt(id, begun + delayAfter(number, chance));
  const result = await send(run, message, number);
  if (!run.current()) return undefined;
  const outcome = outcomeOf(result);
  run.log.info("delivery-attempted", { delivery: id, topic: message.topic, number, result: result.kind, ...outcome });
  if (result.kind === "off") {
    store.undoAttempt(id, begun);
    store.postpone(id, begun, outcome);
    return result.reason;
  }
  if (result.kind === "failed" && number < attemptsAllowed) {
    store.postpone(id, begun + delayAfter(number, chance, result.retryAfterMs), outcome);
    return undefined;
  }
  return end(run, id, result.kind === "failed" ? "dead" : result.kind, outcome);
}

function end(run: DeliveryRun, id: string, how: Ending, outcome: AttemptOutcome): string | undefined {
  const { dead, refused } = run.store.end(id, how, { ...outcome, now: run.now(), keeps: run.keeps });
  run.ended(id);
  return dead >= DEAD_IN_A_ROW || refused >= REFUSED_IN_A_ROW ? "failing" : undefined;
}

async function send(
  { store, receiver, now }: DeliveryRun,
  message: DueMessage,
  number: number,
): Promise<AttemptResult> {
  const { id, topic, body } = message;
  try {
    return await receiver.send({ message: { id, topic, body }, number, secrets: store.secrets(now()) });
  } catch (thrown) {
    return { kind: "failed", reason: describeThrown(thrown) };
  }
}

function outcomeOf(result: AttemptResult): AttemptOutcome {
  return { status: result.status ?? null, reason: result.kind === "delivered" ? null : result.reason };
}
