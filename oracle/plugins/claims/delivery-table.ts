/**
 * The delivery of claims, in the table `claims` (migrations/0009) that the plugin credits fills. A batch leases its claims in one
 * statement, so that concurrent batches never send the same claim. Times are Unix milliseconds.
 */
import type { Database } from "../../../platform/database/database.ts";

/** How many claims one batch takes. */
export const BATCH_SIZE = 100;
/** Duration of a batch's lease, milliseconds: longer than a batch runs. A killed batch keeps its claims leased for this long. */
export const LEASE_MS = 30_000;
/** Attempts before a claim is a dead letter: with the pauses below, over three days. */
export const ATTEMPTS = 16;
/** Pause after the first failed attempt, milliseconds; each further pause doubles, up to the longest. */
export const FIRST_PAUSE_MS = 60_000;
export const LONGEST_PAUSE_MS = 12 * 3_600_000;

export interface DueClaim {
  readonly id: string;
  readonly payer: string;
  readonly run_id: string;
  /** Micro-credits. */
  readonly amount: number;
  readonly created_at: string;
  /** Earlier attempts. */
  readonly attempts: number;
}

export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
}

/** A database without the table has no claims. */
async function unlessMissing<Value>(otherwise: Value, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.includes("no such table: claims")) return otherwise;
    throw thrown;
  }
}

export function createDeliveryTable(database: Database) {
  const run = (query: string, ...values: readonly (string | number | null)[]) =>
    unlessMissing(undefined, () =>
      database
        .prepare(query)
        .bind(...values)
        .run(),
    );

  return {
    /**
     * Leases due claims, oldest first. The outer conditions are for PostgreSQL, which checks them again when it has waited for a
     * concurrent batch: that batch keeps its claims, and this one takes fewer.
     */
    async lease(lease: string, now: number): Promise<readonly DueClaim[]> {
      return unlessMissing([], async () => {
        const { results } = await database
          .prepare(
            `UPDATE claims SET lease = ?1, leased_until = ?2 WHERE id IN (
               SELECT id FROM claims
               WHERE status = 'open' AND dead_at IS NULL AND next_attempt_at <= ?3 AND leased_until <= ?3
               ORDER BY next_attempt_at, id LIMIT ?4)
             AND status = 'open' AND dead_at IS NULL AND leased_until <= ?3
             RETURNING id, payer, run_id, amount, created_at, attempts`,
          )
          .bind(lease, now + LEASE_MS, now, BATCH_SIZE)
          .all<DueClaim>();
        return results;
      });
    },
    /** A claim that was paid meanwhile stays paid. */
    async markSubmitted(ids: readonly string[]): Promise<void> {
      await run(
        `UPDATE claims SET status = 'submitted', lease = NULL, leased_until = 0, reason = NULL
         WHERE status = 'open' AND id IN (SELECT value FROM json_each(?1))`,
        JSON.stringify(ids),
      );
    },
    /** Only while the batch still has the lease: another batch may have sent the claim since. */
    async markFailed({ id, attempts }: DueClaim, lease: string, reason: string, now: number): Promise<void> {
      const made = attempts + 1;
      await run(
        `UPDATE claims SET attempts = ?3, next_attempt_at = ?4, reason = ?5, dead_at = ?6, lease = NULL, leased_until = 0
         WHERE id = ?1 AND lease = ?2 AND status = 'open'`,
        id,
        lease,
        made,
        now + pauseAfter(made),
        reason,
        made >= ATTEMPTS ? new Date(now).toISOString() : null,
      );
    },
    /** Returns claims that the batch had no time for. */
    async release(lease: string): Promise<void> {
      await run("UPDATE claims SET lease = NULL, leased_until = 0 WHERE lease = ?1", lease);
    },
    /** Returns the payers of these claims. */
    async settle(ids: readonly string[]): Promise<readonly Pick<DueClaim, "payer" | "run_id">[]> {
      return unlessMissing([], async () => {
        const { results } = await database
          .prepare(
            `UPDATE claims SET status = 'settled', dead_at = NULL, lease = NULL, leased_until = 0
             WHERE id IN (SELECT value FROM json_each(?1)) RETURNING payer, run_id`,
          )
          .bind(JSON.stringify(ids))
          .all<Pick<DueClaim, "payer" | "run_id">>();
        return results;
      });
    },
    /** Restarts the attempts of dead letters. */
    async retry(ids: readonly string[]): Promise<void> {
      await run(
        `UPDATE claims SET attempts = 0, next_attempt_at = 0, dead_at = NULL
         WHERE dead_at IS NOT NULL AND status = 'open' AND id IN (SELECT value FROM json_each(?1))`,
        JSON.stringify(ids),
      );
    },
    /** The number of open claims without dead letters. */
    async remaining(): Promise<number> {
      return unlessMissing(0, async () => {
        const query = "SELECT COUNT(*) AS count FROM claims WHERE status = 'open' AND dead_at IS NULL";
        return (await database.prepare(query).first<number>("count")) ?? 0;
      });
    },
    /** The newest dead letters, with the last error of each. */
    async dead(): Promise<readonly { readonly id: string; readonly reason: string | null }[]> {
      return unlessMissing([], async () => {
        const { results } = await database
          .prepare("SELECT id, reason FROM claims WHERE dead_at IS NOT NULL ORDER BY dead_at DESC, id LIMIT ?1")
          .bind(BATCH_SIZE)
          .all<{ id: string; reason: string | null }>();
        return results;
      });
    },
  };
}

export type DeliveryTable = ReturnType<typeof createDeliveryTable>;
