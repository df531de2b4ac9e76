/**
 * The loop of an agent, main or sub-agent: asks the model step after step and makes the calls that it wants, with the
 * middleware around each in the order of docs/plugins/guide/turns.md. An agent speaks and stores through its own members,
 * so that both kinds are the same loop.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { AgentState, AnsweredState } from "../framework/middleware.ts";
import type { BudgetLimit } from "../../protocol/frames.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { ModelProvider } from "../models/model-port.ts";
import { ANSWER_SIZE, type StepResult } from "../runs/active-run.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import type { Call, Step } from "../runs/step-store.ts";
import { modelFacts } from "./request-context.ts";
import { unknownTool } from "./toolbox.ts";
import type { BoundTool, Toolbox } from "./bound-tool.ts";
import { EndedByHook, type BoundMiddleware, type Hooks } from "./hooks.ts";
import { functionTools, openModelStream, type CallMeter, type RetryPolicy, runModelStep } from "./model-request.ts";
import { promptSize, type PlannedCall, type RunBudget } from "./run-limits.ts";
import { wantedCall, type WantedCall } from "./arguments.ts";
import type { ModelCallRequest, ModelCallResult } from "../framework/model-call.ts";

/** What all agents of a run share. */
export interface RunScope {
  readonly hooks: Hooks;
  readonly budget: Pick<RunBudget, "exhausted" | "spend" | "beginModelCall" | "settleModelCalls">;
  readonly models: ModelProvider;
  /** How often one agent may ask its model in a run, or for one task. */
  readonly maxSteps: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  readonly env: Env;
}

export interface Agent {
  /** Of a sub-agent. */
  readonly name?: string;
  readonly system: string;
  /** The id of a model. */
  readonly model: string | undefined;
  readonly toolbox: Toolbox;
  /** Around its steps, in load order. */
  readonly middlewares: readonly BoundMiddleware[];
  /** Finished steps and their calls, oldest first. */
  readonly steps: readonly Step[];
  readonly calls: () => readonly Call[];
  /** What the model is given, and its size in UTF-16 units. */
  readonly conversation: () => { readonly messages: readonly LanguageModelV4Message[]; readonly size: number };
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  /** Stores the step with the calls that it wants, then makes them. */
  readonly finishStep: (result: StepResult, wanted: readonly WantedCall[]) => Promise<void>;
}

/** Text that is not said at once grew longer than an answer may be. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** The model is to be asked and the run may not. */
class BudgetExhausted extends Error {
  override readonly name = "BudgetExhausted";
  readonly limit: BudgetLimit;

  constructor(limit: BudgetLimit) {
    super("the turn has used up its budget");
    this.limit = limit;
  }
}

/** Why an agent stopped. `closed`: the run has ended, and nothing that follows counts. */
export type Stop = "answered" | "closed" | "too-many-steps" | { readonly limit: BudgetLimit };

/** Throws what the model failed with, and EndedByHook when a hook has ended the run. */
export async function takeSteps(agent: Agent, scope: RunScope): Promise<Stop> {
  const { hooks, budget, signal } = scope;
  const { middlewares } = agent;
  for (;;) {
    if (signal.aborted) return "closed";
    if (hooks.verdict() !== undefined) throw new EndedByHook();
    if (isAnswered(agent)) return "answered";
    if (agent.steps.length >= scope.maxSteps) return "too-many-steps";
    const limit = budget.exhausted();
    if (limit !== undefined) return { limit };

    if (middlewares.length > 0) await hooks.before("beforeModel", middlewares, stateOf(agent));
    /** One entry per request to the model in this step, so that the tokens of failed requests count too. */
    const uses: ModelCallUse[] = [];
    let answer: ModelAnswer;
    try {
      answer = await callModel(agent, scope, uses);
      if (signal.aborted) return "closed";
      if (middlewares.length > 0) {
        const state = Object.assign(stateOf(agent), { result: answer.result }) satisfies AnsweredState;
        await hooks.afterModel(middlewares, state);
      }
    } catch (thrown) {
      budget.spend(budget.settleModelCalls(uses));
      if (thrown instanceof BudgetExhausted) return { limit: thrown.limit };
      throw thrown;
    }
    const { result, withheld } = answer;
    const wanted = withoutSecrets(scope.env, result.toolCalls).map((call) => {
      const found = withheld(call.name) ? unknownTool(call.name) : agent.toolbox.find(call.name);
      return { ...wantedCall(call), ...("problem" in found ? { problem: found.problem } : {}) };
    });
    const usage = budget.settleModelCalls(uses);
    await agent.finishStep({ finishReason: result.finishReason, usage }, wanted);
  }
}

