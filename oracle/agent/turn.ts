/**
 * What a turn is made of, put together from its request and what the plugins contribute: the main agent, what all agents
 * share, and the middleware in load order, ours around that of the plugins.
 */
import type { RuntimeContext } from "../framework/context.ts";
import type { AgentMiddleware, ModelCallRequest, ModelCallResult } from "../framework/middleware.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { ModelCallUse } from "../runs/run-usage.ts";
import type { OracleSettings } from "../settings.ts";
import { attachmentsOf, modelFacts } from "./admission.ts";
import { meterOf, type Agent, type Turn } from "./agent-loop.ts";
import { approvalId, isRefusal } from "../runs/approvals.ts";
import { createCapabilities, isForeignTool, type Toolbox } from "./capabilities.ts";
import { loadContributions } from "./contributions.ts";
import { fitConversation, HISTORY_READ_SIZE, promptRoom } from "./conversation.ts";
import { createHooks, TurnEnded, type BoundMiddleware } from "./hooks.ts";
import { argumentValidation } from "./arguments.ts";
import { hasPage, pageContext } from "./middlewares/page-context.ts";
import { createTurnBudget, repetitionGuard } from "./turn-limits.ts";
import { summariseOldTurns, SUMMARY_TOKENS } from "./middlewares/summary.ts";
import { askOnce, promptSize, type RetryPolicy } from "./model-request.ts";
import { ModelError } from "./model-step.ts";
import { systemPrompt } from "./prompt.ts";
import type { AgentFacts } from "./run-agent.ts";
import { createResultReader } from "./read-result.ts";
import { bringsForeignText, createRunContext, haveForeignText, ownParts } from "./run-context.ts";
import { createSubAgents } from "./sub-agents.ts";
import { createToolCalls, type ToolCalls } from "./tool-calls.ts";

export interface OpenTurn {
  /** Whether the user has been answered anything yet. */
  readonly hasSaid: () => boolean;
  readonly turn: Turn;
  readonly agent: Agent;
  readonly calls: ToolCalls;
}

interface AgentOfCalls {
  readonly name?: string;
  readonly toolbox: Toolbox;
  readonly middlewares: readonly BoundMiddleware[];
  readonly shown?: (toolName: string) => boolean;
  /** Of a sub-agent: the call that runs it. */
  readonly ofCall?: string;
}

