/**
 * Sub-agents: each is a tool `call_<name>` of the main agent, and runs the same loop in the same run, with the run's budget and
 * end. Its text is the tool's output, and its tool calls carry its name. Its steps are stored under the call that runs it: after a
 * restart it continues from them, and its calls use the ledger like the main agent's.
 */
import * as z from "zod";
import type { RuntimeContext } from "../framework/context.ts";
import type { PluginSubAgent } from "../framework/sub-agents.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { ANSWER_SIZE, type ActiveRun, type StepResult } from "../runs/active-run.ts";
import type { Call, Step } from "../runs/step-store.ts";
import { AnswerTooLong, isAnswered, stateOf, takeSteps, type Agent, type Stop, type RunScope } from "./agent-loop.ts";
import { createToolbox, createResultReader } from "./toolbox.ts";
import { bindOwnTool, NoOutput, type BindSubAgent } from "./contributions.ts";
import { EndedByHook, unlessCut, type BoundMiddleware, type Report } from "./hooks.ts";
import { fitConversation, promptRoom } from "./conversation.ts";
import { ModelError } from "./model-request.ts";
import { withRules } from "./prompt.ts";
import type { ToolCalls } from "./tool-calls.ts";
import { describeSchema } from "./arguments.ts";
import type { OwnTool, Toolbox } from "./bound-tool.ts";

const PREFIX = "call_";
/** A sub-agent has no history: it begins with its task. */
const NO_PAST = { records: [], omitted: 0 };
/** The name in `router_update` when the main agent continues. */
const MAIN_AGENT = "agent";

export interface SubAgentOptions {
  readonly active: ActiveRun;
  readonly scope: RunScope;
  readonly makeToolCalls: (agent: {
    readonly name: string;
    readonly ofCall: string;
    readonly toolbox: Toolbox;
    readonly middlewares: readonly BoundMiddleware[];
    readonly shown: (toolName: string) => boolean;
  }) => ToolCalls;
  /** The model of the request. */
  readonly model: string | undefined;
  readonly log: Logger;
}

/** The plugin of the sub-agent. */
interface Owner {
  readonly context: RuntimeContext;
  readonly report: Report;
}

/** One call of a sub-agent. */
interface Task {
  readonly definition: PluginSubAgent;
  readonly name: string;
  readonly tools: readonly OwnTool[];
  readonly message: string;
  /** The id of the call. */
  readonly callId: string;
  readonly owner: Owner;
  /** Middleware around the steps of every agent, in load order. */
  readonly middlewares: readonly BoundMiddleware[];
}

const task = z.object({ task: z.string() });

