/**
 * A run that has not ended: its text, thinking and calls so far, each stored before it is sent. The first caller of `end` wins;
 * later output of a model or a tool is dropped.
 */
import type { RunEvent } from "../../protocol/frames.ts";
import type { EndedRunStatus, FinishReason } from "../../protocol/records.ts";
import type { ModelFailure } from "../models/model-port.ts";
import type { Verdict } from "../run-request.ts";
import type { PublishToRoom } from "../../protocol/socket-events.ts";
import type { ApprovalRequest, Approvals } from "./approvals.ts";
import type { UserQuestion } from "./questions.ts";
import { APPROVE_TOOL } from "../../protocol/socket-events.ts";
import type { EndedTurn } from "../framework/ended-turn.ts";
import type { ToolCallResult } from "../framework/middleware.ts";
import { createCallLedger, INCOMPLETE_ACTION, type AgentStep, type CallStart } from "./call-ledger.ts";
import { answerTooLong, runErrorCodeOf } from "./failures.ts";
import { doneData, type FrameStore, type FrameWriter } from "./frames.ts";
import type { Run, RunEnd, RunStore } from "./run-store.ts";
import { createRunUsage } from "./run-usage.ts";
import type { Call, Step, StepStore, TokenUsage } from "./step-store.ts";
import { aiRecord, KEPT_REASONING_SIZE, type RunAnswer, type Transcript } from "./transcript.ts";

export type Ending =
  | { readonly status: "finished"; readonly finishReason: FinishReason }
  | { readonly status: "aborted" }
  | { readonly status: "failed" | "interrupted"; readonly failure: ModelFailure };

export type ActiveRun = ReturnType<typeof createActiveRun>;

