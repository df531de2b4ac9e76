/**
 * The tool calls of a run: each is recorded before it begins, those of one step run side by side, and what a call failed
 * with is for the model to read, never the end of the run.
 */
import type { JsonValue } from "../../../workers/platform/json.ts";
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { BoundTool } from "./run-context.ts";
import type { RunRequest } from "../run-request.ts";
import { withoutSecrets } from "../../../workers/platform/secret-values.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Call } from "../runs/step-store.ts";
import type { Outcome } from "../sockets/call-outcomes.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import { createClientRequests, unlessEnded } from "./client-requests.ts";
import type { WantedCall } from "./model-step.ts";

/** How large a tool's result may be, UTF-16 units of its JSON text: the run's record is one row, of 2 MB at most. */
export const TOOL_OUTPUT_SIZE = 256 * 1024;

export interface ToolCallOptions {
  readonly env: Env;
  readonly active: ActiveRun;
  readonly request: RunRequest;
  readonly sessionId: string;
  readonly tools: readonly BoundTool[];
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make" | "resume">;
  readonly log: Logger;
}

/** What a handler returned, as JSON would keep it; nothing at all is null. Throws for what JSON cannot hold. */
function asJson(returned: unknown, env: Env): JsonValue {
  return returned === undefined ? null : (JSON.parse(withoutSecrets(env, JSON.stringify(returned))) as JsonValue);
}

export function createToolCalls({ env, active, request, sessionId, tools, clientCalls, log }: ToolCallOptions) {
  const client = createClientRequests({ active, request, sessionId, clientCalls });

  async function make(wanted: WantedCall, tool: BoundTool | undefined, toolCallId: string): Promise<Outcome> {
    const { name, problem } = wanted;
    if (problem !== undefined) return { error: `${problem}: ${name}` };
    if (tool === undefined) return { error: `There is no such tool: ${name}` };
    if ("runsIn" in tool) return client.ask({ kind: tool.runsIn, name, args: wanted.args, toolCallId });
    try {
      const output = asJson(await tool.call(wanted.input, toolCallId), env);
      if (JSON.stringify(output).length > TOOL_OUTPUT_SIZE) return { error: `The result of ${name} is too large` };
      return { output };
    } catch (thrown) {
      log.warn("tool-failed", { tool: name, reason: describeThrown(thrown) });
      return { error: `${name} failed` };
    }
  }

  return {
    /** The calls of one step. */
    async makeAll(wanted: readonly WantedCall[]): Promise<void> {
      const begun = wanted.map((call) => {
        const tool = tools.find(({ name }) => name === call.name);
        const runsIn = tool !== undefined && "runsIn" in tool ? tool.runsIn : undefined;
        return { call, tool, record: active.beginCall({ ...call, runsIn }) };
      });
      const finish = async ({ call, tool, record }: (typeof begun)[number]): Promise<void> =>
        active.endCall(record, await make(call, tool, record.eventId));
      await Promise.all(begun.map(finish));
    },

    /** Of a recovered run: calls whose client still answers, or answered meanwhile. The outcome of the others stays unknown. */
    async resumeAll(): Promise<void> {
      const resume = async (call: Call): Promise<void> => {
        const outcome = await unlessEnded(active, clientCalls.resume(call.eventId));
        if (outcome !== undefined) active.endCall(call, outcome);
      };
      await Promise.all(active.calls.filter(({ status }) => status === "isRunning").map(resume));
    },
  };
}