export function createSubAgents({ active, scope, makeToolCalls, model, log }: SubAgentOptions) {
  /** The sub-agent as a tool. */
  const bind: BindSubAgent = (definition, { context, report }, middlewares) => {
    const name = definition.name.startsWith(PREFIX) ? definition.name.slice(PREFIX.length) : definition.name;
    const { tools = [] } = definition;
    const bound = (typeof tools === "function" ? tools(context) : tools).map((tool) =>
      bindOwnTool(tool, context, report),
    );
    return {
      name: `${PREFIX}${name}`,
      description: definition.description,
      schema: task,
      inputSchema: describeSchema(task),
      effect: bound.every(({ effect }) => effect === "read") ? "read" : "write",
      report,
      // Its answer may repeat the results of its tools.
      foreign: bound.some(({ foreign }) => foreign === true),
      runsAgent: true,
      call: async (args, callId) => {
        const message = task.parse(args).task;
        return await run({
          definition,
          name,
          tools: bound,
          message,
          callId,
          owner: { context, report },
          middlewares,
        });
      },
    };
  };

  async function run(asked: Task): Promise<string> {
    const { definition, name, owner } = asked;
    const { agent, toolCalls } = open(asked);
    active.route(name);
    try {
      const own = ownMiddlewares(definition, owner);
      const { hooks } = scope;
      if (!isAnswered(agent)) await hooks.before("beforeAgent", own, stateOf(agent));
      await toolCalls.resumeAll();
      const stop = await takeSteps(agent, scope);
      if (stop !== "answered") throw new NoOutput(`${name} returned no answer: ${reasonOf(stop)}`);
      await hooks.afterAgent(own, stateOf(agent));
      const answer = answerOf(agent.steps);
      if (answer.trim() === "") throw new NoOutput(`${name} returned no answer: it said nothing`);
      await complete(definition, name, answer, owner);
      return answer;
    } catch (thrown) {
      if (thrown instanceof EndedByHook || thrown instanceof NoOutput || active.closed) throw thrown;
      if (thrown instanceof AnswerTooLong) throw new NoOutput(`${name} returned no answer: the answer grew too long`);
      if (!(thrown instanceof ModelError)) throw thrown;
      const { kind } = scope.models.classify(thrown.cause);
      log.warn("sub-agent-failed", { agent: name, kind });
      throw new NoOutput(`${name} failed: its model returned no answer (${kind})`);
    } finally {
      active.route(MAIN_AGENT);
    }
  }

  function open({ definition, name, tools, message, callId, owner, middlewares }: Task) {
    const { context } = owner;
    const { systemPrompt, forwardTools, model: ownModel = model } = definition;
    const around = [...middlewares, ...ownMiddlewares(definition, owner)];
    const results = createResultReader({ toolbox: createToolbox(tools), calls: ownCalls, past: () => NO_PAST });
    const { toolbox } = results;
    const shown = (tool: string): boolean =>
      typeof forwardTools === "boolean" ? forwardTools : forwardTools.includes(tool);
    const toolCalls = makeToolCalls({ name, ofCall: callId, toolbox, middlewares: around, shown });
    const room = promptRoom(scope.models.contextTokens(ownModel));
    const question = { message, attachments: [] };
    const steps: Step[] = [...active.agentSteps(callId)];
    let text = "";

    /** Numbered by the sub-agent's steps; the ledger uses the run's numbers. */
    function ownCalls(): readonly Call[] {
      return active.calls.flatMap((call) =>
        call.ofCall === callId && call.ofStep !== undefined ? [{ ...call, step: call.ofStep }] : [],
      );
    }

    const agent: Agent = {
      name,
      system: withRules(typeof systemPrompt === "string" ? systemPrompt : systemPrompt(context)),
      model: ownModel,
      toolbox,
      middlewares: around,
      steps,
      calls: ownCalls,
      conversation: () => fitConversation({ past: NO_PAST, question, steps, calls: results.calls() }, room),
      say(delta) {
        text += delta;
        if (text.length > ANSWER_SIZE) throw new NoOutput(`${name} returned no answer: the answer grew too long`);
      },
      think: () => undefined,
      async finishStep({ finishReason, usage }: StepResult, wanted) {
        const step: Step = { text, reasoning: "", finishReason, usage };
        const agentStep = { ofCall: callId, ofStep: steps.length };
        text = "";
        await toolCalls.makeAll(wanted, (starts) => {
          const stored = active.finishAgentStep(agentStep, step, starts);
          steps.push(step);
          return stored;
        });
      },
    };
    return { agent, toolCalls };
  }

  /** The answer counts even if the plugin's hook fails. */
  async function complete(
    definition: PluginSubAgent,
    name: string,
    answer: string,
    { context, report }: Owner,
  ): Promise<void> {
    try {
      await unlessCut(active.signal, async () => definition.onComplete?.(answer, context));
    } catch (thrown) {
      if (active.closed) throw thrown;
      log.error("sub-agent-hook-failed", { agent: name, reason: describeThrown(thrown) });
      report(thrown);
    }
  }

  return { bind };
}

function ownMiddlewares({ middlewares = [] }: PluginSubAgent, owner: Owner): readonly BoundMiddleware[] {
  return middlewares.map((middleware) => ({ middleware, ...owner }));
}

/** The text of its last step; if that is empty, all of its text. */
function answerOf(steps: readonly Step[]): string {
  const last = steps.at(-1)?.text ?? "";
  return last.trim() === "" ? steps.map(({ text }) => text).join("") : last;
}

function reasonOf(stop: Exclude<Stop, "answered">): string {
  if (stop === "closed") return "the turn has ended";
  if (stop === "too-many-steps") return "it took too many steps";
  return `the turn has used up its ${stop.limit}`;
}
