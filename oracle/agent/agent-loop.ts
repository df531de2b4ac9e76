/**
 * The loop of an agent, main or sub-agent: asks the model step after step and makes the calls that it requests, with the middleware
 * around each in the order of docs/plugins/guide/turns.md. How an agent streams and stores is passed in, so that the main agent and
 * sub-agents share this loop.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { AgentState, AnsweredState } from "../framework/middleware.ts";
import type { BudgetLimit } from "../../protocol/frames.ts";
import { traced } from "../../platform/trace.ts";
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

/** The state that all agents of a run share. */
export interface RunScope {
  readonly hooks: Hooks;
  readonly budget: Pick<RunBudget, "exhausted" | "spend" | "beginModelCall" | "settleModelCalls">;
  readonly models: ModelProvider;
  /** The most steps in a run, or in one task of a sub-agent. */
  readonly maxSteps: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
  readonly env: Env;
}

export interface Agent {
  /** The name of a sub-agent. */
  readonly name?: string;
  readonly system: string;
  /** The id of a model. */
  readonly model: string | undefined;
  readonly toolbox: Toolbox;
  /** Middleware around the agent's steps, in load order. */
  readonly middlewares: readonly BoundMiddleware[];
  /** Finished steps and their calls, oldest first. */
  readonly steps: readonly Step[];
  readonly calls: () => readonly Call[];
  /** The messages for the model, and their size in UTF-16 units. */
  readonly conversation: () => { readonly messages: readonly LanguageModelV4Message[]; readonly size: number };
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  /** Stores the step with the requested calls, then makes the calls. */
  readonly finishStep: (result: StepResult, wanted: readonly WantedCall[]) => Promise<void>;
}

/** Withheld text grew longer than an answer may be. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** The run's budget is used up before a model call. */
class BudgetExhausted extends Error {
  override readonly name = "BudgetExhausted";
  readonly limit: BudgetLimit;

  constructor(limit: BudgetLimit) {
    super("the turn has used up its budget");
    this.limit = limit;
  }
}

/** Why an agent stopped. `closed`: the run has ended, and later results are dropped. */
export type Stop = "answered" | "closed" | "too-many-steps" | { readonly limit: BudgetLimit };

/** Throws the model's failure, or EndedByHook when a hook has ended the run. */
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

/** The last step made no call: the answer is complete. A recovered run may already be in this state. */
export function isAnswered({ steps, calls }: Pick<Agent, "steps" | "calls">): boolean {
  return steps.length > 0 && !calls().some(({ step }) => step === steps.length - 1);
}

/** The state that before and after hooks see; its messages are built on first access. */
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
  /** Whether middleware has removed this tool from the request. */
  readonly withheld: (toolName: string) => boolean;
}

/** One model step. Its text is streamed as it arrives, or sent once at the end when middleware may rewrite it. */
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
    return traced(`chat ${id}`, { "gen_ai.operation.name": "chat", "gen_ai.request.model": id }, async (span) => {
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
      span.setAttributes({
        "gen_ai.usage.input_tokens": result.usage.inputTokens,
        "gen_ai.usage.output_tokens": result.usage.outputTokens,
        "gen_ai.response.finish_reasons": result.finishReason,
      });
      return result;
    });
  };

  const maxOutputTokens = models.maxOutputTokens(agent.model);
  const request = { system: agent.system, messages, tools, model: agent.model, maxOutputTokens };
  const result = await hooks.modelCall(agent.middlewares, ask)(request);
  // Frames cannot be taken back: if middleware changed text that was already streamed, only the part that it appended is sent.
  if (result.text.startsWith(lastText)) agent.say(withoutSecrets(env, result.text.slice(lastText.length)));
  return {
    result,
    withheld: (name) =>
      lastTools !== tools && tools.some((tool) => tool.name === name) && !lastTools.some((tool) => tool.name === name),
  };
}

/** Counts the requests of one answer in `uses`. The first request may be sent whatever the run has used so far. */
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
