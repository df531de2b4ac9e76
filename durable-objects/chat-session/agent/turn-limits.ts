/**
 * What one turn may use of tokens, tool calls and time, its sub-agents' included, and how often it may make the same call.
 * What was used is stored with the run, so that a recovered turn continues where it was.
 */
import type { BudgetLimit } from "../../../protocol/frames.ts";
import type { AgentMiddleware, ToolCallRequest } from "../../../workers/oracle/framework/middleware.ts";
import { canonicalJson, isPlainJson } from "../../../workers/platform/json.ts";
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

export interface RepetitionOptions extends Pick<TurnLimits, "maxIdenticalWrites" | "maxIdenticalReads"> {
  /** Those of the turn, its sub-agents' included, oldest first. */
  readonly calls: () => readonly Call[];
  /** Whether the user was asked about that call and did not approve it. */
  readonly isDenied: (call: Call) => boolean;
}

export function repetitionGuard({
  calls,
  isDenied,
  maxIdenticalWrites,
  maxIdenticalReads,
}: RepetitionOptions): AgentMiddleware {
  /** By the id of a call that was let through: its arguments as the tool's schema has read them, if JSON can show them. */
  const passed = new Map<string, string>();

  function earlier({ toolCallId, name, args }: ToolCallRequest, read: string | undefined): readonly Call[] {
    const all = calls();
    const own = all.findIndex(({ eventId }) => eventId === toolCallId);
    const written = canonicalJson(all[own]?.args ?? args);
    return all.filter((call, index) => {
      if (index === own || call.name !== name || !counts(call)) return false;
      const isRunning = call.status === "isRunning";
      if (canonicalJson(call.args) === written) return !isRunning || index < own;
      return read !== undefined && passed.get(call.eventId) === read;
    });
  }

  function counts(call: Call): boolean {
    return call.status !== "error" || (call.effect === "write" && call.tries > 0) || isDenied(call);
  }

  return {
    name: "repetition-guard",
    required: true,
    async wrapToolCall(request, next) {
      const { name, toolCallId } = request;
      const read = isPlainJson(request.args) ? canonicalJson(request.args) : undefined;
      const same = earlier(request, read);
      if (same.some(isDenied))
        return { error: `${name} was not run: the user has not approved this call. Do not ask again.` };
      // The stored effect: what other middleware says of it makes no write a read.
      const effect = calls().find(({ eventId }) => eventId === toolCallId)?.effect ?? request.effect;
      if (same.length < (effect === "read" ? maxIdenticalReads : maxIdenticalWrites)) {
        if (read !== undefined) passed.set(toolCallId, read);
        return next(request);
      }
      if (same.some(({ status }) => status === "unknown" || status === "error"))
        return {
          error: `${name} was not run again: an earlier call with these arguments may have succeeded. Ask the user.`,
        };
      const times = same.length === 1 ? "once" : `${same.length} times`;
      return {
        error: `${name} was not run again: it was called with these arguments ${times} in this turn. Use the result, or change the arguments.`,
      };
    },
  };
}
