/**
 * The tool calls of an agent: all of a step are recorded with it before any begins, run side by side, and end once. What a
 * call failed with is for the model to read, never the end of the run. A restart continues from the record: what had not
 * begun is made, a lost read is made once more, a lost write never.
 */
import type {
  CallTool,
  EndTurn,
  ToolCallRequest,
  ToolCallResult,
} from "../../../workers/oracle/framework/middleware.ts";
import type { ClientSideTool } from "../../../workers/oracle/framework/tools.ts";
import type { JsonObject, JsonValue } from "../../../workers/platform/json.ts";
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { RunRequest } from "../run-request.ts";
import { withoutSecrets } from "../../../workers/platform/secret-values.ts";
import type { ActiveRun, StepResult } from "../runs/active-run.ts";
import { type CallStart, isClientCall, READ_TRIES } from "../runs/call-ledger.ts";
import type { Call } from "../runs/step-store.ts";
import type { Outcome } from "../sockets/call-outcomes.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import { createClientRequests, unlessEnded } from "./client-requests.ts";
import { checkArguments, type WantedCall } from "./model-step.ts";
import type { BoundTool, OwnTool } from "./run-context.ts";
import type { TurnBudget } from "./turn-budget.ts";

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
  readonly budget: Pick<TurnBudget, "allows">;
  readonly log: Logger;
  /** Middleware around each call. It may answer in its place, or end the turn. */
  readonly wrap?: (request: ToolCallRequest, run: CallTool) => Promise<ToolCallResult | EndTurn>;
  /** The sub-agent whose calls these are; none: the main agent. */
  readonly agent?: string;
  /** Whether clients are shown the calls of that tool; all when left out. */
  readonly shown?: (toolName: string) => boolean;
}

/** What a handler returned, as JSON would keep it; nothing at all is null. Throws for what JSON cannot hold. */
function asJson(returned: unknown, env: Env): JsonValue {
  return returned === undefined ? null : (JSON.parse(withoutSecrets(env, JSON.stringify(returned))) as JsonValue);
}

export function createToolCalls(options: ToolCallOptions) {
  const { active, tools, clientCalls, budget, log, agent } = options;
  const client = createClientRequests(options);
  const wrap = options.wrap ?? ((asked: ToolCallRequest, run: CallTool) => run(asked));
  const toolOf = ({ name }: { readonly name: string }): BoundTool | undefined =>
    tools.find((tool) => tool.name === name);

  function startOf({ modelCallId, name, args }: WantedCall): CallStart {
    const tool = toolOf({ name });
    const isClientSide = tool !== undefined && "runsIn" in tool;
    return {
      modelCallId,
      name,
      args,
      // A client's tool changes nothing here, and what is lost of it is known by its own row.
      effect: isClientSide ? "read" : (tool?.effect ?? "write"),
      runsIn: isClientSide ? tool.runsIn : undefined,
      agent,
      isHidden: options.shown?.(name) === false ? true : undefined,
    };
  }

  async function callTool(call: Call, tool: OwnTool, args: unknown): Promise<Outcome> {
    const { eventId, name } = call;
    if (!active.beginCall(call)) return calledBefore(name);
    try {
      const output = asJson(await tool.call(args, eventId), options.env);
      if (JSON.stringify(output).length > TOOL_OUTPUT_SIZE) return { error: `The result of ${name} is too large` };
      return { output };
    } catch (thrown) {
      log.warn("tool-failed", { tool: name, reason: describeThrown(thrown) });
      return { error: `${name} failed` };
    }
  }

  function askClient(call: Call, { runsIn: kind }: ClientSideTool, args: JsonObject): Promise<Outcome> | Outcome {
    const { eventId: toolCallId, name } = call;
    if (!active.beginCall(call)) return calledBefore(name);
    return client.ask({ kind, name, args, toolCallId });
  }

  /** The arguments are checked again: middleware may have changed them. */
  async function run(call: Call, args: JsonObject): Promise<Outcome> {
    const tool = toolOf(call);
    if (tool === undefined) return { error: `There is no such tool: ${call.name}` };
    const checked = checkArguments(tool, args);
    if ("problem" in checked) return { error: `${checked.problem}: ${call.name}` };
    return "runsIn" in tool ? askClient(call, tool, args) : callTool(call, tool, checked.accepted);
  }

  /** Makes the call through the middleware and settles it. */
  async function make(call: Call, work: (args: JsonObject) => Promise<Outcome>): Promise<EndTurn | undefined> {
    if (!budget.allows(call)) {
      active.endCall(call, { error: `${call.name} was not run: the turn has made all the tool calls that it may` });
      return undefined;
    }
    const { eventId: toolCallId, name, args, effect } = call;
    const result = await wrap({ toolCallId, name, args, effect }, (asked) => work(asked.args));
    const isEnd = "jumpTo" in result;
    active.endCall(call, isEnd ? { error: `${name} was not run to its end: the turn was ended` } : result);
    return isEnd ? result : undefined;
  }

  /** A call of a recovered run whose outcome is not known. */
  async function resume(call: Call): Promise<EndTurn | undefined> {
    if (call.tries === 0 || (call.effect === "read" && !isClientCall(call) && call.tries < READ_TRIES)) {
      return make(call, (args) => run(call, args));
    }
    const outcome = isClientCall(call) ? await unlessEnded(active, clientCalls.resume(call.eventId)) : undefined;
    if (outcome !== undefined) return make(call, async () => outcome);
    active.loseCall(call);
    return undefined;
  }

  return {
    /**
     * The calls of one step, stored together with the step when `step` says how it ended. Returns how the turn is to be
     * ended when the middleware of one of them ended it; of several, the first.
     */
    async makeAll(wanted: readonly WantedCall[], step?: StepResult): Promise<EndTurn | undefined> {
      const starts = wanted.map(startOf);
      const calls = step === undefined ? active.addCalls(starts) : active.finishStep(step, starts);
      const ends = await Promise.all(
        calls.map((call, index) => {
          const problem = wanted[index]?.problem;
          if (problem === undefined) return make(call, (args) => run(call, args));
          active.endCall(call, { error: `${problem}: ${call.name}` });
          return undefined;
        }),
      );
      return ends.find((end) => end !== undefined);
    },

    /** Of a recovered run: the calls of this agent that were stored and have no outcome. */
    async resumeAll(): Promise<EndTurn | undefined> {
      const open = active.calls.filter((call) => call.status === "isRunning" && call.agent === agent);
      return (await Promise.all(open.map(resume))).find((end) => end !== undefined);
    },
  };
}

function calledBefore(name: string): Outcome {
  return { error: `${name} was called before; it was not run again` };
}
