/**
 * All SQL of an Outbox: messages, their outcomes, the collection cursor, and signing secrets. Times are arguments in
 * Unix milliseconds. Reading an outbox that was never written to leaves no trace.
 */
import { hasSchema, migrate, type ObjectStorage } from "../../platform/object-schema.ts";
import {
  deliveryColumns,
  deliveryOf,
  type DeliveryRow,
  dueColumns,
  type DueMessage,
  dueMessageOf,
  type DueRow,
  migrations,
} from "./rows.ts";
import {
  type Delivery,
  type DeliveryPage,
  type DeliveryState,
  type OutboxMessage,
  type OutboxSummary,
  type PersonalMessage,
  ATTEMPTS,
} from "./rpc.ts";

/** Dead letters that are kept; the oldest is removed first. */
export const DEAD_LETTERS = 1_000;

export interface AttemptOutcome {
  readonly status: number | null;
  readonly reason: string | null;
}

/** Retention of delivered messages. */
export interface Keeps {
  /** How many are remembered: listed, and recognised if their id arrives again. */
  readonly delivered: number;
  /** Whether their bodies are kept, so that they can be sent again. */
  readonly bodies: boolean;
  /** The maximum age of ended messages in milliseconds; without it, only their number is limited. */
  readonly time?: number | undefined;
}

/** How a message ends: delivered, given up after its last attempt, or refused by the receiver. */
export type Ending = "delivered" | "dead" | "refused";

/** Ordered messages since the last delivered one. */
export interface FailuresInARow {
  readonly dead: number;
  readonly refused: number;
}

const NO_FAILURES: FailuresInARow = { dead: 0, refused: 0 };
/** SQL of the two counts after each ending. */
const counting: Readonly<Record<Ending, readonly [dead: string, refused: string]>> = {
  delivered: ["0", "0"],
  dead: ["dead_in_a_row + 1", "refused_in_a_row"],
  refused: ["dead_in_a_row", "refused_in_a_row + 1"],
};

export interface OutboxStore {
  /** Whether anything was ever stored. */
  exists(): boolean;
  summary(): OutboxSummary;
  /** Returns how many were new. */
  add(messages: readonly OutboxMessage[], now: number): number;
  /** Stores messages collected after `from`, unless the cursor has moved since. */
  collect(from: number, to: number, messages: readonly OutboxMessage[], now: number): void;
  begin(cursor: number, secret: string): void;
  rotate(secret: string, oldExpireAt: number): void;
  /** Newest first. */
  secrets(now: number): readonly string[];
  due(now: number, limit: number): readonly DueMessage[];
  /** When the next attempt is due; undefined if nothing waits. */
  nextDue(): number | undefined;
  /** Counts an attempt before it is made, so that an attempt lost with the object still counts. */
  beginAttempt(id: string, nextAttemptAt: number): void;
  /** Takes the attempt back, because nothing was sent. */
  undoAttempt(id: string, nextAttemptAt: number): void;
  postpone(id: string, nextAttemptAt: number, outcome: AttemptOutcome): void;
  /**
   * Ends a message; a refused one becomes a dead letter too. Returns the counts of consecutive failures of ordered
   * messages.
   */
  end(id: string, how: Ending, end: AttemptOutcome & { now: number; keeps: Keeps }): FailuresInARow;
  /** Resets the count of consecutive dead letters, and makes waiting messages due now. */
  resume(now: number): void;
  deliveries(page: DeliveryPage): readonly Delivery[];
  /** Null for an unknown message. */
  stateOf(id: string): DeliveryState | null;
  replay(ids: readonly string[] | "dead", now: number): number;
  /** Deletes messages that ended by then, delivered or dead. Returns when the oldest of the others ended. */
  removeEnded(by: number): number | undefined;
  /** Newest first. Reads the whole outbox, whose size is limited. */
  messagesTo(to: string): readonly PersonalMessage[];
  forget(to: string): number;
}

const NOTHING: OutboxSummary = { pending: 0, dead: 0, cursor: 0, nextAttemptAt: null };

