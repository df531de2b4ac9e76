/**
 * One run of an outbox: collects messages, sends the due ones, and returns when to run again. Ordered messages are sent
 * one at a time per lane; lanes and unordered messages run concurrently. When one attempt ends the next begins, however
 * long others take. Every attempt is counted before it is made, so the loss of the object ends no delivery.
 */
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { DueMessage } from "./rows.ts";
import { delayAfter, type Receiver, type AttemptResult } from "./sender.ts";
import type { AttemptOutcome, Ending, Keeps, OutboxStore } from "./store.ts";

/**
 * Maximum concurrent attempts, at most one per lane; a runtime allows a Worker six connections that wait for a
 * response.
 */
export const PARALLEL_ATTEMPTS = 6;
/**
 * Messages stored in an outbox that collects from a feed; the rest remains in the feed. Enough for many lanes, because
 * messages of a failing lane are stored here too.
 */
export const COLLECTED = 128;
/** Milliseconds between two looks while attempts are active; each look may read the database. */
const LOOK_INTERVAL = 1_000;
/** Attempts per run, because a run is limited in time and requests; the next run follows at once. */
export const ATTEMPTS_PER_RUN = 200;
/** Consecutive ordered dead letters after which the receiver counts as lost. */
export const DEAD_IN_A_ROW = 3;
/**
 * Consecutive refused messages, without a delivery in between, after which the address is considered wrong rather than
 * the messages.
 */
export const REFUSED_IN_A_ROW = 20;

export interface DeliveryRun {
  readonly store: OutboxStore;
  readonly receiver: Receiver;
  readonly keeps: Keeps;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Whether the storage still belongs to this run; false once the outbox was closed. */
  readonly current: () => boolean;
  /** Whether the outbox was woken since the last call. */
  readonly takeWake: () => boolean;
  /** Runs `work` after the delay, unless the returned function cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
  /** Called for each message that was delivered or given up. */
  readonly ended: (id: string) => void;
  readonly log: Logger;
}

/** Returns when to run again, in Unix milliseconds; undefined if there is nothing to do until the outbox is woken. */
export async function runDeliveries(run: DeliveryRun): Promise<number | undefined> {
  const { store, now, current, takeWake } = run;
  const running = new Map<string, Promise<void>>();
  let left = ATTEMPTS_PER_RUN;
  /** Why no further attempt begins: the receiver is off, or our own code failed. */
  let stop: { readonly off: string } | { readonly thrown: unknown } | undefined;
  const goesOn = () => stop === undefined && left > 0 && current();

  /** Returns how many attempts it has begun. */
  function begin(): number {
    const places = Math.min(PARALLEL_ATTEMPTS - running.size, left);
    // A message with an active attempt may become due again during the attempt.
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
        // Collect the rest once there is room for it.
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

/** Waits until an attempt ends, or until it is time to look for messages that arrived or became due in the meantime. */
async function oneOf(running: ReadonlyMap<string, Promise<void>>, { after }: DeliveryRun): Promise<void> {
  const looked = Promise.withResolvers<void>();
  const callOff = after(LOOK_INTERVAL, () => looked.resolve());
  await Promise.race([...running.values(), looked.promise]);
  callOff();
}

function isFull(store: OutboxStore): boolean {
  return store.summary().pending >= COLLECTED;
}

/** Stores as many messages as fit; returns whether there are more. */
async function collect({ store, receiver, now, current }: DeliveryRun): Promise<boolean> {
  if (receiver.collect === undefined) return false;
  const { cursor, pending } = store.summary();
  const collected = await receiver.collect(cursor, COLLECTED - pending);
  if (current() && collected.cursor > cursor) store.collect(cursor, collected.cursor, collected.messages, now());
  return collected.more && collected.cursor > cursor;
}

/** Returns why the receiver must be left alone, if so. */
async function attempt(run: DeliveryRun, message: DueMessage): Promise<string | undefined> {
  const { store, now, random } = run;
  const { id, attempts, attemptsAllowed } = message;
  const begun = now();
  if (attempts >= attemptsAllowed) {
    // The last attempt began in an instance that was lost before its end.
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
