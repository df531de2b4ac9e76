/**
 * The tables of an Outbox, described in docs/storage.md, and the rows of `deliveries`. A shipped script is never changed; a
 * new one follows it.
 */
import type { Delivery, DeliveryState, OutboxMessage } from "./rpc.ts";

export const migrations: readonly string[] = [
  `
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cursor INTEGER NOT NULL,
    dead_in_a_row INTEGER NOT NULL
  );
  CREATE TABLE deliveries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    ordered INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    attempts_allowed INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    next_attempt_at INTEGER,
    ended_at INTEGER,
    last_status INTEGER,
    last_reason TEXT
  );
  CREATE INDEX deliveries_due ON deliveries (ordered, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX deliveries_by_state ON deliveries (state, position);
  CREATE TABLE signing_secrets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    secret TEXT NOT NULL,
    expires_at INTEGER
  );
  `,
  `
  ALTER TABLE deliveries ADD COLUMN lane TEXT NOT NULL DEFAULT '';
  UPDATE deliveries SET lane = coalesce(body ->> '$.data.domainId', '')
    WHERE state = 'pending' AND ordered = 1 AND json_valid(body);
  CREATE INDEX deliveries_by_lane ON deliveries (lane, position) WHERE state = 'pending' AND ordered = 1;
  ALTER TABLE outbox ADD COLUMN refused_in_a_row INTEGER NOT NULL DEFAULT 0;
  `,
];

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
