/**
 * The interface between an Outbox and its receiver, and the retry delays. `workers/index.ts` injects one sender per
 * kind of outbox. The sender knows the external service; the Outbox schedules the attempts.
 */
import type { OutboxMessage } from "./rpc.ts";
import type { Keeps } from "./store.ts";

/** The result of one attempt. */
export type AttemptResult =
  | { readonly kind: "delivered"; readonly status?: number }
  /** Worth a retry; `retryAfterMs` is the wait that the receiver asked for, and is limited. */
  | { readonly kind: "failed"; readonly reason: string; readonly status?: number; readonly retryAfterMs?: number }
  /** Permanently refused: a dead letter at once. */
  | { readonly kind: "refused"; readonly reason: string; readonly status?: number }
  /** The receiver as a whole must be left alone. The message waits until the outbox is woken. */
  | { readonly kind: "off"; readonly reason: string; readonly status?: number };

export interface Attempt {
  readonly message: Pick<OutboxMessage, "id" | "topic" | "body">;
  /** 1 for the first. */
  readonly number: number;
  /** The signing secrets, newest first. */
  readonly secrets: readonly string[];
}

export interface Collected {
  readonly messages: readonly OutboxMessage[];
  /** Where to continue; all changes up to here are among the messages or not wanted. */
  readonly cursor: number;
  /** False if nothing follows the cursor now. */
  readonly more: boolean;
}

/** One receiver with its current configuration. */
export interface Receiver {
  /** For outboxes that collect their messages: at most `limit` messages after the cursor. */
  readonly collect?: (cursor: number, limit: number) => Promise<Collected>;
  /** Limited in time by the sender. An exception counts as a failed attempt. */
  readonly send: (attempt: Attempt) => Promise<AttemptResult>;
  /** The outbox has stopped: an attempt asked for it, or there were too many consecutive dead letters (`failing`). */
  readonly turnedOff?: (reason: string) => Promise<void>;
}

export interface Sender {
  readonly keeps: Keeps;
  /** Called at the start of each run. `paused`: nothing is sent until it is woken. `none`: the outbox is erased. */
  readonly open: (name: string) => Promise<Receiver | "paused" | "none">;
}

/** By kind: the part of an outbox's name before the colon. */
export type Senders = Readonly<Record<string, Sender>>;

/** Milliseconds; about the time of a receiver's deployment. */
const FIRST_DELAY = 5_000;
/** Small, so that the next attempt soon follows an outage of a few seconds. */
const FACTOR = 3;
/** Milliseconds: 6 hours. */
export const LONGEST_DELAY = 21_600_000;
/** The random share of a delay. */
const JITTER = 0.5;

/**
 * Milliseconds from the start of the failed attempt to the next one. `attempt` is the number of the failed attempt,
 * from 1; `random` is from 0 up to 1; `asked` is the receiver's Retry-After, applied up to the longest delay.
 */
export function delayAfter(attempt: number, random: number, asked = 0): number {
  const whole = Math.min(LONGEST_DELAY, FIRST_DELAY * FACTOR ** (attempt - 1));
  const jittered = Math.round(whole * (1 - JITTER * random));
  return Math.max(jittered, Math.min(asked, LONGEST_DELAY));
}
