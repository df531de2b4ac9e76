/**
 * The agent of one run: loads the contributions of the plugins, assembles the agent, takes its steps, and ends the run. It
 * continues after the steps that the run has already finished, so that new and recovered runs share one path. It does not access
 * storage: all output goes through the ActiveRun.
 */
import { isJsonObject } from "../../platform/json.ts";
import { traced } from "../../platform/trace.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { RuntimeContext } from "../framework/context.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";
import type { ModelFailure } from "../models/model-port.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { approvalId, isRefusal, type Approvals } from "../runs/approvals.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import { answerEmpty, answerTooLong, budgetExhausted, cutAnswers, gateFailed, tooManySteps } from "../runs/failures.ts";
import type { After } from "../runs/frames.ts";
import type { SessionMemory } from "../runs/session-store.ts";
import type { Transcript } from "../runs/transcript.ts";
import type { OracleSettings } from "../settings.ts";
import { AnswerTooLong, isAnswered, stateOf, takeSteps, type Agent, type RunScope, type Stop } from "./agent-loop.ts";
import { argumentValidation } from "./arguments.ts";
import type { Toolbox } from "./bound-tool.ts";
import { GateMissing, loadContributions } from "./contributions.ts";
import { fitConversation, promptRoom } from "./conversation.ts";
import { createHooks, EndedByHook, type BoundMiddleware, type Hooks } from "./hooks.ts";
import { pageContext } from "./middlewares/page-context.ts";
import { summariseEarlierRuns, type EarlierRuns } from "./middlewares/summary.ts";
import { retryPolicy, ModelError } from "./model-request.ts";
import { systemPrompt } from "./prompt.ts";
import { attachmentsOf } from "./request-context.ts";
import {
  bringsForeignText,
  createRunContext,
  haveForeignText,
  ownParts,
  type ContextFacts,
  type OwnFacts,
} from "./run-context.ts";
import { createRunBudget, repetitionGuard, type DayBudget, type RunBudget } from "./run-limits.ts";
import { createSubAgents } from "./sub-agents.ts";
import { createToolCalls, type ToolCalls } from "./tool-calls.ts";
import { createCapabilities, createResultReader, createToolbox, isForeignTool, type ResultReader } from "./toolbox.ts";

export interface AgentFacts extends ContextFacts, OwnFacts {
  readonly transcript: Transcript;
  readonly memory: SessionMemory;
  readonly clientCalls: ClientCalls;
  readonly approvals: Approvals;
  /** Undefined when there are no daily limits. */
  readonly dayBudget?: DayBudget | undefined;
  readonly after: After;
}

/** The run, its request and its resources. */
interface RunParts {
  readonly active: ActiveRun;
  readonly request: RunRequest;
  readonly settings: OracleSettings;
  readonly facts: AgentFacts;
}

/** Returns when the run has ended, for any reason. A thrown error is a bug, never a model failure. */
export async function runAgent(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
): Promise<void> {
  try {
    await traced(
      "invoke_agent",
      { "gen_ai.operation.name": "invoke_agent", "twinedge.run.id": active.run.runId },
      async () => runSteps(active, await openRun({ active, request, settings, facts }), facts.env),
    );
  } catch (thrown) {
    if (active.closed) return;
    if (thrown instanceof AnswerTooLong) return active.end({ status: "failed", failure: answerTooLong });
    if (thrown instanceof GateMissing) return active.end({ status: "failed", failure: gateFailed(thrown.plugin) });
    if (!(thrown instanceof ModelError)) throw thrown;
    const { models } = settings;
    const failure = models.classify(thrown.cause);
    // Log facts only: a provider's text may contain part of the operator's key or of the user's message.
    facts.log.warn("run-model-failed", {
      runId: active.run.runId,
      kind: failure.kind,
      status: failure.status,
      model: models.model(request.model).modelId,
      ...models.upstreamOf(thrown.cause),
    });
    active.end({ status: "failed", failure });
  }
}

