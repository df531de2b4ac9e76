/**
 * Refuses a tool call that repeats an earlier one of its turn too often: same tool, same arguments. It counts the stored
 * calls that succeeded, still run or may have succeeded: a write that has begun counts however it ended, so that neither an
 * error, calls side by side nor a restart go around it. The turn goes on; the model reads what it can do instead.
 */
import type { AgentMiddleware, ToolCallRequest } from "../../../../workers/oracle/framework/middleware.ts";
import { canonicalJson, isPlainJson } from "../../../../workers/platform/json.ts";
import type { Call } from "../../runs/step-store.ts";
import type { TurnLimits } from "../../settings.ts";

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
