/** One day's tokens for runs in Node: the counts of a user vault over real SQL. */
import type { DayBudget } from "../../../oracle/agent/run-limits.ts";
import type { ActiveRun } from "../../../oracle/runs/active-run.ts";
import { runKeyOf } from "../../../oracle/runs/run-queue.ts";
import { createRunCounts, type RunCounts } from "../../../durable-objects/user-vault/counts.ts";
import type { TokenGrant } from "../../../oracle/user-vault-rpc.ts";
import { createUserVaultSchema } from "../../../durable-objects/user-vault/schema.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";

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
  return createRunCounts(storage, createUserVaultSchema(storage), () => undefined);
}
