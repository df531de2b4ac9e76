/** How every command writes: read, decide, commit in one batch, and again when a concurrent write came first. */
import { success, type Result } from "../../platform/result.ts";
import { writeContention } from "../failures.ts";
import { ATTEMPTS, commit, LOST, untilNotLost } from "../store/batch.ts";

/** What a command has decided to write, and what it answers once that is stored. */
export interface Write<Value> {
  readonly statements: readonly D1PreparedStatement[];
  readonly value: Value;
}

/** How often a command tries at most, and how it fails when every attempt lost. */
export interface Persistence {
  readonly attempts: number;
  readonly exhausted: () => Result<never>;
}

/** `attempt` reads again each time. A Result ends the command without a write. */
export async function commitCommand<Value>(
  database: D1Database,
  attempt: () => Promise<Result<Value> | Write<Value> | typeof LOST>,
  { attempts = ATTEMPTS, exhausted = writeContention }: Partial<Persistence> = {},
): Promise<Result<Value>> {
  const done = await untilNotLost(async () => {
    const decided = await attempt();
    if (decided === LOST || "ok" in decided) return decided;
    const committed = await commit(database, decided.statements);
    if (committed === "conflict") return LOST;
    // The same request was answered already; what remembers answers knows how.
    return committed === "answered" ? writeContention() : success(decided.value);
  }, attempts);
  return done ?? exhausted();
}
