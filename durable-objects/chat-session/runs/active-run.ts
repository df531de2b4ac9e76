/**
 * A run that has not ended: what it has said, thought and called so far, each fact stored before it is sent. Whoever
 * ends it first wins; whatever a model or a tool still delivers afterwards is dropped (contract/oracle.md sections 4, 5).
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../workers/platform/json.ts";
import type { ModelFailure } from "../model-port.ts";
import type { ClientSide, PublishToRoom } from "../plugin.ts";
import type { StepOutcome } from "../agent/model-step.ts";
import { estimateTokens } from "../agent/prompt-room.ts";
import type { Call, Run, RunEnd, RunStore, Step, TokenUsage } from "./run-store.ts";
import type { FrameData, RunFailure, RunRequest } from "../rpc.ts";
import type { FinishReason, MessageRecord, RunStatus, ToolCallRecord } from "../../../protocol/records.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { Transcript } from "./transcript.ts";

export type Ending =
  | { readonly status: "finished"; readonly finishReason: FinishReason }
  | { readonly status: "aborted" }
  | { readonly status: "failed" | "interrupted"; readonly failure: ModelFailure };

export interface ActiveRun {
  readonly run: Run;
  readonly request: RunRequest;
  /** Fires when the run was ended from outside; the model request and every tool hang on it. */
  readonly signal: AbortSignal;
  readonly closed: boolean;
  /** The finished model steps, oldest first. */
  readonly steps: readonly Step[];
  readonly calls: readonly Call[];
  say(text: string): void;
  think(text: string): void;
  /** The model is asked; `promptTokens` is an estimate, for a step whose model does not get to say what it used. */
  beginStep(promptTokens: number): void;
  /** Ends a model step: from here on its text survives a restart. */
  finishStep(outcome: Omit<StepOutcome, "wanted">): void;
  /** `runsIn`: the call is the client's to make. */
  beginCall(call: { modelCallId: string; name: string; args: JsonObject; runsIn?: ClientSide | undefined }): Call;
  endCall(call: Call, outcome: { readonly output: JsonValue } | { readonly error: string }): void;
  /** An error frame that does not end the turn. */
  notice(failure: Omit<ModelFailure, "source"> & { readonly source?: string }): void;
  requireDelegation(): void;
  end(ending: Ending): void;
  /** Cancels what is going on and stores nothing: the session is being erased. */
  drop(): void;
}

export interface ActiveRunParts {
  readonly run: Run;
  readonly request: RunRequest;
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly transcript: Transcript;
  readonly writer: FrameWriter;
  readonly transaction: (work: () => void) => void;
  readonly now: () => number;
  readonly newId: () => string;
  /** Tells the session's sockets of calls; those of actions reach their one socket on another way. */
  readonly publish: PublishToRoom;
  /** Called once, after the end is stored. */
  readonly onEnd: (ending: Ending, summary: RunSummaryForLog) => void;
}

/** What a run came to, for the log. */
export interface RunSummaryForLog extends TokenUsage {
  readonly steps: number;
  readonly durationMs: number;
}

/** How long one answer may grow, UTF-16 units: a turn's whole record has to fit a row of 2 MB, as UTF-8. */
export const ANSWER_SIZE = 256 * 1024;
/** How much of the calls' arguments and outputs one record keeps, UTF-16 units; what is beyond was shown but is not kept. */
export const KEPT_OUTPUT_SIZE = 256 * 1024;
/** How much of the model's thinking one turn shows and stores, UTF-16 units; what is beyond is dropped. */
export const THINKING_SIZE = 256 * 1024;
/** How much of the model's thinking one record, and each of its steps, keeps, UTF-16 units. */
export const KEPT_REASONING_SIZE = 64 * 1024;

const INCOMPLETE_TOOL = "Tool did not complete";
const INCOMPLETE_ACTION = "Action did not complete";

