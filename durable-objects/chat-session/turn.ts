/**
 * One turn of the agent: loads what plugins know, then model step after model step with the tool calls between them,
 * until the model has nothing more to call. It goes on from the steps that a run already has, so that a recovered run
 * and a fresh one are the same thing. It knows no storage: everything it says goes through the ActiveRun.
 */
import { describeThrown, type Logger } from "../../workers/platform/log.ts";
import type { ActiveRun } from "./active-run.ts";
import { pastMessages, questionMessage, stepMessages } from "./conversation.ts";
import type { ModelFailure, ModelProvider } from "./model-port.ts";
import { runModelStep, type WantedCall } from "./model-step.ts";
import type { ClientCall, Outcome } from "./client-call-records.ts";
import type { ClientCalls } from "./client-calls.ts";
import type { AgentState, AgentTool, RequestTool, TurnContext } from "./plugin-api.ts";
import { systemPrompt, type OracleProfile } from "./prompt.ts";
import type { MessageRecord } from "./rpc.ts";

/** How many times one turn may ask the model. */
export const MODEL_STEPS_PER_TURN = 16;
/** How large a tool's result may be, UTF-16 units of its JSON text: the turn's record is one row, of 2 MB at most. */
export const TOOL_OUTPUT_SIZE = 256 * 1024;

export interface TurnParts {
  readonly models: ModelProvider;
  readonly profile: OracleProfile;
  readonly context: TurnContext;
  /** What plugins know of the user, loaded before the agent is built. */
  readonly loadStates: () => Promise<readonly AgentState[]>;
  readonly tools: readonly AgentTool[];
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make" | "resume">;
  readonly past: readonly MessageRecord[];
  readonly log: Logger;
}

/** Runs until the run has ended one way or another; never throws. */
export async function runTurn(active: ActiveRun, parts: TurnParts): Promise<void> {
  try {
    await takeSteps(active, parts);
  } catch (thrown) {
    if (active.closed) return;
    const failure = parts.models.classify(thrown);
    // Only the classified failure: a provider's own words may hold a part of the operator's key.
    parts.log.warn("turn-failed", { kind: failure.kind, status: failure.status });
    active.end({ status: "failed", failure });
  }
}

async function takeSteps(active: ActiveRun, parts: TurnParts): Promise<void> {
  const { request } = active;
  const system = systemPrompt(parts.profile, await parts.loadStates(), parts.context);
  await resumeCalls(active, parts);
  const opening = [...pastMessages(parts.past), questionMessage(request.message, request.attachments)];
  for (;;) {
    if (active.closed) return;
    if (isAnswered(active)) return active.end({ status: "finished" });
    if (active.steps.length >= MODEL_STEPS_PER_TURN) return active.end({ status: "failed", failure: tooManySteps });
    const wanted = await runModelStep({
      model: parts.models.model(request.model),
      maxRetries: parts.models.maxRetries,
      system,
      messages: [...opening, ...stepMessages(active.steps, active.calls)],
      tools: parts.tools,
      signal: active.signal,
      say: active.say,
      think: active.think,
    });
    if (active.closed) return;
    active.finishStep();
    await makeCalls(active, wanted, parts);
  }
}

/** What the client still answers, or answered while nobody was there to hear it; any other open call stays unknown. */
async function resumeCalls(active: ActiveRun, { clientCalls }: TurnParts): Promise<void> {
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
async function makeCalls(active: ActiveRun, wanted: readonly WantedCall[], parts: TurnParts): Promise<void> {
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
  parts: TurnParts,
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
  { clientCalls, context }: TurnParts,
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
