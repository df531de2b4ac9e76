/**
 * Refuses a tool call that repeats an earlier one of its turn too often: same tool, same arguments. It counts the stored
 * calls that succeeded, still run or may have succeeded, so that neither calls side by side nor a restart go around it.
 * The turn goes on; the model reads what it can do instead.
 */
import type { AgentMiddleware, ToolCallRequest } from "../../../../workers/oracle/framework/middleware.ts";
import { canonicalJson } from "../../../../workers/platform/json.ts";
import type { Call } from "../../runs/step-store.ts";
import type { TurnLimits } from "../../settings.ts";

/** `calls`: those of the turn, its sub-agents' included, oldest first. */
export function repetitionGuard(
  calls: () => readonly Call[],
  { maxIdenticalWrites, maxIdenticalReads }: Pick<TurnLimits, "maxIdenticalWrites" | "maxIdenticalReads">,
): AgentMiddleware {
  /** Calls that came back with a result, whatever other middleware made of it. */
  const succeeded = new Set<string>();

  /** By the arguments that the model wrote: what a schema or other middleware made of them is for the tool. */
  function earlier({ toolCallId, name, args }: ToolCallRequest): readonly Call[] {
    const all = calls();
    const own = all.findIndex(({ eventId }) => eventId === toolCallId);
    const text = canonicalJson(all[own]?.args ?? args);
    return all.filter(
      (call, index) =>
        index !== own &&
        call.name === name &&
        (call.status === "isRunning" ? index < own : call.status !== "error" || succeeded.has(call.eventId)) &&
        canonicalJson(call.args) === text,
    );
  }

  return {
    name: "repetition-guard",
    required: true,
    async wrapToolCall(request, next) {
      const same = earlier(request);
      const limit = request.effect === "read" ? maxIdenticalReads : maxIdenticalWrites;
      const { name, toolCallId } = request;
      if (same.length < limit) {
        const result = await next(request);
        if ("output" in result) succeeded.add(toolCallId);
        return result;
      }
      if (same.some(({ status }) => status === "unknown"))
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
