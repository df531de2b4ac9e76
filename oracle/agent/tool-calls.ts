/**
 * The tool calls of an agent. All calls of a step are recorded before any begins, run concurrently, and end once. A failed call is
 * reported to the model and never ends the run. After a restart, calls that had not begun are made, a lost read is retried once,
 * and a lost write never.
 */
import type { CallTool, ToolCallRequest, ToolCallResult } from "../framework/middleware.ts";
import { ToolError, type ClientSideTool } from "../framework/tools.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { RunRequest } from "../run-request.ts";
import { traced } from "../../platform/trace.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { type CallStart, INCOMPLETE_ACTION, isClientCall, READ_TRIES } from "../runs/call-ledger.ts";
import type { Call } from "../runs/step-store.ts";
import type { Approvals } from "../runs/approvals.ts";
import type { CallOutcome } from "../runs/call-outcomes.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import { createClientRequests, unlessEnded, createToolApproval } from "./client-requests.ts";
import { NoOutput } from "./contributions.ts";
import { EndedByHook, unlessCut } from "./hooks.ts";
import type { RunBudget } from "./run-limits.ts";
import type { WantedCall } from "./arguments.ts";
import type { OwnTool, Toolbox } from "./bound-tool.ts";

/** Maximum size of a tool's result, UTF-16 units of its JSON: the run's record is one row of at most 2 MB. */
export const TOOL_OUTPUT_SIZE = 256 * 1024;

export interface ToolCallOptions {
  readonly env: Env;
  readonly active: ActiveRun;
  readonly request: RunRequest;
  readonly sessionId: string;
  readonly toolbox: Toolbox;
  /** Sends calls of the client's tools. */
  readonly clientCalls: Pick<ClientCalls, "make" | "resume">;
  /** Asks the user whether a call may be made. */
  readonly approvals: Approvals;
  readonly budget: Pick<RunBudget, "allows">;
  /** Whether a hook has ended the run: no further call begins. */
  readonly isEnding: () => boolean;
  readonly log: Logger;
  /** Middleware around each call: validates the arguments, and may answer in place of the tool. */
  readonly wrap: (request: ToolCallRequest, run: CallTool) => Promise<ToolCallResult>;
  /** Whether `wrap` includes middleware of plugins. */
  readonly isWrapped: boolean;
  /** The sub-agent that makes these calls, and the call that runs it; undefined for the main agent. */
  readonly agent?: string | undefined;
  readonly ofCall?: string | undefined;
  /** Whether clients see calls of this tool; by default, all calls are shown. */
  readonly shown?: ((toolName: string) => boolean) | undefined;
}

export type ToolCalls = ReturnType<typeof createToolCalls>;

/** A handler's return value as JSON; `undefined` becomes null. Throws when JSON cannot represent it. */
function asJson(returned: unknown, env: Env): JsonValue {
  return returned === undefined
    ? null
    : withoutSecrets(env, JSON.parse(JSON.stringify(returned, onlyData)) as JsonValue);
}

/** JSON would write an unread stream, a promise or a map as `{}`, which the model would take for an empty result. */
function onlyData(_: string, member: unknown): unknown {
  if (typeof member !== "object" || member === null || isData(member)) return member;
  throw new TypeError("not JSON");
}