export async function openTurn(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
  retry: RetryPolicy,
): Promise<OpenTurn> {
  const { models, plugins, profile } = settings;
  const { transcript, memory, env, log } = facts;
  const { ordinal } = active.run;
  const loadedPlugins = new Set(memory.loadedPlugins());
  const room = promptRoom(models.contextTokens(request.model));
  const hooks = createHooks({
    active,
    // Nobody waits for the answers any more: the calls that they are about are not made.
    onVerdict: () => void facts.approvals.voidOpen(ordinal),
    log,
  });
  const budget = createTurnBudget(settings.limits, active, facts.dayBudget);
  const repetition = repetitionGuard({
    ...settings.limits,
    calls: () => active.calls,
    isDenied: ({ eventId }) => isRefusal(facts.approvals.find(approvalId(eventId))?.answer),
  });
  const turn: Turn = { hooks, budget, models, maxSteps: settings.limits.maxSteps, retry, signal: active.signal, env };

  async function askForSummary(asked: ModelCallRequest): Promise<ModelCallResult> {
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

  const oldTurns = summariseOldTurns({
    memory,
    isForeign: (records) => haveForeignText(records, isForeign),
    turn: ordinal,
    pastSince: (summarised) => transcript.between(summarised, ordinal, HISTORY_READ_SIZE),
    room,
    // A longer question is cut.
    questionSize: Math.min(request.message.length, Math.floor(room / 2)),
    async ask(system, text) {
      const messages: ModelCallRequest["messages"] = [
        { role: "user", content: [{ type: "text", text: withoutSecrets(env, text) }] },
      ];
      const maxOutputTokens = Math.min(SUMMARY_TOKENS, models.maxOutputTokens(request.model));
      const asked = { system, messages, tools: [], model: request.model, maxOutputTokens };
      // What decides about requests and pays for them does so for this one.
      const gates = contributed.middlewares.filter(({ middleware }) => middleware.required === true);
      const answer = await hooks.modelCall(gates, askForSummary)(asked);
      return answer.text;
    },
    onFailure(thrown) {
      if (hooks.verdict() !== undefined) return;
      log.warn("summary-failed", { kind: models.classify(thrown instanceof ModelError ? thrown.cause : thrown).kind });
    },
  });
  const context = createRunContext(active, request, settings, {
    ...facts,
    loadedPlugins,
    past: oldTurns.past,
    holdsForeignText: () =>
      bringsForeignText(request) ||
      active.calls.some(({ name, agent }) => agent === undefined && isForeign(name)) ||
      oldTurns.isSummaryForeign() ||
      haveForeignText(oldTurns.past().records, isForeign),
  });
  // A plugin may ask while it gives its tools. Until they are known, any of them may bring text from outside.
  const tools: { known?: Toolbox } = {};
  const isForeign = (toolName: string): boolean => tools.known === undefined || isForeignTool(tools.known, toolName);
  const ownPartOf = ownParts(active, facts, settings);
  const ours = (middleware: AgentMiddleware): BoundMiddleware => ({
    middleware,
    context: { ...context, config: undefined, state: {}, ...ownPartOf("oracle") } satisfies RuntimeContext,
  });

  const subAgents = createSubAgents({
    active,
    turn: () => turn,
    middlewares: () => contributed.middlewares,
    makeToolCalls: toolCallsOf,
    model: request.model,
    log,
  });
  const contributed = await loadContributions(plugins, context, {
    log,
    ownPartOf,
    bindSubAgent: subAgents.bind,
    onError: settings.onError,
  });
  const capabilities = createCapabilities(contributed.tools, loadedPlugins, memory);
  const ownCalls = () => active.calls.filter((call) => call.agent === undefined);
  const results = createResultReader({ toolbox: capabilities, calls: ownCalls, past: oldTurns.past });
  const { toolbox } = results;
  tools.known = toolbox;
  const middlewares = [
    ...(hasPage(request.metadata) ? [ours(pageContext)] : []),
    ...contributed.middlewares,
    ...(oldTurns.isNeeded() ? [ours(oldTurns.middleware)] : []),
  ];
  const calls = toolCallsOf({ toolbox, middlewares });

  function toolCallsOf({ name, shown, ofCall, ...around }: AgentOfCalls): ToolCalls {
    const all = [...around.middlewares, ours(argumentValidation(around.toolbox)), ours(repetition)];
    return createToolCalls({
      ...facts,
      active,
      request,
      budget,
      isEnding: () => hooks.verdict() !== undefined,
      toolbox: around.toolbox,
      agent: name,
      ofCall,
      shown,
      isWrapped: around.middlewares.some(({ middleware }) => middleware.wrapToolCall !== undefined),
      async wrap(asked, run) {
        try {
          return await hooks.toolCall(all, run)(asked);
        } catch (thrown) {
          if (thrown instanceof TurnEnded) return { error: `${asked.name} was not run to its end: the turn was ended` };
          throw thrown;
        }
      },
    });
  }

  const system = systemPrompt(profile, contributed.states, context, capabilities);
  const question = { message: request.message, attachments: attachmentsOf(active.run.ordinal, request.attachments) };
  const listening = middlewares.filter(({ middleware }) => middleware.onText !== undefined);
  let hasNoticedShortening = false;
  let hasSaid = active.steps.some(({ text }) => text !== "");
  const agent: Agent = {
    system,
    model: request.model,
    toolbox,
    middlewares,
    steps: active.steps,
    calls: ownCalls,
    conversation() {
      const fitted = fitConversation(
        { past: results.past(), question, steps: active.steps, calls: results.calls() },
        room - oldTurns.size(),
      );
      if (fitted.newlyShortened && !hasNoticedShortening) {
        hasNoticedShortening = true;
        context.notice(
          "This conversation is longer than the model can read at once. Parts of it were left out.",
          "conversation_shortened",
        );
      }
      return fitted;
    },
    say(text) {
      hasSaid ||= text !== "";
      const sent = active.say(text);
      if (listening.length > 0 && sent !== "") hooks.onText(listening, sent);
    },
    think: active.think,
    finishStep: (result, wanted) => calls.makeAll(wanted, (starts) => active.finishStep(result, starts)),
  };
  return { turn, agent, calls, hasSaid: () => hasSaid };
}
