/** The tokens of one day that runs in Node reserve and use: the counts of a user store over real SQL. */
import type { DayBudget } from "../../durable-objects/chat-session/agent/turn-limits.ts";
import type { ActiveRun } from "../../durable-objects/chat-session/runs/active-run.ts";
import { runKeyOf } from "../../durable-objects/chat-session/runs/run-queue.ts";
import { createRunCounts, type RunCounts } from "../../durable-objects/user-store/counts.ts";
import type { TokenGrant } from "../../durable-objects/user-store/rpc.ts";
import { createUserStoreSchema } from "../../durable-objects/user-store/schema.ts";
import { createSqliteStorage } from "./sqlite-storage.ts";

export interface TokensOfDay {
  readonly counts: RunCounts;
  budgetOf(active: ActiveRun, grant: TokenGrant | undefined, now: () => number): DayBudget;
}

export function tokensOfDay(limit: number): TokensOfDay {
  const counts = openCounts();
  return {
    counts,
    budgetOf: ({ run, usage }, grant, now) => ({
      grant,
      now,
      async reserve(wanted) {
        const { inputTokens, outputTokens } = usage();
        const request = { ...wanted, used: inputTokens + outputTokens, since: run.startedAt, isTurn: true };
        return counts.reserveTokens(runKeyOf(run), request, limit, now());
      },
    }),
  };
}

/** Counts whose writes wait until they are flushed. */
export function openCounts(storage = createSqliteStorage()): RunCounts {
  return createRunCounts(storage, createUserStoreSchema(storage), () => undefined);
}