export function createOutboxStore(storage: ObjectStorage): OutboxStore {
  const { sql } = storage;
  let ready = false;

  function prepare(): void {
    if (ready) return;
    migrate(storage, migrations);
    sql.exec("INSERT OR IGNORE INTO outbox (id, cursor, dead_in_a_row) VALUES (1, 0, 0)");
    ready = true;
  }

  function exists(): boolean {
    if (!ready && hasSchema(sql)) prepare();
    return ready;
  }

  function number(query: string, ...values: SqlStorageValue[]): number {
    return sql.exec<{ value: number }>(query, ...values).one().value;
  }

  /** The first message of a lane decides when the lane continues, even if later ones are due. */
  const head = `SELECT MIN(ahead.position) FROM deliveries AS ahead
    WHERE ahead.state = 'pending' AND ahead.ordered = 1 AND ahead.lane = deliveries.lane`;
  const startable = `state = 'pending' AND (ordered = 0 OR position = (${head}))`;

  function nextDue(): number | undefined {
    if (!exists()) return undefined;
    const query = `SELECT MIN(next_attempt_at) AS value FROM deliveries WHERE ${startable}`;
    return sql.exec<{ value: number | null }>(query).one().value ?? undefined;
  }

  function insert(messages: readonly OutboxMessage[], now: number): number {
    let added = 0;
    for (const { id, topic, body, ordered, lane = "", attempts = ATTEMPTS } of messages) {
      added += sql
        .exec(
          `INSERT INTO deliveries
             (id, topic, body, ordered, lane, state, attempts, attempts_allowed, taken_at, next_attempt_at)
           VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING position`,
          id,
          topic,
          body,
          ordered ? 1 : 0,
          lane,
          attempts,
          now,
          now,
        )
        .toArray().length;
    }
    return added;
  }

  /** Keeps only the newest messages of a state. */
  function prune(state: "delivered" | "dead", keeps: number): void {
    sql.exec(
      `DELETE FROM deliveries WHERE position IN
       (SELECT position FROM deliveries WHERE state = ?1 ORDER BY position DESC LIMIT -1 OFFSET ?2)`,
      state,
      keeps,
    );
  }

  return {
    exists,
    nextDue,
    summary() {
      if (!exists()) return NOTHING;
      const count = (state: DeliveryState) => number("SELECT COUNT(*) AS value FROM deliveries WHERE state = ?", state);
      const cursor = number("SELECT cursor AS value FROM outbox");
      return { pending: count("pending"), dead: count("dead"), cursor, nextAttemptAt: nextDue() ?? null };
    },
    add(messages, now) {
      prepare();
      return storage.transactionSync(() => insert(messages, now));
    },
    collect(from, to, messages, now) {
      if (!exists()) return;
      storage.transactionSync(() => {
        if (number("SELECT cursor AS value FROM outbox") !== from) return;
        insert(messages, now);
        sql.exec("UPDATE outbox SET cursor = ?", to);
      });
    },
    begin(cursor, secret) {
      prepare();
      storage.transactionSync(() => {
        if (number("SELECT COUNT(*) AS value FROM signing_secrets") > 0) return;
        sql.exec("INSERT INTO signing_secrets (secret) VALUES (?)", secret);
        sql.exec("UPDATE outbox SET cursor = ?", cursor);
      });
    },
    rotate(secret, oldExpireAt) {
      prepare();
      storage.transactionSync(() => {
        sql.exec("UPDATE signing_secrets SET expires_at = MIN(COALESCE(expires_at, ?1), ?1)", oldExpireAt);
        sql.exec("INSERT INTO signing_secrets (secret) VALUES (?)", secret);
      });
    },
    secrets(now) {
      if (!exists()) return [];
      sql.exec("DELETE FROM signing_secrets WHERE expires_at <= ?", now);
      return sql
        .exec<{ secret: string }>("SELECT secret FROM signing_secrets ORDER BY number DESC")
        .toArray()
        .map(({ secret }) => secret);
    },
    due(now, limit) {
      if (!exists()) return [];
      return sql
        .exec<DueRow>(
          `SELECT ${dueColumns} FROM deliveries
           WHERE ${startable} AND next_attempt_at <= ? ORDER BY ordered DESC, next_attempt_at, position LIMIT ?`,
          now,
          limit,
        )
        .toArray()
        .map(dueMessageOf);
    },
    beginAttempt(id, nextAttemptAt) {
      sql.exec("UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?", nextAttemptAt, id);
    },
    undoAttempt(id, nextAttemptAt) {
      sql.exec("UPDATE deliveries SET attempts = attempts - 1, next_attempt_at = ? WHERE id = ?", nextAttemptAt, id);
    },
    postpone(id, nextAttemptAt, { status, reason }) {
      sql.exec(
        "UPDATE deliveries SET next_attempt_at = ?, last_status = ?, last_reason = ? WHERE id = ? AND state = 'pending'",
        nextAttemptAt,
        status,
        reason,
        id,
      );
    },
    end(id, how, { status, reason, now, keeps }) {
      return storage.transactionSync(() => {
        const state = how === "delivered" ? "delivered" : "dead";
        const ended = sql
          .exec<{ ordered: number }>(
            `UPDATE deliveries SET state = ?, next_attempt_at = NULL, ended_at = ?, last_status = ?, last_reason = ?
             WHERE id = ? AND state = 'pending' RETURNING ordered`,
            state,
            now,
            status,
            reason,
            id,
          )
          .toArray()[0];
        prune(state, state === "dead" ? DEAD_LETTERS : keeps.delivered);
        if (state === "delivered" && !keeps.bodies) sql.exec("UPDATE deliveries SET body = '' WHERE id = ?", id);
        if (ended?.ordered !== 1) return NO_FAILURES;
        const [dead, refused] = counting[how];
        return sql
          .exec<{ dead: number; refused: number }>(
            `UPDATE outbox SET dead_in_a_row = ${dead}, refused_in_a_row = ${refused}
             RETURNING dead_in_a_row AS dead, refused_in_a_row AS refused`,
          )
          .one();
      });
    },
    resume(now) {
      if (!exists()) return;
      sql.exec("UPDATE outbox SET dead_in_a_row = 0, refused_in_a_row = 0");
      sql.exec("UPDATE deliveries SET next_attempt_at = ?1 WHERE state = 'pending' AND next_attempt_at > ?1", now);
    },
    deliveries({ state, before = Number.MAX_SAFE_INTEGER, limit }) {
      if (!exists()) return [];
      return sql
        .exec<DeliveryRow>(
          `SELECT ${deliveryColumns} FROM deliveries WHERE position < ?1 AND (?2 IS NULL OR state = ?2) ORDER BY position DESC LIMIT ?3`,
          before,
          state ?? null,
          limit,
        )
        .toArray()
        .map(deliveryOf);
    },
    stateOf(id) {
      if (!exists()) return null;
      const rows = sql.exec<{ state: DeliveryState }>("SELECT state FROM deliveries WHERE id = ?", id).toArray();
      return rows[0]?.state ?? null;
    },
    replay(ids, now) {
      if (!exists()) return 0;
      const which = ids === "dead" ? "state = 'dead'" : "id IN (SELECT value FROM json_each(?2))";
      // A message that is no longer pending has lost its position in the order.
      return sql
        .exec(
          `UPDATE deliveries SET ordered = CASE state WHEN 'pending' THEN ordered ELSE 0 END, state = 'pending',
           attempts = 0, next_attempt_at = ?1, ended_at = NULL
           WHERE ${which} AND body <> '' RETURNING position`,
          ...(ids === "dead" ? [now] : [now, JSON.stringify(ids)]),
        )
        .toArray().length;
    },
    removeEnded(by) {
      if (!exists()) return undefined;
      sql.exec("DELETE FROM deliveries WHERE state <> 'pending' AND ended_at <= ?", by);
      const query = "SELECT MIN(ended_at) AS value FROM deliveries WHERE state <> 'pending'";
      return sql.exec<{ value: number | null }>(query).one().value ?? undefined;
    },
    messagesTo(to) {
      if (!exists()) return [];
      return sql
        .exec<{ state: DeliveryState; takenAt: number; body: string }>(
          `SELECT state, taken_at AS takenAt, body FROM deliveries WHERE ${IS_TO} ORDER BY position DESC`,
          to,
        )
        .toArray()
        .map(({ state, takenAt, body }) => ({ state, takenAt, body }));
    },
    forget(to) {
      if (!exists()) return 0;
      return sql.exec(`DELETE FROM deliveries WHERE ${IS_TO} RETURNING position`, to).toArray().length;
    },
  };
}

/** The body of a delivered message is empty. */
const IS_TO = "body <> '' AND json_valid(body) AND body ->> '$.to' = ?";
