/**
 * What one turn may use of tokens, tool calls and time, its sub-agents' included. What was used is stored with the run, so
 * that a recovered turn continues where it was.
 */
import type { BudgetLimit } from "../../../protocol/frames.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Call, TokenUsage } from "../runs/step-store.ts";
import type { TurnLimits } from "../settings.ts";

export type TurnBudget = ReturnType<typeof createTurnBudget>;

export function createTurnBudget(
  { maxTokens, maxToolCalls }: Pick<TurnLimits, "maxTokens" | "maxToolCalls">,
  active: Pick<ActiveRun, "calls" | "usage" | "addUsage" | "beginModelCall" | "settleModelCalls" | "isOverTime">,
) {
  return {
    /** Tokens of a model call outside the run's own steps, such as a sub-agent's or a summary's. */
    spend: (tokens: TokenUsage): void => active.addUsage(tokens),
    beginModelCall: active.beginModelCall,
    settleModelCalls: active.settleModelCalls,
    /** Whether the call, which is stored, is among the first that the turn may make. */
    allows: ({ eventId }: Pick<Call, "eventId">): boolean =>
      active.calls.findIndex((call) => call.eventId === eventId) < maxToolCalls,
    /** Asked before each step, and before each further request of one. */
    exhausted(): BudgetLimit | undefined {
      const { inputTokens, outputTokens } = active.usage();
      if (inputTokens + outputTokens >= maxTokens) return "tokens";
      if (active.calls.length > maxToolCalls) return "tools";
      return active.isOverTime() ? "time" : undefined;
    },
  };
}
