/**
 * One effect is one batch: all of its statements or none (contract/registry.md section 12). A batch that somebody else's
 * write made untrue fails on a key or on an expectation; its writer reads again. D1 has no interactive transactions.
 */
import { describeThrown } from "../../platform/log.ts";

export type Outcome = "committed" | "conflict";

/** Throws for everything but a constraint that a concurrent writer can make fail. */
export async function commit(database: D1Database, statements: readonly D1PreparedStatement[]): Promise<Outcome> {
  try {
    await database.batch([...statements]);
    return "committed";
  } catch (error) {
    if (CONFLICT.test(describeThrown(error))) return "conflict";
    throw error;
  }
}

const CONFLICT = /UNIQUE constraint failed|CHECK constraint failed: met = 1/;

/** A statement that undoes its batch unless `condition` holds when it runs. `condition` is SQL of ours, never input. */
export function expect(database: D1Database, condition: string, ...values: readonly unknown[]): D1PreparedStatement {
  return database.prepare(`INSERT INTO expectations (met) SELECT (${condition})`).bind(...values);
}

/** Rereads and tries again after a conflict, this often at most, and then tells the caller of contention. */
export const ATTEMPTS = 4;
