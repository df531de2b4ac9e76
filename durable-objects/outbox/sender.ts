/**
 * The seam between an Outbox and what it delivers to. A sender is injected by `workers/index.ts` per kind of outbox; it
 * knows the outside, the Outbox knows when to try again.
 */
import type { OutboxMessage } from "./rpc.ts";
import type { Keeps } from "./store.ts";

/** How one attempt went. */
export type Verdict =
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
  readonly send: (attempt: Attempt) => Promise<Verdict>;
  /** The outbox stopped: a verdict said so, or too many dead letters in a row (`failing`). */
  readonly turnedOff?: (reason: string) => Promise<void>;
}

export interface Sender {
  readonly keeps: Keeps;
  /** Asked at the beginning of each run. `paused`: nothing is sent until it is woken. `none`: the outbox is erased. */
  readonly open: (name: string) => Promise<Receiver | "paused" | "none">;
}

/** By kind: the name of an outbox up to its colon. */
export type Senders = Readonly<Record<string, Sender>>;
