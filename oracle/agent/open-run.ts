/**
 * What a run is made of, put together from its request and what the plugins contribute: the main agent, what all agents
 * share, and the middleware in load order, ours around that of the plugins.
 */
import type { RuntimeContext } from "../framework/context.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";
import type { ModelCallRequest, ModelCallResult } from "../framework/model-call.ts";
import { isJsonObject } from "../../platform/json.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import type { OracleSettings } from "../settings.ts";
import { attachmentsOf, modelFacts, type SharedPart } from "./admission.ts";
import { meterOf, type Agent, type RunScope } from "./agent-loop.ts";
import { approvalId, isRefusal, type Approvals } from "../runs/approvals.ts";
import { createCapabilities, createToolbox, isForeignTool } from "./capabilities.ts";
import { loadContributions } from "./contributions.ts";
import { fitConversation, HISTORY_READ_SIZE, promptRoom } from "./conversation.ts";
import { createHooks, EndedByHook, type BoundMiddleware, type Hooks } from "./hooks.ts";
import { argumentValidation } from "./arguments.ts";
import { pageContext } from "./middlewares/page-context.ts";
import { createRunBudget, repetitionGuard, type DayBudget, type RunBudget } from "./run-limits.ts";
import { summariseOldTurns, SUMMARY_TOKENS, type OldTurns } from "./middlewares/summary.ts";
import { askOnce, promptSize, type RetryPolicy } from "./model-request.ts";
import { ModelError } from "./model-step.ts";
import { systemPrompt } from "./prompt.ts";
import { createResultReader, type ResultReader } from "./read-result.ts";
import {
  bringsForeignText,
  createRunContext,
  haveForeignText,
  ownParts,
  type ContextFacts,
  type OwnFacts,
} from "./run-context.ts";
import { createSubAgents } from "./sub-agents.ts";
import { createToolCalls, type ToolCalls } from "./tool-calls.ts";
import type { Toolbox } from "./bound-tool.ts";
import type { Transcript } from "../runs/transcript.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import type { SessionMemory } from "../runs/session-store.ts";

export interface AgentFacts
  extends Omit<ContextFacts, "past" | "loadedPlugins" | "holdsForeignText" | "spendInput">, OwnFacts {
  readonly transcript: Transcript;
  readonly memory: SessionMemory;
  readonly clientCalls: ClientCalls;
  readonly approvals: Approvals;
  /** Undefined without limits of a day. */
  readonly dayBudget?: DayBudget | undefined;
  /** Runs the work once after that time; the result cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
}

export interface OpenRun {
  /** Whether the user has been answered anything yet. */
  readonly hasSaid: () => boolean;
  readonly scope: RunScope;
  readonly agent: Agent;
  readonly calls: ToolCalls;
}

/** The run, with what it was asked and what it may use. */
interface RunParts {
  readonly active: ActiveRun;
  readonly request: RunRequest;
  readonly settings: OracleSettings;
  readonly facts: AgentFacts;
}

interface AgentOfCalls {
  readonly name?: string;
  readonly toolbox: Toolbox;
  readonly middlewares: readonly BoundMiddleware[];
  readonly shown?: (toolName: string) => boolean;
  /** Of a sub-agent: the call that runs it. */
  readonly ofCall?: string;
}

export async function openRun(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
  retry: RetryPolicy,
): Promise<OpenRun> {
  const parts: RunParts = { active, request, settings, facts };
  const loadedPlugins = new Set(facts.memory.loadedPlugins());
  /** Until the tools are known, no result is known to be the user's own text. */
  let offered = createToolbox([]);
  const isForeign = (toolName: string): boolean => isForeignTool(offered, toolName);

  const budget = createRunBudget(settings.limits, active, facts.dayBudget);
  const scope = sharedByAgents(parts, budget, retry);
  /** Middleware that decides about requests and pays for them; known once the plugins have contributed. */
  let gates: readonly BoundMiddleware[] = [];
  const askModel = summaryCallOf(parts, scope, budget, () => gates);
  const oldTurns = oldTurnsOf(parts, scope.hooks, askModel, isForeign);
  const context = contextOf(parts, budget, loadedPlugins, oldTurns, isForeign);
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
  const results = createResultReader({ toolbox: capabilities, calls: ownCalls, past: oldTurns.past });
  offered = results.toolbox;

  const middlewares = [
    ...(isJsonObject(request.metadata["page"]) ? [ours(pageContext)] : []),
    ...contributed.middlewares,
    ...(oldTurns.isNeeded() ? [ours(oldTurns.middleware)] : []),
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
    conversation: conversationOf(parts, oldTurns, results, context),
    say: spoken.say,
    think: active.think,
    finishStep: (result, wanted) => calls.makeAll(wanted, (starts) => active.finishStep(result, starts)),
  };
  return { scope, agent, calls, hasSaid: spoken.hasSaid };
}

