/**
 * The plain data that crosses the RPC boundary of an Outbox, and the calls themselves. There is one outbox per receiver:
 * `sms`, `webhook:<id>`. What is before the colon says which sender delivers (sender.ts).
 */
import type { Result } from "../../platform/result.ts";

export interface OutboxMessage {
  /** Stable: the receiver knows a message that reaches it twice by this. A known id is not taken again. */
  readonly id: string;
  /** What the message is about, for listings. Never its content. */
  readonly topic: string;
  /** What the sender sends; at most BODY_BYTES of UTF-8. */
  readonly body: string;
  /** Begun only after every earlier ordered message of its lane was delivered or given up. */
  readonly ordered: boolean;
  /** What order is kept for, such as one domain. Messages without a lane share one. */
  readonly lane?: string;
  /** Attempts before it becomes a dead letter; ATTEMPTS when left out. */
  readonly attempts?: number;
}

export type DeliveryState = "pending" | "delivered" | "dead";

/** One message as an operator sees it. Times in Unix milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly topic: string;
  readonly state: DeliveryState;
  /** Begun since it was taken, or replayed. */
  readonly attempts: number;
  readonly takenAt: number;
  /** Null once it is delivered or dead. */
  readonly nextAttemptAt: number | null;
  readonly endedAt: number | null;
  /** The HTTP status of the last attempt; null when there was no answer. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed, such as `status` or `timeout`; null after a success. */
  readonly lastReason: string | null;
  /** Its place in the outbox; the cursor of listings. */
  readonly position: number;
}

/** The outbox as a whole; all zero for one that was never written to. */
export interface OutboxSummary {
  readonly pending: number;
  readonly dead: number;
  /** How far what it collects by itself has been taken in. */
  readonly cursor: number;
  /** When the next attempt is due, Unix milliseconds; null when nothing waits. */
  readonly nextAttemptAt: number | null;
}

export interface DeliveryPage {
  /** All when absent. */
  readonly state?: DeliveryState;
  /** Positions below this one. */
  readonly before?: number;
  readonly limit: number;
}

export interface OutboxRpc {
  /** Stores the messages and has them sent soon; all or none. Answers how many were new. Full: `unavailable`. */
  enqueue(messages: readonly OutboxMessage[]): Promise<Result<number>>;
  /**
   * What became of a message: at once when it has ended, else when it does, `pending` after `withinMs` (at most
   * LONGEST_OUTCOME_WAIT of outbox.ts). Null for an unknown one. For whoever may only claim what was accepted.
   */
  outcome(id: string, withinMs: number): Promise<DeliveryState | null>;
  /** Begins an outbox that collects by itself: from behind `cursor`, signing with `secret`. A second call changes nothing. */
  open(cursor: number, secret: string): Promise<void>;
  /**
   * There may be something to collect or to send. Wakes within a second of each other cause one look. Costs nothing for an
   * outbox that was never written to.
   */
  wake(): Promise<void>;
  /** After the receiver was off: nothing waits for its next attempt any more, and old failures are forgotten. */
  resume(): Promise<void>;
  /** Signs with `secret` from now on, and with those before it for `overlapMs` more. */
  rotate(secret: string, overlapMs: number): Promise<void>;
  summary(): Promise<OutboxSummary>;
  /** Newest first. */
  deliveries(page: DeliveryPage): Promise<readonly Delivery[]>;
  /** Sends these again, or every dead letter; a message that still waits is tried at once. Answers how many. */
  replay(ids: readonly string[] | "dead"): Promise<number>;
  /** Looks in a minute whether the receiver still exists, and erases itself if not: ahead of a removal that may be cut off. */
  recheck(): Promise<void>;
  /** Forgets everything. */
  close(): Promise<void>;
}

/** Attempts before a message becomes a dead letter. */
export const ATTEMPTS = 11;