/** The phases of the run: beforeAgent, the steps, afterAgent, the end. */
async function runSteps(active: ActiveRun, { scope, agent, calls, hasSaid }: OpenRun, env: Env): Promise<void> {
  const { hooks } = scope;
  const { middlewares } = agent;
  let stop: Stop = "answered";
  await untilEnded(async () => {
    if (hooks.verdict() !== undefined) return;
    if (middlewares.length > 0 && !isAnswered(agent)) await hooks.before("beforeAgent", middlewares, stateOf(agent));
    await calls.resumeAll();
    stop = await takeSteps(agent, scope);
  });
  if (active.closed) return;
  const verdict = hooks.verdict();
  // A recovered run may have sent the message already.
  if (verdict !== undefined && "message" in verdict && !isAnswered(agent)) {
    const message = withoutSecrets(env, verdict.message);
    // A separate step, as a separate paragraph.
    agent.say(hasSaid() ? `\n\n${message}` : message);
    active.finishStep({ finishReason: "stop", usage: { inputTokens: 0, outputTokens: 0 } });
  }
  if (verdict === undefined && stop !== "answered")
    return active.end({ status: "failed", failure: failureOf(stop, scope) });
  if (verdict === undefined || "message" in verdict)
    await untilEnded(() => hooks.afterAgent(middlewares, stateOf(agent)));
  const last = hooks.verdict();
  if (last !== undefined && "gate" in last) return active.end({ status: "failed", failure: gateFailed(last.gate) });
  if (last !== undefined && "failure" in last)
    return active.end({ status: "failed", failure: { ...withoutSecrets(env, last.failure), source: "platform" } });
  finish(active);
}

/** A hook may end the run anywhere; the hooks' verdict says how. */
async function untilEnded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof EndedByHook)) throw thrown;
  }
}

function failureOf(stop: Exclude<Stop, "answered">, { maxSteps }: RunScope): ModelFailure {
  return typeof stop === "object" ? budgetExhausted(stop.limit) : tooManySteps(maxSteps);
}

/** Ends the run. A notice that the answer is empty or cut off precedes the end. */
function finish(active: ActiveRun): void {
  const finishReason = active.steps.at(-1)?.finishReason ?? "other";
  const isEmpty = active.steps.every(({ text }) => text.trim() === "");
  const notice = cutAnswers[finishReason] ?? (isEmpty ? answerEmpty : undefined);
  if (notice !== undefined) active.notice(notice);
  active.end({ status: "finished", finishReason });
}

interface OpenRun {
  /** Whether the user has received any text yet. */
  readonly hasSaid: () => boolean;
  readonly scope: RunScope;
  readonly agent: Agent;
  readonly calls: ToolCalls;
}

interface AgentOfCalls {
  readonly name?: string;
  readonly toolbox: Toolbox;
  readonly middlewares: readonly BoundMiddleware[];
  readonly shown?: (toolName: string) => boolean;
  /** The call that runs this sub-agent. */
  readonly ofCall?: string;
}

/**
 * Builds the main agent, the scope that all agents of the run share, and the middleware in load order, with the built-in ones
 * around the plugins'.
 */
async function openRun(parts: RunParts): Promise<OpenRun> {
  const { active, request, settings, facts } = parts;
  const loadedPlugins = new Set(facts.memory.loadedPlugins());
  /** Until the tools are known, no result counts as the user's own text. */
  let offered = createToolbox([]);
  const isForeign = (toolName: string): boolean => isForeignTool(offered, toolName);
  /** Middleware that decides about requests and pays for them; known once the plugins have contributed. */
  let gates: readonly BoundMiddleware[] = [];

  const budget = createRunBudget(settings.limits, active, facts.dayBudget);
  const scope = sharedByAgents(parts, budget);
  const earlierRuns = summariseEarlierRuns({
    active,
    request,
    scope,
    gates: () => gates,
    transcript: facts.transcript,
    memory: facts.memory,
    room: roomOf(parts),
    haveForeignText: (records) => haveForeignText(records, isForeign),
    log: facts.log,
  });
  const past = {
    loadedPlugins,
    past: earlierRuns.past,
    holdsForeignText: () =>
      bringsForeignText(request) ||
      active.calls.some(({ name, agent }) => agent === undefined && isForeign(name)) ||
      earlierRuns.isSummaryForeign() ||
      haveForeignText(earlierRuns.past().records, isForeign),
  };
  const context = createRunContext(active, request, settings, facts, past, budget.spendInput);
  const ownPartOf = ownParts(active, facts, settings);
  const ours = (middleware: AgentMiddleware): BoundMiddleware => ({
    middleware,
    context: { ...context, config: undefined, state: {}, ...ownPartOf("oracle") } satisfies RuntimeContext,
  });
  const makeToolCalls = toolCallsFor(parts, scope, budget, ours);

  const contributed = await loadContributions(settings.plugins, context, {
    log: facts.log,
    ownPartOf,
    bindSubAgent: (definition, owner, middlewares) => {
      const { model } = request;
      return createSubAgents({ active, scope, makeToolCalls, model, log: facts.log }).bind(
        definition,
        owner,
        middlewares,
      );
    },
    onError: settings.onError,
  });
  gates = contributed.middlewares.filter(({ middleware }) => middleware.required === true);
  const capabilities = createCapabilities(contributed.tools, loadedPlugins, facts.memory);
  const ownCalls = () => active.calls.filter((call) => call.agent === undefined);
  const results = createResultReader({ toolbox: capabilities, calls: ownCalls, past: earlierRuns.past });
  offered = results.toolbox;

  const middlewares = [
    ...(isJsonObject(request.metadata["page"]) ? [ours(pageContext)] : []),
    ...contributed.middlewares,
    ...(earlierRuns.isNeeded() ? [ours(earlierRuns.middleware)] : []),
  ];
  const calls = makeToolCalls({ toolbox: results.toolbox, middlewares });
  const spoken = answerOf(active, scope.hooks, middlewares);
  const agent: Agent = {
    system: systemPrompt(settings.profile, contributed.states, context, capabilities),
    model: request.model,
    toolbox: results.toolbox,
    middlewares,
    steps: active.steps,
    calls: ownCalls,
    conversation: conversationOf(parts, earlierRuns, results, context),
    say: spoken.say,
    think: active.think,
    finishStep: (result, wanted) => calls.makeAll(wanted, (starts) => active.finishStep(result, starts)),
  };
  return { scope, agent, calls, hasSaid: spoken.hasSaid };
}

