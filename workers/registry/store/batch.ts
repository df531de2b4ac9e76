/**
 * One effect is one batch: all of its statements or none (contract/registry.md section 12). A batch that somebody else's
 * write made untrue fails on a key or on an expectation; its writer reads again. D1 has no interactive transactions.
 */
import { describeThrown } from "../../platform/log.ts";

/**
 * `conflict`: somebody else has written; read again. `answered`: the same request, under the same Idempotency-Key, has its
 * answer already, and trying again would change nothing.
 */
export type Outcome = "committed" | "conflict" | "answered";

/** Throws for everything but a constraint that a concurrent writer can make fail. */
export async function commit(database: D1Database, statements: readonly D1PreparedStatement[]): Promise<Outcome> {
  try {
    await database.batch([...statements]);
    return "committed";
  } catch (error) {
    const reason = describeThrown(error);
    if (KEY_IN_USE.test(reason)) return "answered";
    if (CONFLICT.test(reason)) return "conflict";
    throw error;
  }
}

const CONFLICT = /UNIQUE constraint failed|CHECK constraint failed: met = 1/;

const KEY_IN_USE = /UNIQUE constraint failed: idempotency\./;

/** A statement that undoes its batch unless `condition` holds when it runs. `condition` is SQL of ours, never input. */
export function expect(database: D1Database, condition: string, ...values: readonly unknown[]): D1PreparedStatement {
  return database.prepare(`INSERT INTO expectations (met) SELECT (${condition})`).bind(...values);
}

/** Rereads and tries again after a conflict, this often at most, and then tells the caller of contention. */
export const ATTEMPTS = 12;

/** Milliseconds. */
const FIRST_PAUSE = 4;
const LONGEST_PAUSE = 150;

/** A random pause, longer after each conflict, so that writers of one domain spread out. `attempt` counts from 0. */
export async function pauseAfterConflict(attempt: number): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
