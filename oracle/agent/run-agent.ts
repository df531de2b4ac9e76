/**
 * The agent of one run: loads what the plugins contribute, then takes its steps, and ends the run. It begins from the
 * steps that the run has already finished, so that a recovered run and a new one are the same thing. It knows no storage:
 * everything it says goes through the ActiveRun.
 */
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { ModelFailure } from "../models/model-port.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { answerEmpty, answerTooLong, budgetExhausted, cutAnswers, gateFailed, tooManySteps } from "../runs/failures.ts";
import type { OracleSettings } from "../settings.ts";
import { AnswerTooLong, isAnswered, stateOf, takeSteps, type Stop, type RunScope } from "./agent-loop.ts";
import { GateMissing } from "./contributions.ts";
import { EndedByHook } from "./hooks.ts";
import { ModelError } from "./model-step.ts";
import type { RetryPolicy } from "./model-request.ts";
import { openRun, type OpenRun, type AgentFacts } from "./open-run.ts";
import { pause } from "../../platform/pause.ts";

/** Returns when the run has ended one way or another. What it throws is no model's failure but a mistake of ours. */
export async function runAgent(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: AgentFacts,
): Promise<void> {
  try {
    await runSteps(
      active,
      await openRun(active, request, settings, facts, retryPolicy(active, settings, facts)),
      facts.env,
    );
  } catch (thrown) {
    if (active.closed) return;
    if (thrown instanceof AnswerTooLong) return active.end({ status: "failed", failure: answerTooLong });
    if (thrown instanceof GateMissing) return active.end({ status: "failed", failure: gateFailed(thrown.plugin) });
    if (!(thrown instanceof ModelError)) throw thrown;
    const { models } = settings;
    const failure = models.classify(thrown.cause);
    // Facts alone: a provider's own words may hold a part of the operator's key, or of what the user wrote.
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

/** The run in its order: beforeAgent, the steps, afterAgent, the end. */
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
  // Of a recovered run it may have been said.
  if (verdict !== undefined && "message" in verdict && !isAnswered(agent)) {
    const message = withoutSecrets(env, verdict.message);
    // A step of its own, in a paragraph of its own.
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

/** A hook may end the turn anywhere; how it did is the verdict of the hooks. */
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

/** What makes the answer less than it looks is sent before the end. */
function finish(active: ActiveRun): void {
  const finishReason = active.steps.at(-1)?.finishReason ?? "other";
  const isEmpty = active.steps.every(({ text }) => text.trim() === "");
  const notice = cutAnswers[finishReason] ?? (isEmpty ? answerEmpty : undefined);
  if (notice !== undefined) active.notice(notice);
  active.end({ status: "finished", finishReason });
}

function retryPolicy(active: ActiveRun, { models }: OracleSettings, { after }: AgentFacts): RetryPolicy {
  return {
    maxRetries: models.maxRetries,
    classify: models.classify,
    pause: (milliseconds, signal) => pause(milliseconds, signal, after),
    onWait: (failure, milliseconds) => active.notice(waiting(failure, milliseconds)),
  };
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
