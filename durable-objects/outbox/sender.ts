/**
 * The seam between an Outbox and what it delivers to, and when a failed delivery is tried again. A sender is injected by
 * `workers/index.ts` per kind of outbox; it knows the outside, the Outbox knows when to try again.
 */
import type { OutboxMessage } from "./rpc.ts";
import type { Keeps } from "./store.ts";

/** How one attempt went. */
export type AttemptResult =
  | { readonly kind: "delivered"; readonly status?: number }
  /** Worth another attempt; `retryAfterMs` is what the receiver asked for, and is bounded. */
  | { readonly kind: "failed"; readonly reason: string; readonly status?: number; readonly retryAfterMs?: number }
  /** Will never be taken: a dead letter at once. */
  | { readonly kind: "refused"; readonly reason: string; readonly status?: number }
  /** The receiver as a whole is to be left alone. The message stays and waits until somebody wakes the outbox. */
  | { readonly kind: "off"; readonly reason: string; readonly status?: number };

export interface Attempt {
  readonly message: Pick<OutboxMessage, "id" | "topic" | "body">;
  /** 1 for the first. */
  readonly number: number;
  /** What to sign with, the newest first. */
  readonly secrets: readonly string[];
}

export interface Collected {
  readonly messages: readonly OutboxMessage[];
  /** Where to go on; everything up to here is among the messages or not wanted. */
  readonly cursor: number;
  /** False when there is nothing behind the cursor now. */
  readonly more: boolean;
}

/** One receiver as it is configured at this moment. */
export interface Receiver {
  /** For outboxes that fetch what they send: at most `limit` messages from behind the cursor. */
  readonly collect?: (cursor: number, limit: number) => Promise<Collected>;
  /** Bounded in time by the sender. What it throws counts as a failed attempt. */
  readonly send: (attempt: Attempt) => Promise<AttemptResult>;
  /** The outbox stopped: a result asked for it, or too many dead letters in a row (`failing`). */
  readonly turnedOff?: (reason: string) => Promise<void>;
}

export interface Sender {
  readonly keeps: Keeps;
  /** Asked at the beginning of each run. `paused`: nothing is sent until it is woken. `none`: the outbox is erased. */
  readonly open: (name: string) => Promise<Receiver | "paused" | "none">;
}

/** By kind: the name of an outbox up to its colon. */
export type Senders = Readonly<Record<string, Sender>>;

/** Milliseconds; a deployment of the receiver takes about as long. */
const FIRST_DELAY = 5_000;
/** Small, so that after an outage of some seconds the next attempt comes some seconds later. */
const FACTOR = 3;
/** Milliseconds: 6 hours. */
export const LONGEST_DELAY = 21_600_000;
/** The share of a delay that is left to chance. */
const JITTER = 0.5;

/**
 * Milliseconds from the beginning of the failed attempt to the next one. `attempt` is the number of the failed one, from
 * 1; `random` is from 0 up to 1; `asked` is what the receiver asked for, heeded up to the longest delay.
 */
export function delayAfter(attempt: number, random: number, asked = 0): number {
  const whole = Math.min(LONGEST_DELAY, FIRST_DELAY * FACTOR ** (attempt - 1));
  const jittered = Math.round(whole * (1 - JITTER * random));
  return Math.max(jittered, Math.min(asked, LONGEST_DELAY));
}