/** `toJSON` has already been called here. */
function isData(value: object): boolean {
  if (Array.isArray(value)) return true;
  if (Symbol.iterator in value || Symbol.asyncIterator in value || ArrayBuffer.isView(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.keys(value).length > 0;
}

/** The part of a result that can be stored, or the reason why it cannot. */
function asKept(returned: unknown, env: Env): { readonly output: JsonValue } | { readonly problem: string } {
  try {
    const output = asJson(returned, env);
    return JSON.stringify(output).length > TOOL_OUTPUT_SIZE ? { problem: "is too large" } : { output };
  } catch {
    return { problem: "is not JSON" };
  }
}

export function createToolCalls(options: ToolCallOptions) {
  const { env, active, request, sessionId, toolbox, clientCalls, budget, log, wrap, agent, ofCall } = options;
  const { approvals, isEnding } = options;
  const client = createClientRequests({ env, active, request, sessionId, clientCalls });
  const refusalOf = createToolApproval({ env, active, request, sessionId, approvals, isEnding, log });

  function startOf({ modelCallId, name, args }: WantedCall): CallStart {
    const tool = toolbox.find(name);
    const isClientSide = "runsIn" in tool;
    return {
      modelCallId,
      name,
      args,
      // A client's tool changes nothing here, and its own row records whether it was lost.
      effect: isClientSide || ("effect" in tool && tool.effect === "read") ? "read" : "write",
      runsIn: isClientSide ? tool.runsIn : undefined,
      agent,
      isHidden: options.shown?.(name) === false ? true : undefined,
      runsAgent: "runsAgent" in tool ? tool.runsAgent : undefined,
    };
  }

  /** A write whose result cannot be stored was still done: it must not look as if it could be repeated. */
  function asOutcome(
    given: CallOutcome | { readonly output: unknown },
    { name, effect }: Call,
    isDone: boolean,
  ): CallOutcome {
    if ("error" in given) return asError(given.error, name);
    const kept = asKept(given.output, options.env);
    if ("output" in kept) return kept;
    const { problem } = kept;
    log.warn("tool-failed", { tool: name, reason: `its result ${problem}` });
    return isDone && effect === "write"
      ? { output: `${name} was completed, but its result ${problem}. Do not call it again to see the result.` }
      : { error: `The result of ${name} ${problem}` };
  }

  function asError(given: string, name: string): CallOutcome {
    const error = withoutSecrets(options.env, given);
    return { error: error.length > TOOL_OUTPUT_SIZE ? `The error of ${name} is too large` : error };
  }

  async function callTool(call: Call, tool: OwnTool, args: unknown): Promise<CallOutcome> {
    const { eventId, name } = call;
    if (tool.needsApproval !== undefined) {
      const refusal = await refusalOf(call, tool.needsApproval, args);
      if (refusal !== undefined) return refusal;
    }
    if (options.isEnding()) return notRun(name);
    if (!active.beginCall(call)) return calledBefore(name);
    try {
      const returned = await unlessCut(active.signal, () => tool.call(args, eventId));
      return asOutcome({ output: returned }, call, true);
    } catch (thrown) {
      if (thrown instanceof EndedByHook || active.closed) throw thrown;
      if (thrown instanceof NoOutput || thrown instanceof ToolError) return { error: thrown.message };
      log.warn("tool-failed", { tool: name, reason: describeThrown(thrown) });
      tool.report?.(thrown);
      return { error: `${name} failed` };
    }
  }

  function askClient(
    call: Call,
    { runsIn: kind }: ClientSideTool,
    args: JsonObject,
  ): Promise<CallOutcome> | CallOutcome {
    const { eventId: toolCallId, name } = call;
    if (options.isEnding()) return notRun(name);
    if (!active.beginCall(call)) return calledBefore(name);
    return client.ask({ kind, name, args, toolCallId });
  }

  /** `args`: parsed by the tool's schema. */
  async function run(call: Call, args: JsonObject): Promise<CallOutcome> {
    const tool = toolbox.find(call.name);
    if ("problem" in tool) return { error: tool.problem };
    return "runsIn" in tool ? askClient(call, tool, args) : callTool(call, tool, args);
  }

  /** Makes the call through the middleware and settles it. */
  async function make(call: Call, work: (args: JsonObject) => Promise<CallOutcome>): Promise<void> {
    if (!budget.allows(call)) {
      return active.endCall(call, {
        error: `${call.name} was not run: the turn has reached its limit of tool calls`,
      });
    }
    const { eventId: toolCallId, name, effect } = call;
    let own: CallOutcome | undefined;
    // A copy: handlers and middleware may change their arguments, and the stored call is shown and compared.
    const args = structuredClone(call.args);
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    const outcome = await traced(`execute_tool ${name}`, attributes, async (span) => {
      const given = await wrap({ toolCallId, name, args, effect }, async (asked) => (own = await work(asked.args)));
      if ("error" in given) span.setAttributes({ "error.type": "tool_error" });
      return given;
    });
    if (call.runsAgent === true) {
      // The sub-agent that made these calls has ended.
      for (const open of active.calls) if (open.ofCall === toolCallId && open.status === "isRunning") lose(open);
    }
    // Middleware may have changed the tool's own outcome in place.
    const isOwn = outcome === own && !options.isWrapped;
    active.endCall(call, isOwn ? outcome : asOutcome(outcome, call, own !== undefined && "output" in own));
  }

  /** Resumes a call of a recovered run whose outcome is unknown. */
  async function resume(call: Call): Promise<void> {
    if (
      call.runsAgent === true ||
      call.tries === 0 ||
      (call.effect === "read" && !isClientCall(call) && call.tries < READ_TRIES)
    ) {
      return make(call, (args) => run(call, args));
    }
    const outcome = isClientCall(call) ? await unlessEnded(active, clientCalls.resume(call.eventId)) : undefined;
    if (outcome !== undefined) return make(call, async () => outcome);
    lose(call);
  }

  /** Ends a call whose outcome is unknown, and the questions about it. */
  function lose(call: Call): void {
    for (const asked of options.approvals.voidOpen(active.run.ordinal, call.eventId))
      active.showApproval(asked, { status: "error", error: INCOMPLETE_ACTION });
    active.loseCall(call);
  }

  return {
    /** Makes the calls of one step. `store` stores them with the step before any of them begins. */
    async makeAll(
      wanted: readonly WantedCall[],
      store: (starts: readonly CallStart[]) => readonly Call[],
    ): Promise<void> {
      const calls = store(wanted.map(startOf));
      await Promise.all(
        calls.map(async (call, index) => {
          const problem = wanted[index]?.problem;
          if (problem === undefined) return make(call, (args) => run(call, args));
          return active.endCall(call, { error: problem });
        }),
      );
    },

    /** Resumes the agent's stored calls without an outcome, in a recovered run. */
    async resumeAll(): Promise<void> {
      const open = active.calls.filter(({ status }) => status === "isRunning");
      /** A call of a sub-agent from an earlier version, which stored no steps. */
      const isOrphan = (call: Call): boolean =>
        call.agent !== undefined &&
        !open.some(({ eventId, runsAgent }) => runsAgent === true && eventId === call.ofCall);
      if (agent === undefined) for (const call of open.filter(isOrphan)) lose(call);
      const own = open.filter((call) => call.agent === agent && call.ofCall === ofCall && !isOrphan(call));
      await Promise.all(own.map(resume));
    },
  };
}

function notRun(name: string): CallOutcome {
  return { error: `${name} was not run: the turn was ended` };
}

function calledBefore(name: string): CallOutcome {
  return { error: `${name} was called before; it was not run again` };
}
