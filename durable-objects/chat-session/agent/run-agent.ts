/**
 * One turn of the agent: loads what plugins know, then model step after model step with the tool calls between them,
 * until the model has nothing more to call. It goes on from the steps that a run already has, so that a recovered run
 * and a fresh one are the same thing. It knows no storage: everything it says goes through the ActiveRun.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import { fitConversation, type Past } from "./conversation.ts";
import type { ModelFailure, ModelProvider } from "../model-port.ts";
import { runModelStep, type WantedCall } from "./model-step.ts";
import type { ClientCall, Outcome } from "../sockets/client-call-records.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import { estimateTokens, promptRoom } from "./prompt-room.ts";
import { retrying, type RetryParts } from "./retried-model.ts";
import type { AgentState, AgentTool, RequestTool, RunContext } from "../plugin.ts";
import { systemPrompt, type OracleProfile } from "./prompt.ts";
import type { FinishReason } from "../../../protocol/records.ts";

/** How many times one turn may ask the model. */
export const MODEL_STEPS_PER_TURN = 16;
/** How large a tool's result may be, UTF-16 units of its JSON text: the turn's record is one row, of 2 MB at most. */
export const TOOL_OUTPUT_SIZE = 256 * 1024;

export interface RunAgent {
  readonly models: ModelProvider;
  readonly profile: OracleProfile;
  readonly context: RunContext;
  /** What plugins know of the user, loaded before the agent is built. */
  readonly loadStates: () => Promise<readonly AgentState[]>;
  readonly tools: readonly AgentTool[];
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make" | "resume">;
  readonly past: Past;
  readonly pause: RetryParts["pause"];
  readonly log: Logger;
}

/** Runs until the run has ended one way or another; never throws. */
export async function runAgent(active: ActiveRun, parts: RunAgent): Promise<void> {
  try {
    await takeSteps(active, parts);
  } catch (thrown) {
    if (active.closed) return;
    const failure = parts.models.classify(thrown);
    // Facts alone: a provider's own words may hold a part of the operator's key, or of what the user wrote.
    parts.log.warn("turn-failed", {
      runId: active.run.runId,
      kind: failure.kind,
      status: failure.status,
      model: parts.models.model(active.request.model).modelId,
      ...parts.models.upstreamOf(thrown),
    });
    active.end({ status: "failed", failure });
  }
}

async function takeSteps(active: ActiveRun, parts: RunAgent): Promise<void> {
  const { request } = active;
  const { models } = parts;
  const { message, attachments } = request;
  const system = systemPrompt(parts.profile, await parts.loadStates(), parts.context);
  await resumeCalls(active, parts);
  const room = promptRoom(models.contextTokens(request.model));
  const model = retrying(models.model(request.model), {
    maxRetries: models.maxRetries,
    classify: models.classify,
    pause: parts.pause,
    onWait: (failure, milliseconds) => active.notice(waiting(failure, milliseconds)),
  });
  let told = false;
  for (;;) {
    if (active.closed) return;
    if (isAnswered(active)) return finish(active);
    if (active.steps.length >= MODEL_STEPS_PER_TURN) return active.end({ status: "failed", failure: tooManySteps });
    const question = { message, attachments };
    const fitted = fitConversation({ past: parts.past, question, steps: active.steps, calls: active.calls }, room);
    if (fitted.newlyShortened && !told) {
      told = true;
      parts.context.notice(
        "This conversation is longer than the model can read at once. Parts of it were left out.",
        "conversation_shortened",
      );
    }
    active.beginStep(estimateTokens(system.length + JSON.stringify(fitted.messages).length));
    const { wanted, ...outcome } = await runModelStep({
      model,
      system,
      messages: fitted.messages,
      tools: parts.tools,
      signal: active.signal,
      say: active.say,
      think: active.think,
    });
    if (active.closed) return;
    active.finishStep(outcome);
    await makeCalls(active, wanted, parts);
  }
}

/** The last step called nothing. What makes the answer less than it looks is said before the end. */
function finish(active: ActiveRun): void {
  const finishReason = active.steps.at(-1)?.finishReason ?? "other";
  const isEmpty = active.steps.every(({ text }) => text.trim() === "");
  const notice = cutAnswers[finishReason] ?? (isEmpty ? emptyAnswer : undefined);
  if (notice !== undefined) active.notice({ kind: "unknown", source: "provider", retryable: false, ...notice });
  active.end({ status: "finished", finishReason });
}