export function createActiveRun(parts: ActiveRunParts): ActiveRun {
  const { run, request, sessionId, runs, transcript, writer, now, newId } = parts;
  const controller = new AbortController();
  const steps = [...runs.steps(run.ordinal)];
  const calls = new Map(runs.calls(run.ordinal).map((call) => [call.eventId, call]));
  let current: { text: string; reasoning: string } = { text: "", reasoning: "" };
  let delegationRequired = run.delegationRequired;
  let closed = false;
  let thought = steps.reduce((size, { reasoning }) => size + reasoning.length, 0);
  /** Estimated prompt of the step that has begun and not ended. */
  let asked: number | undefined;
  let said = steps.reduce((size, { text }) => size + text.length, 0);

  const timestamp = (): string => new Date(now()).toISOString();
  const common = { sessionId, requestId: run.requestId };
  const whole = (part: "text" | "reasoning"): string => steps.map((step) => step[part]).join("") + current[part];

  function announceCall(call: Call): void {
    const args = { ...call.args, toolName: call.name };
    const outcome = {
      ...(call.output === undefined ? {} : { output: plainOutput(call.output) }),
      ...(call.error === undefined ? {} : { error: call.error }),
    };
    const shared = { ...common, toolName: call.name, args, status: call.status, ...outcome };
    if (isAction(call)) return writer.frame("action_call", { ...shared, toolCallId: call.eventId });
    writer.frame("tool_call", { ...shared, eventId: call.eventId });
    parts.publish("tool_call", { ...shared, eventId: call.eventId });
  }

  function putCall(call: Call): Call {
    // Stored first: a call that cannot be stored must not stand in the way of the run's end.
    runs.putCall(run.ordinal, call);
    calls.set(call.eventId, call);
    announceCall(call);
    return call;
  }

  function closeOpenCalls(): void {
    for (const call of calls.values()) {
      if (call.status !== "isRunning") continue;
      if (isAction(call)) putCall({ ...call, status: "error", error: INCOMPLETE_ACTION });
      else putCall({ ...call, status: "done", output: JSON.stringify(INCOMPLETE_TOOL) });
    }
  }

  /** The one ai record of the turn. A finished turn always leaves one, a failed one only with text. */
  function record(status: RunStatus): MessageRecord | undefined {
    const content = whole("text");
    const toolCalls = withinBounds([...calls.values()].map(toRecord));
    const shown = content !== "" || status === "finished" || (status !== "failed" && toolCalls.length > 0);
    if (!shown) return undefined;
    const reasoning = whole("reasoning").slice(0, KEPT_REASONING_SIZE);
    return {
      id: newId(),
      type: "ai",
      content,
      createdAt: timestamp(),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(reasoning === "" ? {} : { reasoning }),
      isReasoning: false,
      isComplete: true,
    };
  }

  function errorFrame(failure: Omit<ModelFailure, "source"> & { readonly source?: string }): void {
    const { message, ...described } = failure;
    writer.frame("error", { error: message, ...described, ...common, runId: run.runId, timestamp: timestamp() });
  }

  /** What the run has used. A step that was broken off is estimated, when the model had begun to answer. */
  function usage(): TokenUsage {
    const written = current.text.length + current.reasoning.length;
    const open =
      asked === undefined || written === 0
        ? { inputTokens: 0, outputTokens: 0 }
        : { inputTokens: asked, outputTokens: estimateTokens(written) };
    return [...steps.map((step) => step.usage), open].reduce((sum, step) => ({
      inputTokens: sum.inputTokens + step.inputTokens,
      outputTokens: sum.outputTokens + step.outputTokens,
    }));
  }

  function close(): void {
    closed = true;
    controller.abort(new DOMException("the run has ended", "AbortError"));
  }

  function end(ending: Ending): void {
    if (closed) return;
    const { status } = ending;
    const used = usage();
    parts.transaction(() => {
      writer.flush();
      closeOpenCalls();
      writer.frame("reasoning", { ...common, reasoning: "", isComplete: true, timestamp: timestamp() });
      if ("failure" in ending) errorFrame(ending.failure);
      const message = record(status);
      if (message !== undefined) transcript.addAi(run.ordinal, message);
      const partialText = status === "finished" ? undefined : whole("text");
      const facts: RunEnd = {
        status,
        endedAt: now(),
        delegationRequired,
        ...(message === undefined ? {} : { messageId: message.id }),
        ...("failure" in ending ? { failure: toRunFailure(ending.failure) } : {}),
        ...("finishReason" in ending ? { finishReason: ending.finishReason } : {}),
        usage: used,
      };
      runs.end(run.ordinal, facts);
      writer.frame("done", doneFrame(run, facts, partialText));
    });
    close();
    parts.onEnd(ending, { steps: steps.length, durationMs: now() - run.startedAt, ...used });
  }

  return {
    run,
    request,
    signal: controller.signal,
    steps,
    get closed() {
      return closed;
    },
    get calls() {
      return [...calls.values()];
    },
    say(text) {
      if (closed || text === "") return;
      // Cut, since a single delta may be larger than what a row holds.
      const fitting = text.slice(0, ANSWER_SIZE - said);
      current.text += fitting;
      writer.delta("message", fitting);
      said += text.length;
      if (said > ANSWER_SIZE) end({ status: "failed", failure: answerTooLong });
    },
    think(text) {
      if (closed || text === "") return;
      const fitting = text.slice(0, Math.max(0, THINKING_SIZE - thought));
      thought += text.length;
      if (fitting === "") return;
      current.reasoning += fitting.slice(0, KEPT_REASONING_SIZE - current.reasoning.length);
      writer.delta("reasoning", fitting);
    },
    beginStep(promptTokens) {
      asked = promptTokens;
    },
    finishStep({ finishReason, usage: told }) {
      if (closed) return;
      const step: Step = {
        ...current,
        finishReason,
        usage: {
          inputTokens: told.inputTokens ?? asked ?? 0,
          outputTokens: told.outputTokens ?? estimateTokens(current.text.length + current.reasoning.length),
        },
      };
      parts.transaction(() => {
        writer.flush();
        runs.addStep(run.ordinal, steps.length, step, now());
      });
      steps.push(step);
      asked = undefined;
      current = { text: "", reasoning: "" };
    },
    beginCall({ modelCallId, name, args, runsIn }) {
      const step = steps.length - 1;
      const position = [...calls.values()].filter((call) => call.step === step).length;
      const eventId = `${runsIn === undefined ? "tc" : idPrefixes[runsIn]}_${newId()}`;
      const call: Call = { eventId, step, position, modelCallId, name, args, status: "isRunning" };
      return closed ? call : putCall(call);
    },
    endCall(call, outcome) {
      if (closed) return;
      const error = "error" in outcome ? outcome.error : isAction(call) ? actionError(outcome.output) : undefined;
      if (error !== undefined) putCall({ ...call, status: "error", error });
      else if ("output" in outcome) putCall({ ...call, status: "done", output: JSON.stringify(outcome.output) });
    },
    notice(failure) {
      if (!closed) errorFrame(failure);
    },
    requireDelegation() {
      if (closed || delegationRequired) return;
      delegationRequired = true;
      runs.requireDelegation(run.ordinal);
    },
    end,
    drop() {
      writer.discard();
      close();
    },
  };
}