function sharedByAgents({ active, settings, facts }: RunParts, budget: RunBudget): RunScope {
  const hooks = createHooks({
    active,
    // Open approvals are no longer needed: their calls are not made.
    onVerdict: () => void facts.approvals.voidOpen(active.run.ordinal),
    log: facts.log,
  });
  const { models, limits } = settings;
  const retry = retryPolicy(models, active, facts.after);
  return { hooks, budget, models, maxSteps: limits.maxSteps, retry, signal: active.signal, env: facts.env };
}

/** The room of the model's window for history and question, UTF-16 units. */
function roomOf({ request, settings: { models } }: RunParts): number {
  return promptRoom(models.contextTokens(request.model));
}

/**
 * Makes the calls of an agent: through its middleware, then the built-in ones, which validate the arguments and count repetitions.
 */
function toolCallsFor(
  { active, request, settings: { limits }, facts }: RunParts,
  { hooks }: RunScope,
  budget: RunBudget,
  ours: (middleware: AgentMiddleware) => BoundMiddleware,
): (agent: AgentOfCalls) => ToolCalls {
  const repetition = repetitionGuard({
    maxIdenticalWrites: limits.maxIdenticalWrites,
    maxIdenticalReads: limits.maxIdenticalReads,
    calls: () => active.calls,
    isDenied: ({ eventId }) => isRefusal(facts.approvals.find(approvalId(eventId))?.answer),
  });
  return ({ name, toolbox, middlewares, shown, ofCall }) => {
    const all = [...middlewares, ours(argumentValidation(toolbox)), ours(repetition)];
    return createToolCalls({
      env: facts.env,
      active,
      request,
      sessionId: facts.sessionId,
      toolbox,
      clientCalls: facts.clientCalls,
      approvals: facts.approvals,
      budget,
      isEnding: () => hooks.verdict() !== undefined,
      log: facts.log,
      agent: name,
      ofCall,
      shown,
      isWrapped: middlewares.some(({ middleware }) => middleware.wrapToolCall !== undefined),
      async wrap(asked, run) {
        try {
          return await hooks.toolCall(all, run)(asked);
        } catch (thrown) {
          if (thrown instanceof EndedByHook) return { error: `${asked.name} did not finish: the turn was ended` };
          throw thrown;
        }
      },
    });
  };
}

/** The messages for the model, as far as its window holds them; the user is notified once if they are shortened. */
function conversationOf(
  parts: RunParts,
  earlierRuns: EarlierRuns,
  results: Pick<ResultReader, "past" | "calls">,
  { notice }: Pick<RuntimeContext, "notice">,
): Agent["conversation"] {
  const { active, request } = parts;
  const room = roomOf(parts);
  const question = { message: request.message, attachments: attachmentsOf(active.run.ordinal, request.attachments) };
  let hasNoticedShortening = false;
  return () => {
    const fitted = fitConversation(
      { past: results.past(), question, steps: active.steps, calls: results.calls() },
      room - earlierRuns.size(),
    );
    if (fitted.newlyShortened && !hasNoticedShortening) {
      hasNoticedShortening = true;
      notice(
        "This conversation is longer than the model can read at once. Parts of it were left out.",
        "conversation_shortened",
      );
    }
    return fitted;
  };
}

/** Streams the answer to the user, and notifies listening middleware as it is sent. */
function answerOf(active: ActiveRun, hooks: Hooks, middlewares: readonly BoundMiddleware[]) {
  const listening = middlewares.filter(({ middleware }) => middleware.onText !== undefined);
  let hasSaid = active.steps.some(({ text }) => text !== "");
  return {
    say(text: string): void {
      hasSaid ||= text !== "";
      const sent = active.say(text);
      if (listening.length > 0 && sent !== "") hooks.onText(listening, sent);
    },
    hasSaid: (): boolean => hasSaid,
  };
}