const cutAnswers: Partial<Record<FinishReason, { message: string; detail: string }>> = {
  length: {
    message: "The answer was cut off: the model reached its length limit. Ask it to continue.",
    detail: "answer_cut_off",
  },
  content_filter: {
    message: "The model's provider withheld the rest of this answer. Ask in other words.",
    detail: "answer_filtered",
  },
};

const emptyAnswer = { message: "The model gave an empty answer. Please ask again.", detail: "answer_empty" };

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

/** What the client still answers, or answered while nobody was there to hear it; any other open call stays unknown. */
async function resumeCalls(active: ActiveRun, { clientCalls }: RunAgent): Promise<void> {
  const open = active.calls.filter(({ status }) => status === "isRunning");
  await Promise.all(
    open.map(async (call) => {
      const outcome = await unlessEnded(active, clientCalls.resume(call.eventId));
      if (outcome !== undefined) active.endCall(call, outcome);
    }),
  );
}

/** The last step called nothing; a recovered run may have been kept from saying that it is done. */
function isAnswered({ steps, calls }: ActiveRun): boolean {
  return steps.length > 0 && !calls.some(({ step }) => step === steps.length - 1);
}

/** All calls of a step begin in order and run side by side; each failure is the model's to read, not the turn's end. */
async function makeCalls(active: ActiveRun, wanted: readonly WantedCall[], parts: RunAgent): Promise<void> {
  const begun = wanted.map((call) => {
    const found = parts.tools.find(({ name }) => name === call.name);
    const runsIn = found !== undefined && "runsIn" in found ? found.runsIn : undefined;
    return { call, found, record: active.beginCall({ ...call, runsIn }) };
  });
  await Promise.all(
    begun.map(async ({ call, found, record }) =>
      active.endCall(record, await makeCall(active, call, found, record.eventId, parts)),
    ),
  );
}

async function makeCall(
  active: ActiveRun,
  call: WantedCall,
  found: AgentTool | undefined,
  toolCallId: string,
  parts: RunAgent,
): Promise<Outcome> {
  const { log } = parts;
  if (call.problem !== undefined) return { error: `${call.problem}: ${call.name}` };
  if (found === undefined) return { error: `There is no such tool: ${call.name}` };
  if ("runsIn" in found) return askClient(active, call, found, toolCallId, parts);
  try {
    const output = await found.execute(call.input, { toolCallId, signal: active.signal });
    if (JSON.stringify(output).length > TOOL_OUTPUT_SIZE) return { error: `The result of ${call.name} is too large` };
    return { output };
  } catch (thrown) {
    log.warn("tool-failed", { tool: call.name, reason: describeThrown(thrown) });
    return { error: `${call.name} failed` };
  }
}

async function askClient(
  active: ActiveRun,
  { name, args }: WantedCall,
  { runsIn }: RequestTool,
  toolCallId: string,
  { clientCalls, context }: RunAgent,
): Promise<Outcome> {
  const { metadata, requestId } = active.request;
  const { socketId } = metadata;
  const tab = typeof socketId === "string" ? { socketId } : {};
  const sessionId = context.session.id;
  const call: ClientCall = { toolCallId, kind: runsIn, sessionId, name, args, requestId, ...tab };
  return (await unlessEnded(active, clientCalls.make(active.run.ordinal, call))) ?? { error: "The turn has ended" };
}

/** What the wait comes to; nothing when the run ends before, or there is none. */
async function unlessEnded(active: ActiveRun, wait: Promise<Outcome> | undefined): Promise<Outcome | undefined> {
  if (wait === undefined || active.closed) return undefined;
  const ended = Promise.withResolvers<undefined>();
  const giveUp = (): void => ended.resolve(undefined);
  active.signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([wait, ended.promise]);
  } finally {
    active.signal.removeEventListener("abort", giveUp);
  }
}

const tooManySteps: ModelFailure = {
  kind: "unknown",
  message: `The answer took more than ${MODEL_STEPS_PER_TURN} steps. Please ask for less at once.`,
  retryable: false,
  source: "platform",
};
