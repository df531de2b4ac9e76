/** How messages lie in the table `deliveries` (schema.ts), as they are read for sending and for listings. */
import type { Delivery, DeliveryState, OutboxMessage } from "./rpc.ts";

/** A message whose next attempt is due. */
export interface DueMessage extends Pick<OutboxMessage, "id" | "topic" | "body" | "ordered"> {
  readonly attempts: number;
  readonly attemptsAllowed: number;
}

export interface DueRow extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly topic: string;
  readonly body: string;
  readonly ordered: number;
  readonly attempts: number;
  readonly attempts_allowed: number;
}

export const dueColumns = "id, topic, body, ordered, attempts, attempts_allowed";

export function dueMessageOf({ ordered, attempts_allowed, ...same }: DueRow): DueMessage {
  return { ...same, ordered: ordered === 1, attemptsAllowed: attempts_allowed };
}

export interface DeliveryRow extends Record<string, SqlStorageValue> {
  readonly position: number;
  readonly id: string;
  readonly topic: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly taken_at: number;
  readonly next_attempt_at: number | null;
  readonly ended_at: number | null;
  readonly last_status: number | null;
  readonly last_reason: string | null;
}

export const deliveryColumns =
  "position, id, topic, state, attempts, taken_at, next_attempt_at, ended_at, last_status, last_reason";

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    topic: row.topic,
    state: row.state,
    attempts: row.attempts,
    takenAt: row.taken_at,
    nextAttemptAt: row.next_attempt_at,
    endedAt: row.ended_at,
    lastStatus: row.last_status,
    lastReason: row.last_reason,
    position: row.position,
  };
}