export interface StepResult {
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

type ApprovalOutcome =
  | { readonly status: "isRunning" }
  | { readonly status: "done"; readonly output: string }
  | { readonly status: "error"; readonly error: string };

export interface ActiveRunOptions {
  readonly run: Run;
  /** No step or call of the run is stored. */
  readonly isNew: boolean;
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly frames: Pick<FrameStore, "notices">;
  readonly transcript: Transcript;
  readonly writer: FrameWriter;
  readonly transaction: <Value>(work: () => Value) => Value;
  readonly now: () => number;
  readonly newId: () => string;
  readonly publish: PublishToRoom;
  readonly approvals: Pick<Approvals, "voidOpen">;
  /** When the run's time limit is reached, Unix milliseconds. */
  readonly endsAt: () => number;
  /** Called within the end's transaction if the run has reporters: stores their reports. */
  readonly report: (ended: EndedTurn, plugins: readonly string[]) => void;
  /** Called once, after the end is stored. */
  readonly onEnd: (ending: Ending, summary: RunSummary, end: EndedRun) => void;
}

/** The end as it is stored, and the text for the transcript. */
export interface EndedRun extends RunEnd {
  readonly content: string;
}

/** The run's usage and duration, for the log. */
export interface RunSummary extends Omit<TokenUsage, "models"> {
  readonly steps: number;
  readonly durationMs: number;
}

/** Maximum size of one answer, UTF-16 units: the run's whole record must fit a row of 2 MB, as UTF-8. */
export const ANSWER_SIZE = 256 * 1024;
/** How much of the model's thinking one run shows and stores, UTF-16 units; the rest is dropped. */
export const THINKING_SIZE = 256 * 1024;
/** How many notices of plugins one run sends, and their maximum length in UTF-16 units: each is a stored frame. */
export const NOTICES_PER_RUN = 20;
export const NOTICE_SIZE = 500;
/** Created once, since each creation records a stack. */
const RUN_ENDED = new DOMException("the run has ended", "AbortError");

export function createActiveRun(options: ActiveRunOptions) {
  const { run, isNew, sessionId, runs, steps: stored, transcript, writer, now, newId } = options;
  const controller = new AbortController();
  const steps = isNew ? [] : [...stored.steps(run.ordinal)];
  let current = { text: "", reasoning: "" };
  let delegationRequired = run.delegationRequired;
  let closed = false;
  let said = steps.reduce((size, { text }) => size + text.length, 0);
  let thought = steps.reduce((size, { reasoning }) => size + reasoning.length, 0);
  const usage = createRunUsage({
    steps,
    stored: run.usage,
    store: (tokens) => {
      // The end stores all usage.
      if (!closed) runs.setUsage(run.ordinal, tokens);
    },
    now,
  });

  const timestamp = (): string => new Date(now()).toISOString();
  const common = { sessionId, requestId: run.requestId };
  const whole = (part: "text" | "reasoning"): string => steps.map((step) => step[part]).join("") + current[part];

  /**
   * Writes a frame. Tool calls are also sent to every socket of the session; `clientCalls` sends an action's call to its socket.
   */
  function emit(event: RunEvent): void {
    writer.emit(event);
    if (event.event === "tool_call") options.publish("tool_call", event.data);
  }

  const ledger = createCallLedger({ run, isNew, sessionId, store: stored, newId, emit });

  /** Clients see an approval as an action with the tool's name among its arguments. */
  function showApproval({ id: toolCallId, toolName, args }: ApprovalRequest, outcome: ApprovalOutcome): void {
    const asked = { toolName, args };
    emit({ event: "action_call", data: { ...common, toolName: APPROVE_TOOL, args: asked, ...outcome, toolCallId } });
  }

  /** Unanswered questions of plugins. */
  const questions = new Map<string, UserQuestion>();

  function showQuestion(question: UserQuestion, outcome: ApprovalOutcome): void {
    const { id, toolName, args } = question;
    if (outcome.status === "isRunning") questions.set(id, question);
    else questions.delete(id);
    emit({ event: "action_call", data: { ...common, toolName, args, ...outcome, toolCallId: id } });
  }

  /** The answer for the transcript. A finished run always leaves one, a failed run only if it has text. */
  function answer(status: EndedRunStatus): RunAnswer | undefined {
    const content = whole("text");
    const calls = ledger.calls().filter(({ isHidden }) => isHidden !== true);
    const isShown = content !== "" || status === "finished" || (status !== "failed" && calls.length > 0);
    return isShown ? { content, reasoning: whole("reasoning"), calls } : undefined;
  }

  function emitError({ message, ...described }: ModelFailure): void {
    const code = runErrorCodeOf({ message, ...described });
    const data = { error: message, ...described, code, ...common, runId: run.runId, timestamp: timestamp() };
    emit({ event: "error", data });
  }

  function close(): void {
    closed = true;
    controller.abort(RUN_ENDED);
  }

  function report(status: EndedRunStatus, endedAt: number, answered: string, failure?: string): void {
    if (run.reporters.length === 0) return;
    const { runId, client, request, payer } = run;
    const ended: EndedTurn = {
      runId,
      sessionId,
      client,
      status,
      endedAt: new Date(endedAt).toISOString(),
      usage: usage.used().models ?? [],
      answer: answered,
      ...(failure === undefined ? {} : { failure }),
      metadata: request?.metadata ?? {},
      ...(payer === null ? {} : { payer }),
    };
    options.report(ended, run.reporters);
  }

  function end(ending: Ending): void {
    if (closed) return;
    const { status } = ending;
    const used = usage.used();
    const ended = options.transaction((): EndedRun => {
      writer.flush();
      ledger.closeOpen();
      for (const asked of options.approvals.voidOpen(run.ordinal))
        showApproval(asked, { status: "error", error: INCOMPLETE_ACTION });
      for (const asked of questions.values()) showQuestion(asked, { status: "error", error: INCOMPLETE_ACTION });
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
        ...("failure" in ending ? { failure: { ...ending.failure, code: runErrorCodeOf(ending.failure) } } : {}),
        ...("finishReason" in ending ? { finishReason: ending.finishReason } : {}),
        usage: used,
      };
      runs.end(run.ordinal, facts);
      report(status, facts.endedAt, kept?.content ?? "", facts.failure?.message);
      stored.clear(run.ordinal);
      emit({ event: "done", data: doneData(run, facts, partialText) });
      return { ...facts, content: kept?.content ?? "" };
    });
    close();
    const { inputTokens, outputTokens } = used;
    const durationMs = now() - run.startedAt;
    options.onEnd(ending, { steps: steps.length, durationMs, inputTokens, outputTokens }, ended);
  }