const idPrefixes: Readonly<Record<ClientSide, string>> = { browser: "bt", action: "ag" };

function isAction({ eventId }: Pick<Call, "eventId">): boolean {
  return eventId.startsWith(`${idPrefixes.action}_`);
}

const flags: Partial<Record<RunStatus, FrameData>> = {
  aborted: { aborted: true },
  interrupted: { interrupted: true },
  failed: { failed: true },
};

function toRunFailure({ kind, message, retryAfterMs }: ModelFailure): RunFailure {
  return { kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function doneFrame(run: Run, end: RunEnd, partialText: string | undefined): FrameData {
  return {
    runId: run.runId,
    requestId: run.requestId,
    status: end.status,
    finishReason: end.finishReason,
    messageId: end.messageId,
    ...flags[end.status],
    partialText,
    ...(end.delegationRequired ? { delegationRequired: true } : {}),
  };
}

/** An action tells its failure inside its result (section 4.3). */
function actionError(result: JsonValue): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const { success, error } = result;
  if (success !== false && !error) return undefined;
  return typeof error === "string" && error !== "" ? error : "Action failed";
}

/** Calls are kept in order while they fit; the first that does not and all after it leave a note in their place. */
function withinBounds(records: readonly ToolCallRecord[]): readonly ToolCallRecord[] {
  let room = KEPT_OUTPUT_SIZE;
  return records.map((record) => {
    room -= (record.output ?? "").length + JSON.stringify(record.args).length;
    return room < 0 ? { ...record, args: {}, output: JSON.stringify("The output was too large to be kept") } : record;
  });
}

const answerTooLong: ModelFailure = {
  kind: "unknown",
  message: "The answer grew too long and was stopped. Please ask for less at once.",
  retryable: false,
  source: "platform",
};

/** On the wire `output` is a string: a text as it is, anything else as its JSON text. */
function plainOutput(json: string): string {
  const value = JSON.parse(json) as JsonValue;
  return typeof value === "string" ? value : json;
}

function toRecord(call: Call): ToolCallRecord {
  return {
    id: call.eventId,
    name: call.name,
    args: call.args,
    status: call.status === "error" ? "error" : "done",
    ...(call.output === undefined ? {} : { output: call.output }),
    ...(call.error === undefined ? {} : { error: call.error }),
  };
}
