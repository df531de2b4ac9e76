/**
 * The table `erasures` (migrations/0017): users whose erasure was requested. A row names its user until the erasure is complete;
 * then only a digest is left, which tells after a restored backup that the user must be erased again.
 */
import type { Database } from "../../../platform/database/database.ts";
import type { KeptData } from "../../../oracle/framework/erasure.ts";
import { sha256Hex } from "../../../platform/digest.ts";

export const ERASURES_TABLE = `CREATE TABLE IF NOT EXISTS erasures (
  subject         TEXT PRIMARY KEY,
  did             TEXT,
  requested_at    TEXT NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  erased_at       TEXT,
  kept            TEXT
) WITHOUT ROWID`;
const ERASURES_INDEX =
  "CREATE INDEX IF NOT EXISTS erasures_due ON erasures (next_attempt_at, subject) WHERE did IS NOT NULL";

/** Milliseconds until an attempt that did not end counts as failed, so that another may begin. */
const ATTEMPT_MS = 5 * 60_000;
/** The longest pause between two attempts, milliseconds. */
const LONGEST_PAUSE_MS = 60 * 60_000;

export interface PendingErasure {
  readonly did: string;
  /** RFC 3339, in UTC. Tells this request from a later one of the same user. */
  readonly requestedAt: string;
  /** How many attempts have begun, this one included. */
  readonly attempts: number;
}

/** An entry of the list of erased users. */
export interface ErasedUser {
  /** A digest of the DID, or a keyed digest of that one, as the list has it. */
  readonly subject: string;
  /** RFC 3339. */
  readonly erasedAt: string;
}

export interface Erasures {
  /** Notes the request, and that an attempt begins now. */
  request(did: string, now: number): Promise<PendingErasure>;
  /** Erasures whose next attempt is due; each begins now. At most `limit`. */
  due(now: number, limit: number): Promise<readonly PendingErasure[]>;
  /** Forgets the DID and keeps the receipt. */
  complete(erasure: PendingErasure, kept: readonly KeptData[], now: number): Promise<void>;
  /** Plans the next attempt: after a minute, then twice as long each time, up to an hour. */
  postpone(erasure: PendingErasure, now: number): Promise<void>;
  /** Notes a request that the schedule begins. */
  note(did: string, now: number): Promise<void>;
  /** One page, in the order of the subjects. */
  list(after: string, limit: number): Promise<readonly ErasedUser[]>;
  /** Adds entries that the table does not have. */
  add(erased: readonly ErasedUser[]): Promise<void>;
  /** Entries with one of these subjects whose erasure is complete. */
  find(subjects: readonly string[]): Promise<readonly ErasedUser[]>;
}

/** Stable for a DID, so that a second request is the same row. */
export function subjectOf(did: string): Promise<string> {
  return sha256Hex(JSON.stringify(["erased user", did]));
}

export function createErasures(database: Database): Erasures {
  /** An author's database has no migrations: the table is created by the first call. */
  async function withTable<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof Error) || !thrown.message.includes("no such table: erasures")) throw thrown;
      await database.batch([ERASURES_TABLE, ERASURES_INDEX].map((statement) => database.prepare(statement)));
      return work();
    }
  }

  async function insert(did: string, now: number, attempts: number, nextAttemptAt: number): Promise<PendingErasure> {
    const subject = await subjectOf(did);
    const requestedAt = new Date(now).toISOString();
    await withTable(() =>
      database
        .prepare(
          `INSERT INTO erasures (subject, did, requested_at, attempts, next_attempt_at) VALUES (?1, ?2, ?3, ?4, ?5)
           ON CONFLICT (subject) DO UPDATE SET did = excluded.did, requested_at = excluded.requested_at,
             attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, erased_at = NULL, kept = NULL`,
        )
        .bind(subject, did, requestedAt, attempts, nextAttemptAt)
        .run(),
    );
    return { did, requestedAt, attempts };
  }

  return {
    request: (did, now) => insert(did, now, 1, now + ATTEMPT_MS),
    async note(did, now) {
      await insert(did, now, 0, now);
    },
    async list(after, limit) {
      const { results } = await withTable(() =>
        database
          .prepare(
            `SELECT subject, coalesce(erased_at, requested_at) AS erasedAt FROM erasures WHERE subject > ?1
             ORDER BY subject LIMIT ?2`,
          )
          .bind(after, limit)
          .all<ErasedUser>(),
      );
      return results;
    },
    async add(erased) {
      if (erased.length === 0) return;
      const statement = `INSERT INTO erasures (subject, requested_at, erased_at) VALUES (?1, ?2, ?2)
        ON CONFLICT (subject) DO NOTHING`;
      await withTable(() =>
        database.batch(erased.map(({ subject, erasedAt }) => database.prepare(statement).bind(subject, erasedAt))),
      );
    },
    async find(subjects) {
      const { results } = await withTable(() =>
        database
          .prepare(
            `SELECT subject, erased_at AS erasedAt FROM erasures
             WHERE did IS NULL AND subject IN (SELECT value FROM json_each(?1))`,
          )
          .bind(JSON.stringify(subjects))
          .all<ErasedUser>(),
      );
      return results;
    },
    async due(now, limit) {
      const { results } = await withTable(() =>
        database
          .prepare(
            `UPDATE erasures SET attempts = attempts + 1, next_attempt_at = ?2
             WHERE did IS NOT NULL AND subject IN (
               SELECT subject FROM erasures WHERE did IS NOT NULL AND next_attempt_at <= ?1
               ORDER BY next_attempt_at, subject LIMIT ?3)
             RETURNING did, requested_at AS requestedAt, attempts`,
          )
          .bind(now, now + ATTEMPT_MS, limit)
          .all<PendingErasure>(),
      );
      return results;
    },
    async complete({ did, requestedAt }, kept, now) {
      const subject = await subjectOf(did);
      await database
        .prepare("UPDATE erasures SET did = NULL, erased_at = ?3, kept = ?4 WHERE subject = ?1 AND requested_at = ?2")
        .bind(subject, requestedAt, new Date(now).toISOString(), JSON.stringify(kept))
        .run();
    },
    async postpone({ did, requestedAt, attempts }, now) {
      const subject = await subjectOf(did);
      const pause = Math.min(LONGEST_PAUSE_MS, 60_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
      await database
        .prepare(
          "UPDATE erasures SET next_attempt_at = ?3 WHERE subject = ?1 AND requested_at = ?2 AND did IS NOT NULL",
        )
        .bind(subject, requestedAt, now + pause)
        .run();
    },
  };
}