/** No call in the last step: the answer is complete. A recovered run may be here already. */
export function isAnswered({ steps, calls }: Pick<Agent, "steps" | "calls">): boolean {
  return steps.length > 0 && !calls().some(({ step }) => step === steps.length - 1);
}

/** What before and after hooks see; the messages are made when they are asked for. */
export function stateOf(agent: Agent): AgentState {
  return {
    get messages() {
      return agent.conversation().messages;
    },
    step: agent.steps.length,
    ...(agent.name === undefined ? {} : { agent: agent.name }),
  };
}

interface ModelAnswer {
  readonly result: ModelCallResult;
  /** Whether middleware has taken the tool of that name out of the request. */
  readonly withheld: (toolName: string) => boolean;
}

/** One step's answer. Its text is said once, as it arrives, or at the end when middleware may rewrite it. */
async function callModel(agent: Agent, scope: RunScope, uses: ModelCallUse[]): Promise<ModelAnswer> {
  const { hooks, budget, models, retry, signal, env } = scope;
  const isHeldBack = hooks.rewritesText(agent.middlewares);
  const { messages } = agent.conversation();
  const tools = modelTools(agent.toolbox.offered());
  let lastTools = tools;
  let lastText = "";
  let held = 0;

  const ask = async (request: ModelCallRequest): Promise<ModelCallResult> => {
    const { id, contextTokens } = modelFacts(models, request.model);
    const planned = {
      model: id,
      prompt: promptSize(request),
      maxOutputTokens: Math.min(request.maxOutputTokens ?? Infinity, models.maxOutputTokens(id)),
      contextTokens,
    };
    const meter = meterOf(budget, planned, uses);
    lastTools = request.tools;
    lastText = "";
    const prompt = [{ role: "system" as const, content: request.system }, ...request.messages];
    const asked = withoutSecrets(env, { prompt, tools: functionTools(request.tools) });
    const options = { prompt: asked.prompt, tools: asked.tools, abortSignal: signal };
    const { stream, use } = await openModelStream(models.model(request.model), options, meter, retry);
    const result = await runModelStep({
      stream,
      received: (units) => use.received(units),
      think: (text) => agent.think(text),
      say(text) {
        held += isHeldBack ? text.length : 0;
        if (held > ANSWER_SIZE) throw new AnswerTooLong();
        if (isHeldBack) return;
        lastText += text;
        agent.say(text);
      },
    });
    use.reported(result.usage);
    return result;
  };

  const maxOutputTokens = models.maxOutputTokens(agent.model);
  const request = { system: agent.system, messages, tools, model: agent.model, maxOutputTokens };
  const result = await hooks.modelCall(agent.middlewares, ask)(request);
  // Frames cannot be taken back: of a text that middleware changed without saying so, only what it added at the end counts.
  if (result.text.startsWith(lastText)) agent.say(withoutSecrets(env, result.text.slice(lastText.length)));
  return {
    result,
    withheld: (name) =>
      lastTools !== tools && tools.some((tool) => tool.name === name) && !lastTools.some((tool) => tool.name === name),
  };
}

/** Counts the requests of one answer in `uses`; the first one may be sent whatever the run has used. */
export function meterOf(budget: RunScope["budget"], planned: PlannedCall, uses: ModelCallUse[]): CallMeter {
  return {
    async begin() {
      const limit = uses.length === 0 ? undefined : budget.exhausted();
      if (limit !== undefined) throw new BudgetExhausted(limit);
      const begun = await budget.beginModelCall(planned);
      if (begun === undefined) throw new BudgetExhausted("day");
      uses.push(begun);
      return begun;
    },
    lost: (use) => budget.spend(budget.settleModelCalls([use])),
  };
}

function modelTools(tools: readonly BoundTool[]): ModelCallRequest["tools"] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}