  return {
    run,
    /** Fires when the run has ended; the model's request and every tool listen to it. */
    signal: controller.signal,
    /** The finished model steps, oldest first. */
    steps: steps as readonly Step[],
    get closed(): boolean {
      return closed;
    },
    /** All tool calls of the run, those of sub-agents included. */
    get calls(): readonly Call[] {
      return ledger.calls();
    },
    /** The run's usage so far. */
    usage: usage.used,
    /** Counts what a model used outside the main agent's steps. */
    addUsage(tokens: TokenUsage): void {
      if (!closed) usage.add(tokens);
    },
    /** Starts counting a model request; its usage counts from when it is sent. */
    beginModelCall: usage.begin,
    settleModelCalls: usage.settle,
    /** The run's usage including the maximum of open requests, and whether there are any. */
    modelCalls: { committed: usage.committed, areOpen: usage.hasOpenCalls },
    isOverTime: (): boolean => now() >= options.endsAt(),
    /** Adds text to the answer; returns the part that was sent. */
    say(text: string): string {
      if (closed || text === "") return "";
      // Cut to fit, since a single delta may be larger than a row.
      const fitting = text.slice(0, ANSWER_SIZE - said);
      current.text += fitting;
      writer.delta("message", fitting);
      said += text.length;
      if (said > ANSWER_SIZE) end({ status: "failed", failure: answerTooLong });
      return fitting;
    },
    think(text: string): void {
      if (closed || text === "") return;
      const fitting = text.slice(0, Math.max(0, THINKING_SIZE - thought));
      thought += text.length;
      if (fitting === "") return;
      current.reasoning += fitting.slice(0, KEPT_REASONING_SIZE - current.reasoning.length);
      writer.delta("reasoning", fitting);
    },
    /** Ends a model step: from here on, its text and its calls survive a restart, all or nothing. */
    finishStep(result: StepResult, starts: readonly CallStart[] = []): readonly Call[] {
      if (closed) return [];
      const step: Step = { ...current, ...result };
      let begun: readonly Call[] = [];
      options.transaction(() => {
        writer.flush();
        stored.addStep(run.ordinal, steps.length, step);
        usage.stepStored();
        runs.touch(run.ordinal, now());
        begun = ledger.add(steps.length, starts);
      });
      steps.push(step);
      current = { text: "", reasoning: "" };
      return begun;
    },
    /** Finished steps of the sub-agent that the call runs, oldest first. */
    agentSteps: (callId: string): readonly Step[] => (isNew ? [] : stored.agentSteps(run.ordinal, callId)),
    /** Ends a step of a sub-agent, like `finishStep` for the main agent. */
    finishAgentStep({ ofCall, ofStep }: AgentStep, step: Step, starts: readonly CallStart[]): readonly Call[] {
      if (closed) return [];
      let begun: readonly Call[] = [];
      options.transaction(() => {
        usage.add(step.usage);
        stored.addAgentStep(run.ordinal, ofCall, ofStep, step);
        runs.touch(run.ordinal, now());
        begun = ledger.add(steps.length - 1, starts, { ofCall, ofStep });
      });
      return begun;
    },
    /** Marks the call as begun; returns whether it may be made. Call this before any effect. */
    beginCall: (call: Call): boolean => !closed && ledger.begin(call),
    endCall(call: Call, outcome: ToolCallResult): void {
      if (!closed) ledger.end(call, outcome);
    },
    /** The call's process was lost, and the call is not retried. */
    loseCall(call: Call): void {
      if (!closed) ledger.lose(call);
    },
    /** Reports that another agent takes over. */
    route(step: string): void {
      if (closed) return;
      emit({ event: "router.update", data: { step, ...common, runId: run.runId } });
      options.publish("router_update", { step, ...common });
    },
    /** Shows in the stream that a call waits for approval, or its outcome; `approvals` sends the question to sockets. */
    showApproval(asked: ApprovalRequest, outcome: ApprovalOutcome): void {
      if (!closed) showApproval(asked, outcome);
    },
    /** Shows a plugin's question to the user, or its outcome. */
    showQuestion(question: UserQuestion, outcome: ApprovalOutcome): void {
      if (!closed) showQuestion(question, outcome);
    },
    /** An error frame that does not end the run. */
    notice(failure: ModelFailure): void {
      if (!closed) emitError(failure);
    },
    /** A plugin's notice: sent once, and at most NOTICES_PER_RUN times in a run, including those sent before a restart. */
    noticeOnce(failure: ModelFailure): void {
      if (closed) return;
      const message = failure.message.slice(0, NOTICE_SIZE).toWellFormed();
      const sent = options.frames.notices(run.ordinal);
      const isSent = sent.some(({ error, detail }) => error === message && detail === failure.detail);
      if (!isSent && sent.length < NOTICES_PER_RUN) emitError({ ...failure, message });
    },
    /** An id for a call that the run does not record, such as a plugin's. */
    newCallId: ledger.newCallId,
    /** Stores a hook's verdict: the run will not continue, even after a restart. */
    decide(verdict: Verdict): void {
      if (!closed) runs.decide(run.ordinal, verdict);
    },
    requireDelegation(): void {
      if (closed || delegationRequired) return;
      delegationRequired = true;
      runs.requireDelegation(run.ordinal);
    },
    end,
    /** Cancels the run and stores only its report, because the session is being erased. Returns the run's usage. */
    drop(): TokenUsage {
      writer.discard();
      const used = usage.used();
      report("aborted", now(), whole("text"));
      close();
      return used;
    },
  };
}