function sharedByAgents({ active, settings, facts }: RunParts, budget: RunBudget, retry: RetryPolicy): RunScope {
  const hooks = createHooks({
    active,
    // Nobody waits for the answers any more: the calls that they are about are not made.
    onVerdict: () => void facts.approvals.voidOpen(active.run.ordinal),
    log: facts.log,
  });
  const { models, limits } = settings;
  return { hooks, budget, models, maxSteps: limits.maxSteps, retry, signal: active.signal, env: facts.env };
}

/** UTF-16 units that the model's window has for past and question. */
function roomOf({ request, settings: { models } }: RunParts): number {
  return promptRoom(models.contextTokens(request.model));
}

/** One question to the model for a summary, through the gates: they decide about it and pay for it as for any request. */
function summaryCallOf(
  { active, settings: { models } }: RunParts,
  { hooks, retry }: RunScope,
  budget: RunBudget,
  gates: () => readonly BoundMiddleware[],
): (asked: ModelCallRequest) => Promise<ModelCallResult> {
  async function ask(asked: ModelCallRequest): Promise<ModelCallResult> {
    const { id, contextTokens } = modelFacts(models, asked.model);
    const maxOutputTokens = Math.min(asked.maxOutputTokens ?? Infinity, models.maxOutputTokens(id), SUMMARY_TOKENS);
    const planned = { model: id, prompt: promptSize(asked), maxOutputTokens, contextTokens };
    const uses: ModelCallUse[] = [];
    try {
      const question = { system: asked.system, messages: asked.messages, abortSignal: active.signal };
      return await askOnce(models.model(asked.model), question, meterOf(budget, planned, uses), retry);
    } finally {
      budget.spend(budget.settleModelCalls(uses));
    }
  }
  return (asked) => hooks.modelCall(gates(), ask)(asked);
}

/** The turns before this one: summarised by the model where they do not fit its window. */
function oldTurnsOf(
  parts: RunParts,
  hooks: Hooks,
  askModel: (asked: ModelCallRequest) => Promise<ModelCallResult>,
  isForeign: (toolName: string) => boolean,
): OldTurns {
  const { active, request, settings, facts } = parts;
  const { models } = settings;
  const { ordinal } = active.run;
  const room = roomOf(parts);
  return summariseOldTurns({
    memory: facts.memory,
    isForeign: (records) => haveForeignText(records, isForeign),
    turn: ordinal,
    pastSince: (summarised) => facts.transcript.between(summarised, ordinal, HISTORY_READ_SIZE),
    room,
    // A longer question is cut.
    questionSize: Math.min(request.message.length, Math.floor(room / 2)),
    async ask(system, text) {
      const messages: ModelCallRequest["messages"] = [
        { role: "user", content: [{ type: "text", text: withoutSecrets(facts.env, text) }] },
      ];
      const maxOutputTokens = Math.min(SUMMARY_TOKENS, models.maxOutputTokens(request.model));
      const answer = await askModel({ system, messages, tools: [], model: request.model, maxOutputTokens });
      return answer.text;
    },
    onFailure(thrown) {
      if (hooks.verdict() !== undefined) return;
      const { kind } = models.classify(thrown instanceof ModelError ? thrown.cause : thrown);
      facts.log.warn("summary-failed", { kind });
    },
  });
}

/** What plugins are given of the run, without what each gets of its own. */
function contextOf(
  { active, request, settings, facts }: RunParts,
  budget: RunBudget,
  loadedPlugins: ReadonlySet<string>,
  oldTurns: OldTurns,
  isForeign: (toolName: string) => boolean,
): SharedPart<RuntimeContext> {
  return createRunContext(active, request, settings, {
    env: facts.env,
    owner: facts.owner,
    sessionId: facts.sessionId,
    readDelegation: facts.readDelegation,
    isRevoked: facts.isRevoked,
    matrixAccessToken: facts.matrixAccessToken,
    now: facts.now,
    log: facts.log,
    publish: facts.publish,
    mayPrompt: facts.mayPrompt,
    clientCalls: facts.clientCalls,
    questions: facts.questions,
    approvals: facts.approvals,
    loadedPlugins,
    past: oldTurns.past,
    spendInput: budget.spendInput,
    holdsForeignText: () =>
      bringsForeignText(request) ||
      active.calls.some(({ name, agent }) => agent === undefined && isForeign(name)) ||
      oldTurns.isSummaryForeign() ||
      haveForeignText(oldTurns.past().records, isForeign),
  });
}

/** How the calls of an agent are made: through its middleware, then ours, which checks the arguments and counts repetitions. */
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
          if (thrown instanceof EndedByHook)
            return { error: `${asked.name} was not run to its end: the turn was ended` };
          throw thrown;
        }
      },
    });
  };
}

/** What the model is given, as far as its window holds it; the user is notified once when that is not all. */
function conversationOf(
  parts: RunParts,
  oldTurns: OldTurns,
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
      room - oldTurns.size(),
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

/** What the user is answered; middleware that listens reads it as it is sent. */
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
