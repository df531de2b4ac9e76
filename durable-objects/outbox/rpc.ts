/**
 * The plain data and the calls of an Outbox's RPC interface. There is one outbox per receiver: `sms`, `webhook:<id>`.
 * The part before the colon selects the sender (sender.ts).
 */
import type { Result } from "../../platform/result.ts";

export interface OutboxMessage {
  /** Stable, so that the receiver recognises a message that reaches it twice. A known id is not accepted again. */
  readonly id: string;
  /** The subject of the message, for listings; never its content. */
  readonly topic: string;
  /** The content that the sender sends; at most BODY_BYTES of UTF-8. */
  readonly body: string;
  /** Begun only after every earlier ordered message of its lane was delivered or given up. */
  readonly ordered: boolean;
  /** The scope of the order, such as one domain. Messages without a lane share one. */
  readonly lane?: string;
  /** Attempts before it becomes a dead letter; ATTEMPTS by default. */
  readonly attempts?: number;
}

export type DeliveryState = "pending" | "delivered" | "dead";

/** One message as an operator sees it. Times in Unix milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly topic: string;
  readonly state: DeliveryState;
  /** Attempts since it was accepted or replayed. */
  readonly attempts: number;
  readonly takenAt: number;
  /** Null once it is delivered or dead. */
  readonly nextAttemptAt: number | null;
  readonly endedAt: number | null;
  /** The HTTP status of the last attempt; null without a response. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed, such as `status` or `timeout`; null after a success. */
  readonly lastReason: string | null;
  /** Its position in the outbox; the cursor of listings. */
  readonly position: number;
}

/** The state of the whole outbox; all zero if it was never written to. */
export interface OutboxSummary {
  readonly pending: number;
  readonly dead: number;
  /** Position up to which the feed has been collected. */
  readonly cursor: number;
  /** When the next attempt is due, in Unix milliseconds; null if nothing waits. */
  readonly nextAttemptAt: number | null;
}

/** A message to a person, for their copy of their data. */
export interface PersonalMessage extends Pick<Delivery, "state" | "takenAt"> {
  readonly body: string;
}

export interface DeliveryPage {
  /** All states if absent. */
  readonly state?: DeliveryState;
  /** Positions below this one. */
  readonly before?: number;
  readonly limit: number;
}

export interface OutboxRpc {
  /**
   * Stores the messages, all or none, and sends them soon. Returns how many were new. A full queue fails with
   * `unavailable`.
   */
  enqueue(messages: readonly OutboxMessage[]): Promise<Result<number>>;
  /**
   * The outcome of a message: at once if it has ended, otherwise when it ends, or `pending` after `withinMs` (at most
   * LONGEST_OUTCOME_WAIT of outbox.ts). Null for an unknown message. Lets a caller report only accepted messages as
   * sent.
   */
  outcome(id: string, withinMs: number): Promise<DeliveryState | null>;
  /**
   * Starts an outbox that collects from a feed, after `cursor`, and signs with `secret`. A second call changes nothing.
   */
  open(cursor: number, secret: string): Promise<void>;
  /**
   * There may be messages to collect or to send. Wake-ups within a second of each other cause one look. Costs nothing for
   * an outbox that was never written to.
   */
  wake(): Promise<void>;
  /** After the receiver was off: makes all waiting messages due, and resets the failure counts. */
  resume(): Promise<void>;
  /** Signs with `secret` from now on, and with the earlier secrets for `overlapMs` more. */
  rotate(secret: string, overlapMs: number): Promise<void>;
  summary(): Promise<OutboxSummary>;
  /** Newest first. */
  deliveries(page: DeliveryPage): Promise<readonly Delivery[]>;
  /** Sends these messages, or every dead letter, again; a waiting message is tried at once. Returns how many. */
  replay(ids: readonly string[] | "dead"): Promise<number>;
  /** The messages to a person, by the member `to` of their bodies: those that wait and those that failed. */
  messagesTo(to: string): Promise<readonly PersonalMessage[]>;
  /** Erases them. Returns how many. */
  forget(to: string): Promise<number>;
  /**
   * Checks in a minute whether the receiver still exists, and erases itself if not. Called before a removal that may be
   * interrupted.
   */
  recheck(): Promise<void>;
  /** Erases everything. */
  close(): Promise<void>;
}

/** Attempts before a message becomes a dead letter. */
export const ATTEMPTS = 11;
