/**
 * A run that has not ended: its text, thinking and calls so far, each fact stored before it is sent. The first
 * caller of `end` wins; what a model or a tool still delivers afterwards is dropped.
 */
import type { RunEvent } from "../../../protocol/frames.ts";
import type { EndedRunStatus, FinishReason } from "../../../protocol/records.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../../workers/platform/json.ts";
import type { ModelFailure } from "../model-port.ts";
import type { PublishToRoom } from "../../../protocol/socket-events.ts";
import type { ClientSide } from "../../../workers/oracle/framework/tools.ts";
import { answerTooLong } from "./failures.ts";
import type { FrameWriter } from "./frames.ts";
import type { Run, RunEnd, RunStore } from "./run-store.ts";
import { estimateTokens, type Call, type Step, type StepStore, type TokenUsage } from "./step-store.ts";
import { aiRecord, KEPT_REASONING_SIZE, type Answer, type Transcript } from "./transcript.ts";

export type Ending =
  | { readonly status: "finished"; readonly finishReason: FinishReason }
  | { readonly status: "aborted" }
  | { readonly status: "failed" | "interrupted"; readonly failure: ModelFailure };

export type ActiveRun = ReturnType<typeof createActiveRun>;

interface StepResult {
  readonly finishReason: FinishReason;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

interface CallStart {
  readonly modelCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  /** Set when the client makes the call. */
  readonly runsIn?: ClientSide | undefined;
  /** The sub-agent that wants the call. */
  readonly agent?: string | undefined;
  /** Clients are not shown it. */
  readonly isHidden?: true | undefined;
}

export interface ActiveRunOptions {
  readonly run: Run;
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly transcript: Transcript;
  readonly writer: FrameWriter;
  readonly transaction: (work: () => void) => void;
  readonly now: () => number;
  readonly newId: () => string;
  readonly publish: PublishToRoom;
  /** Called once, after the end is stored. */
  readonly onEnd: (ending: Ending, summary: RunSummary) => void;
}

/** What a run used and how long it took, for the log. */
export interface RunSummary extends TokenUsage {
  readonly steps: number;
  readonly durationMs: number;
}

/** How long one answer may grow, UTF-16 units: the run's whole record has to fit a row of 2 MB, as UTF-8. */
export const ANSWER_SIZE = 256 * 1024;
/** How much of the model's thinking one run shows and stores, UTF-16 units; the rest is dropped. */
export const THINKING_SIZE = 256 * 1024;

const INCOMPLETE_TOOL = "Tool did not complete";
const INCOMPLETE_ACTION = "Action did not complete";

export function createActiveRun(options: ActiveRunOptions) {
  const { run, sessionId, runs, steps: stored, transcript, writer, now, newId } = options;
  const controller = new AbortController();
  const steps = [...stored.steps(run.ordinal)];
  const calls = new Map(stored.calls(run.ordinal).map((call) => [call.eventId, call]));
  let current = { text: "", reasoning: "" };
  let delegationRequired = run.delegationRequired;
  let closed = false;
  let said = steps.reduce((size, { text }) => size + text.length, 0);
  let thought = steps.reduce((size, { reasoning }) => size + reasoning.length, 0);
  /** Estimated prompt of the step that has begun and not ended. */
  let asked: number | undefined;
  /** What models used beside the steps of the main agent. */
  let extra = run.usage;

  const timestamp = (): string => new Date(now()).toISOString();
  const common = { sessionId, requestId: run.requestId };
  const whole = (part: "text" | "reasoning"): string => steps.map((step) => step[part]).join("") + current[part];

  /** Calls of tools also reach every socket of the session; one of an action reaches its socket another way. */
  function emit(event: RunEvent): void {
    writer.emit(event);
    if (event.event === "tool_call") options.publish("tool_call", event.data);
  }

  const newCallId = (runsIn?: ClientSide): string => `${runsIn === undefined ? "tc" : idPrefixes[runsIn]}_${newId()}`;

  function putCall(call: Call): Call {
    // Stored first: a call that cannot be stored must not keep the run from ending.
    stored.putCall(run.ordinal, call);
    calls.set(call.eventId, call);
    if (call.isHidden === true) return call;
    const { eventId, name: toolName, status, output, error, agent } = call;
    const data = {
      ...common,
      toolName,
      args: { ...call.args, toolName },
      status,
      ...(output === undefined ? {} : { output: plainOutput(output) }),
      ...(error === undefined ? {} : { error }),
      ...(agent === undefined ? {} : { agent }),
    };
    if (isAction(call)) emit({ event: "action_call", data: { ...data, toolCallId: eventId } });
    else emit({ event: "tool_call", data: { ...data, eventId } });
    return call;
  }

  function closeOpenCalls(): void {
    for (const call of calls.values()) {
      if (call.status !== "isRunning") continue;
      if (isAction(call)) putCall({ ...call, status: "error", error: INCOMPLETE_ACTION });
      else putCall({ ...call, status: "done", output: JSON.stringify(INCOMPLETE_TOOL) });
    }
  }

  /** The answer that the transcript keeps. A finished run always leaves one, a failed one only with text. */
  function answer(status: EndedRunStatus): Answer | undefined {
    const content = whole("text");
    const isShown = content !== "" || status === "finished" || (status !== "failed" && calls.size > 0);
    const shownCalls = [...calls.values()].filter((call) => call.isHidden !== true);
    return isShown ? { content, reasoning: whole("reasoning"), calls: shownCalls } : undefined;
  }

  function emitError({ message, ...described }: ModelFailure): void {
    const data = { error: message, ...described, ...common, runId: run.runId, timestamp: timestamp() };
    emit({ event: "error", data });
  }

  /** What the run has used. A step that was broken off is estimated, when the model had begun to answer. */
  function usage(): TokenUsage {
    const written = current.text.length + current.reasoning.length;
    const open =
      asked === undefined || written === 0
        ? { inputTokens: 0, outputTokens: 0 }
        : { inputTokens: asked, outputTokens: estimateTokens(written) };
    return [extra, ...steps.map((step) => step.usage), open].reduce((sum, step) => ({
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
    options.transaction(() => {
      writer.flush();
      closeOpenCalls();
      emit({ event: "reasoning", data: { ...common, reasoning: "", isComplete: true, timestamp: timestamp() } });
      if ("failure" in ending) emitError(ending.failure);
      const kept = answer(status);
      const messageId = kept === undefined ? undefined : newId();
      if (kept !== undefined && messageId !== undefined) {
        transcript.addAi(run.ordinal, aiRecord({ id: messageId, createdAt: timestamp() }, kept));
      }
      const partialText = status === "finished" ? undefined : whole("text");
      const facts: RunEnd = {
        status,
        endedAt: now(),
        delegationRequired,
        ...(messageId === undefined ? {} : { messageId }),
        ...("failure" in ending ? { failure: ending.failure } : {}),
        ...("finishReason" in ending ? { finishReason: ending.finishReason } : {}),
        usage: used,
      };
      runs.end(run.ordinal, facts);
      stored.clear(run.ordinal);
      emit({ event: "done", data: doneData(run, facts, partialText) });
    });
    close();
    options.onEnd(ending, { steps: steps.length, durationMs: now() - run.startedAt, ...used });
  }

  return {
    run,
    /** Fires when the run has ended; the model's request and every tool depend on it. */
    signal: controller.signal,
    /** The finished model steps, oldest first. */
    steps: steps as readonly Step[],
    get closed(): boolean {
      return closed;
    },
    get calls(): readonly Call[] {
      return [...calls.values()];
    },
    say(text: string): void {
      if (closed || text === "") return;
      // Cut, since a single delta may be larger than what a row holds.
      const fitting = text.slice(0, ANSWER_SIZE - said);
      current.text += fitting;
      writer.delta("message", fitting);
      said += text.length;
      if (said > ANSWER_SIZE) end({ status: "failed", failure: answerTooLong });
    },
    think(text: string): void {
      if (closed || text === "") return;
      const fitting = text.slice(0, Math.max(0, THINKING_SIZE - thought));
      thought += text.length;
      if (fitting === "") return;
      current.reasoning += fitting.slice(0, KEPT_REASONING_SIZE - current.reasoning.length);
      writer.delta("reasoning", fitting);
    },
    /** The model is asked; `promptTokens` is an estimate, for a step whose model does not report what it used. */
    beginStep(promptTokens: number): void {
      asked = promptTokens;
    },
    /** Ends a model step: from here on its text survives a restart. */
    finishStep({ finishReason, usage: reported }: StepResult): void {
      if (closed) return;
      const step: Step = {
        ...current,
        finishReason,
        usage: {
          inputTokens: reported.inputTokens ?? asked ?? 0,
          outputTokens: reported.outputTokens ?? estimateTokens(current.text.length + current.reasoning.length),
        },
      };
      options.transaction(() => {
        writer.flush();
        stored.addStep(run.ordinal, steps.length, step);
        runs.touch(run.ordinal, now());
      });
      steps.push(step);
      asked = undefined;
      current = { text: "", reasoning: "" };
    },
    beginCall({ modelCallId, name, args, runsIn, agent, isHidden }: CallStart): Call {
      const step = steps.length - 1;
      const position = [...calls.values()].filter((call) => call.step === step).length;
      const eventId = newCallId(runsIn);
      const maker = { ...(agent === undefined ? {} : { agent }), ...(isHidden === true ? { isHidden } : {}) };
      const call: Call = { eventId, step, position, modelCallId, name, args, status: "isRunning", ...maker };
      return closed ? call : putCall(call);
    },
    endCall(call: Call, outcome: { readonly output: JsonValue } | { readonly error: string }): void {
      if (closed) return;
      if ("error" in outcome) putCall({ ...call, status: "error", error: outcome.error });
      else putCall({ ...call, status: "done", output: JSON.stringify(outcome.output) });
    },
    /** Counts what a model used outside the main agent's steps. */
    addUsage(used: TokenUsage): void {
      if (closed) return;
      extra = {
        inputTokens: extra.inputTokens + used.inputTokens,
        outputTokens: extra.outputTokens + used.outputTokens,
      };
      runs.setUsage(run.ordinal, extra);
    },
    /** Another agent takes over. */
    route(step: string): void {
      if (closed) return;
      emit({ event: "router.update", data: { step, ...common, runId: run.runId } });
      options.publish("router_update", { step, ...common });
    },
    /** An error frame that does not end the run. */
    notice(failure: ModelFailure): void {
      if (!closed) emitError(failure);
    },
    /** The id of a call that the run keeps no record of, as a plugin makes it. */
    newCallId,
    requireDelegation(): void {
      if (closed || delegationRequired) return;
      delegationRequired = true;
      runs.requireDelegation(run.ordinal);
    },
    end,
    /** Cancels what is going on and stores nothing: the session is being erased. */
    drop(): void {
      writer.discard();
      close();
    },
  };
}

const idPrefixes: Readonly<Record<ClientSide, string>> = { browser: "bt", action: "ag" };

function isAction({ eventId }: Pick<Call, "eventId">): boolean {
  return eventId.startsWith(`${idPrefixes.action}_`);
}

/** On the wire `output` is a string: a text as it is, any other value as its JSON text. */
function plainOutput(json: string): string {
  const parsed = parseJson(json);
  return parsed.ok && typeof parsed.value === "string" ? parsed.value : json;
}

function doneData(run: Run, end: RunEnd, partialText: string | undefined) {
  const { runId, requestId } = run;
  const { status, finishReason, messageId } = end;
  return {
    runId,
    requestId,
    status,
    finishReason,
    messageId,
    ...(status === "aborted" ? { aborted: true as const } : {}),
    ...(status === "interrupted" ? { interrupted: true as const } : {}),
    ...(status === "failed" ? { failed: true as const } : {}),
    partialText,
    ...(end.delegationRequired ? { delegationRequired: true as const } : {}),
  };
}
