/**
 * The agent of one run: loads what the plugins contribute, then asks the model step after step and makes the calls that
 * it wants. It begins from the steps that the run has already finished, so that a recovered run and a new one are the
 * same thing. It knows no storage: everything it says goes through the ActiveRun.
 */
import { withoutSecrets } from "../../../workers/platform/secret-values.ts";
import type { ModelFailure } from "../model-port.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { answerEmpty, budgetExhausted, cutAnswers, tooManySteps } from "../runs/failures.ts";
import { estimateTokens } from "../runs/step-store.ts";
import type { Transcript } from "../runs/transcript.ts";
import type { OracleSettings } from "../settings.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import { HISTORY_READ_SIZE, HISTORY_TURNS, fitConversation, promptRoom, systemPrompt } from "./prompt.ts";
import { type RetryPolicy, describeTools, openModelStream } from "./model-request.ts";
import { runModelStep } from "./model-step.ts";
import { type RunFacts, createRunContext, loadContributions } from "./run-context.ts";
import { createToolCalls } from "./tool-calls.ts";
import { createTurnBudget } from "./turn-budget.ts";

/** How often one run may ask the model. */
export const MODEL_STEPS_PER_RUN = 16;

export interface AgentFacts extends Omit<RunFacts, "past"> {
  readonly transcript: Transcript;
  readonly clientCalls: ClientCalls;
  /** Runs the work once after that time; the result cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void;
}

/** Returns when the run has ended one way or another; never throws what a model throws. */
export async function runAgent(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
): Promise<void> {
  try {
    await takeSteps(active, request, settings, facts);
  } catch (thrown) {
    if (active.closed) return;
    const { models } = settings;
    const failure = models.classify(thrown);
    // Facts alone: a provider's own words may hold a part of the operator's key, or of what the user wrote.
    facts.log.warn("run-model-failed", {
      runId: active.run.runId,
      kind: failure.kind,
      status: failure.status,
      model: models.model(request.model).modelId,
      ...models.upstreamOf(thrown),
    });
    active.end({ status: "failed", failure });
  }
}

async function takeSteps(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
): Promise<void> {
  const { models } = settings;
  const past = facts.transcript.before(active.run.ordinal, HISTORY_TURNS, HISTORY_READ_SIZE);
  const context = createRunContext(active, request, settings, { ...facts, past: () => past });
  const { states, tools } = await loadContributions(settings.plugins, context, facts);
  const system = withoutSecrets(facts.env, systemPrompt(settings.profile, states, context));
  const budget = createTurnBudget(settings.limits, active);
  const calls = createToolCalls({ active, request, tools, budget, ...facts });
  await calls.resumeAll();
  const room = promptRoom(models.contextTokens(request.model));
  const model = models.model(request.model);
  const described = describeTools(tools);
  const retry: RetryPolicy = {
    maxRetries: models.maxRetries,
    classify: models.classify,
    pause: (milliseconds, signal) => pause(facts.after, milliseconds, signal),
    onWait: (failure, milliseconds) => active.notice(waiting(failure, milliseconds)),
  };
  let hasNoticedShortening = false;
  for (;;) {
    if (active.closed) return;
    if (isAnswered(active)) return finish(active);
    if (active.steps.length >= MODEL_STEPS_PER_RUN) {
      return active.end({ status: "failed", failure: tooManySteps(MODEL_STEPS_PER_RUN) });
    }
    const limit = budget.exhausted();
    if (limit !== undefined) return active.end({ status: "failed", failure: budgetExhausted(limit) });
    const fitted = fitConversation({ past, question: request, steps: active.steps, calls: active.calls }, room);
    if (fitted.newlyShortened && !hasNoticedShortening) {
      hasNoticedShortening = true;
      context.notice(
        "This conversation is longer than the model can read at once. Parts of it were left out.",
        "conversation_shortened",
      );
    }
    active.beginStep(estimateTokens(system.length + JSON.stringify(fitted.messages).length));
    const stream = await openModelStream(
      model,
      {
        prompt: [{ role: "system", content: system }, ...fitted.messages],
        tools: described,
        abortSignal: active.signal,
      },
      retry,
    );
    const { wanted, ...outcome } = await runModelStep({ stream, tools, say: active.say, think: active.think });
    if (active.closed) return;
    await calls.makeAll(wanted, outcome);
  }
}

/** No call in the last step: the answer is complete. A recovered run may be here already. */
function isAnswered({ steps, calls }: ActiveRun): boolean {
  return steps.length > 0 && !calls.some(({ step }) => step === steps.length - 1);
}

/** What makes the answer less than it looks is sent before the end. */
function finish(active: ActiveRun): void {
  const finishReason = active.steps.at(-1)?.finishReason ?? "other";
  const isEmpty = active.steps.every(({ text }) => text.trim() === "");
  const notice = cutAnswers[finishReason] ?? (isEmpty ? answerEmpty : undefined);
  if (notice !== undefined) active.notice(notice);
  active.end({ status: "finished", finishReason });
}

function waiting(failure: ModelFailure, milliseconds: number): ModelFailure {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const reason =
    failure.kind === "rate_limit" ? "The model is receiving too many requests." : "The model did not answer.";
  return {
    ...failure,
    message: `${reason} Trying again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    detail: "model_retry",
    retryable: true,
    retryAfterMs: milliseconds,
  };
}

/** Resolves after that time; rejects with the signal's reason as soon as it fires. */
function pause(after: AgentFacts["after"], milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = after(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
