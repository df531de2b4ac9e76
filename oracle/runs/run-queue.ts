/**
 * One run at a time: accepts runs, starts the next one when the last has ended, ends superseded and aborted runs, and recovers runs
 * that an eviction or a kill interrupted. `startAgent` does the work of a run.
 */
import type { ModelUsage } from "../model-usage.ts";
import type { RunEvent } from "../../protocol/frames.ts";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { PublishToRoom } from "../../protocol/socket-events.ts";
import type { RunRequest, Unstored } from "../run-request.ts";
import type { Approvals } from "./approvals.ts";
import { createActiveRun, type ActiveRun, type EndedRun, type Ending, type RunSummary } from "./active-run.ts";
import { budgetExhausted, interruptedRun, unreadableRequest } from "./failures.ts";
import type { RunReports } from "./run-reports.ts";
import { createFrameWriter, type After, type FrameStore, type RunLog } from "./frames.ts";
import type { Run, RunStore } from "./run-store.ts";
import type { StepStore } from "./step-store.ts";
import { humanRecord, type Transcript } from "./transcript.ts";

/** How many runs may wait after the active one. */
export const QUEUED_RUNS = 5;
/** How often a lost run is recovered. */
export const RECOVERY_ATTEMPTS = 3;
/** Maximum age of a lost run that is recovered, milliseconds. */
export const RECOVERABLE_AGE_MS = 30 * 60 * 1000;

/** The number of the `run` frame, which is stored when a run is accepted. */
const FIRST_SEQ = 1;

export interface RunQueueOptions {
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly steps: StepStore;
  readonly frames: FrameStore;
  readonly transcript: Transcript;
  readonly runLog: RunLog;
  readonly transaction: <Value>(work: () => Value) => Value;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly publish: PublishToRoom;
  /** The plugins that are notified of a run's end; determined when the run is accepted. */
  readonly reporters: (client: string) => readonly string[];
  readonly reports: Pick<RunReports, "accepted" | "ended" | "tell">;
  readonly owner: string;
  /** Time limit of one run from its start, milliseconds. */
  readonly timeLimit: () => number;
  readonly approvals: Pick<Approvals, "isWaiting" | "waited" | "voidOpen">;
  /** A message was accepted that closes questions. */
  readonly endQuestions: () => void;
  /** How often the object may have slept during the run while it waited for a client or the user: sleeping is not a loss. */
  readonly sleeps: (ordinal: number) => number;
  /**
   * Loads what runs need, and reports whether it succeeded. Runs start only after it has; a failed load is retried on the next
   * `resume()`.
   */
  readonly prepare: (report: (ready: boolean) => void) => void;
  /** Does the work of the run (`runAgent`) and ends it; not awaited. */
  readonly startAgent: (active: ActiveRun, request: RunRequest, unstored: Unstored) => void;
  /** Called once for a run that fails because it could not be started or recovered. */
  readonly onBroken: (run: Run, reason: unknown) => void;
  /** Called once for each run that has ended; `models`: its usage by model. */
  readonly onEnd: (run: Run, ending: Ending, summary: RunSummary, models: readonly ModelUsage[]) => void;
}

export function createRunQueue(options: RunQueueOptions) {
  const { sessionId, runs, frames, transcript, runLog, now, newId } = options;
  const waiting = new Map<number, ((ended: EndedRun | undefined) => void)[]>();
  /** Messages whose gates are being asked, by the client's message id. */
  const admissions = new Map<string, Promise<Result<null>>>();
  /** The parts of requests that are never stored, for runs that have not ended, by ordinal. */
  const unstoredOf = new Map<number, Unstored>();
  let live: ActiveRun | undefined;
  let preparation: "due" | "asked" | "done" = "due";
  let stopped = false;
  /** No run is active: true after a search found none, until one is accepted. */
  let isIdle = false;

  const timestamp = (): string => new Date(now()).toISOString();

  /** Existing clients read the first thought from its details, later ones from their text. */
  function thought(requestId: string, text: string): RunEvent {
    const details = { reasoning: text, reasoningDetails: [{ type: "thinking" as const, text }] };
    return {
      event: "reasoning",
      data: { sessionId, requestId, ...details, isComplete: false, timestamp: timestamp() },
    };
  }

  /** `isNew`: only the run's first frame is stored. */
  function activate(run: Run, attempt: number, isNew = false) {
    const writer = createFrameWriter({
      append: (frame) => runLog.append(run.ordinal, frame),
      attempt,
      lastSeq: isNew ? FIRST_SEQ : (frames.last(run.ordinal)?.seq ?? 0),
      toEvent: (kind, text) =>
        kind === "message"
          ? { event: "message", data: { content: text, timestamp: timestamp() } }
          : thought(run.requestId, text),
      after: options.after,
    });
    const onEnd = (ending: Ending, summary: RunSummary, ended: EndedRun): void => {
      if (live?.run.ordinal === run.ordinal) live = undefined;
      for (const resolve of waiting.get(run.ordinal) ?? []) resolve(ended);
      waiting.delete(run.ordinal);
      unstoredOf.delete(run.ordinal);
      if (run.reporters.length > 0) options.reports.tell(run.runId);
      options.onEnd(run, ending, summary, ended.usage.models ?? []);
      resume();
    };
    const active = createActiveRun({
      run,
      isNew,
      sessionId,
      runs,
      steps: options.steps,
      frames,
      transcript,
      writer,
      transaction: options.transaction,
      now,
      newId,
      publish: options.publish,
      approvals: options.approvals,
      endsAt: () => endsAt(run),
      report: (ended, plugins) => options.reports.ended(options.owner, ended, plugins),
      onEnd,
    });
    return { writer, active };
  }

  /** When the run's time limit is reached, Unix milliseconds. Waiting for approval extends it; recovery does not. */
  function endsAt({ ordinal, startedAt }: Run): number {
    return startedAt + options.timeLimit() + options.approvals.waited(ordinal);
  }

  function startWork(active: ActiveRun, request: RunRequest | null): void {
    if (request === null) return active.end({ status: "failed", failure: unreadableRequest });
    live = active;
    options.startAgent(active, request, unstoredOf.get(active.run.ordinal) ?? {});
  }

  function start(run: Run): void {
    const startedAt = now();
    runs.start(run.ordinal, startedAt);
    const { active, writer } = activate({ ...run, status: "running", startedAt }, run.attempt, true);
    if (run.request !== null) writer.emit(thought(run.requestId, "Thinking..."));
    startWork(active, run.request);
  }

  /**
   * The text of the interrupted step, from the frames of the attempt that streamed the most. An attempt's text begins with the part
   * of the finished steps that its `run` frame states.
   */
  function unfinishedText({ ordinal, attempt: attempts }: Run, finished: string): string {
    let longest = "";
    for (let attempt = 0; attempt <= attempts; attempt += 1) {
      const streamed = frames.textOf(ordinal, attempt);
      const text = finished.slice(0, streamed.partialLength) + streamed.text;
      if (text.length - finished.length > longest.length) longest = text.slice(finished.length);
    }
    return longest;
  }

  function recover(run: Run): void {
    const { runId, requestId, ordinal } = run;
    const attempt = run.attempt + 1;
    runs.retry(ordinal, attempt, now());
    const { active, writer } = activate({ ...run, status: "recovering", attempt }, attempt);
    const finished = active.steps.map(({ text }) => text).join("");
    const unfinished = unfinishedText(run, finished);
    const partialLength = finished.length;
    writer.emit({ event: "run", data: { runId, sessionId, requestId, resumed: true, attempt, partialLength } });
    const isLost =
      attempt > RECOVERY_ATTEMPTS + options.sleeps(ordinal) ||
      now() - run.startedAt - options.approvals.waited(ordinal) > RECOVERABLE_AGE_MS;
    if (!isLost || run.request === null) return startWork(active, run.request);
    // No attempt will write it again, so the shown part is kept.
    active.say(unfinished);
    active.end({ status: "interrupted", failure: interruptedRun });
  }

  /** `first`: the oldest unfinished run, if known. */
  function resume(first?: Run): void {
    if (live !== undefined || isIdle) return;
    const next = first ?? runs.active()[0];
    if (next === undefined) {
      isIdle = true;
      return;
    }
    // It continues when its user has answered.
    if (options.approvals.isWaiting(next.ordinal)) return;
    if (preparation !== "done") return prepare();
    try {
      if (next.status === "queued") start(next);
      else recover(next);
    } catch (thrown) {
      if (runs.hasEnded(next.ordinal)) throw thrown;
      countFailedTry(next, thrown);
    }
  }

  /** A run that cannot be started is retried as often as a lost one. Then it fails, so that the queue continues. */
  function countFailedTry(run: Run, reason: unknown): void {
    const attempt = run.attempt + 1;
    runs.retry(run.ordinal, attempt, now());
    if (attempt < RECOVERY_ATTEMPTS + options.sleeps(run.ordinal)) return;
    options.onBroken(run, reason);
    activate({ ...run, attempt }, attempt).active.end({ status: "failed", failure: unreadableRequest });
  }

  function prepare(): void {
    if (preparation === "asked") return;
    preparation = "asked";
    options.prepare((ready) => {
      preparation = ready ? "done" : "due";
      if (ready && !stopped) resume();
    });
  }

  /** Ends queued runs first, so that none of them starts when the live run ends. */
  function endAll(): boolean {
    const unfinished = isIdle ? [] : runs.active().toReversed();
    for (const run of unfinished) {
      const active = live?.run.ordinal === run.ordinal ? live : activate(run, run.attempt).active;
      active.end({ status: "aborted" });
    }
    return unfinished.length > 0;
  }

  /** Why the queue does not accept the run. `messageLimit`: as for `accept`. */
  function refusalOf({ multitask }: Pick<RunRequest, "multitask">, messageLimit: number): Failure | undefined {
    if (messageLimit > 0 && runs.count() >= messageLimit) return sessionFull(messageLimit);
    const queued = isIdle ? 0 : runs.active().filter(({ status }) => status === "queued").length;
    return multitask === "enqueue" && queued >= QUEUED_RUNS ? tooManyQueued : undefined;
  }

  return {
    /**
     * Asks the plugins whether the run may be accepted. Runs that would be refused here anyway are not asked about; concurrent
     * duplicates are asked about once. Undefined when `ask` asks no plugin.
     */
    admit(
      request: Pick<RunRequest, "multitask" | "clientMessageId">,
      messageLimit: number,
      ask: () => Promise<Result<null>> | undefined,
    ): Promise<Result<null>> | undefined {
      const refusal = refusalOf(request, messageLimit);
      if (refusal !== undefined) return Promise.resolve(failure(refusal));
      const { clientMessageId: id } = request;
      const asked = id === undefined ? undefined : admissions.get(id);
      const admission = asked ?? ask();
      if (id === undefined || admission === undefined || asked !== undefined) return admission;
      admissions.set(id, admission);
      const forget = (): void => void admissions.delete(id);
      admission.then(forget, forget);
      return admission;
    },
    /**
     * Accepts a run: stores its question in the transcript, and its `run` frame in the log. `messageLimit`: the session's maximum
     * number of messages; 0 means no limit.
     */
    accept(request: RunRequest & { readonly runKey: string }, messageLimit: number, unstored: Unstored): Result<Run> {
      const refusal = refusalOf(request, messageLimit);
      if (refusal !== undefined) return failure(refusal);
      if (request.multitask === "interrupt") endAll();
      const run = runs.insert(runIdOf(sessionId, request), request, now(), options.reporters(request.client));
      options.reports.accepted(run.runId);
      unstoredOf.set(run.ordinal, unstored);
      transcript.addHuman(run.ordinal, humanRecord({ id: newId(), createdAt: timestamp() }, request));
      const { runId, requestId } = run;
      const accepted: RunEvent = { event: "run", data: { runId, sessionId, requestId } };
      runLog.append(run.ordinal, { seq: FIRST_SEQ, event: accepted.event, data: JSON.stringify(accepted.data) });
      if (request.endsQuestions === true) options.endQuestions();
      const first = isIdle ? run : undefined;
      isIdle = false;
      resume(first);
      // A waiting run does not keep the revision: the run before it may write to the user vault meanwhile.
      if (live?.run.ordinal !== run.ordinal && runs.active()[0]?.ordinal !== run.ordinal && unstoredOf.has(run.ordinal))
        unstoredOf.set(run.ordinal, { ...unstored, revision: undefined });
      return success(run);
    },
    /**
     * Starts any run that should be running. Cheap when there is nothing to do; called before everything else, and again when a run
     * has ended.
     */
    resume: (): void => resume(),
    /** Ends the live run when it exceeds its time limit. Called at each alarm: a timer would keep the object in memory. */
    expire(): void {
      if (live?.isOverTime() === true) live.end({ status: "failed", failure: budgetExhausted("time") });
      // Reads the stored runs again, in case `isIdle` is wrong.
      isIdle = false;
      resume();
    },
    /** When the live run's time limit is reached, Unix milliseconds; undefined while it waits for an approval. */
    due: (): number | undefined =>
      live === undefined || options.approvals.isWaiting(live.run.ordinal) ? undefined : endsAt(live.run),
    /** Ends every unfinished run; returns whether there were any. */
    abort: endAll,
    /** How the run ended, if it ended in this process. */
    whenEnded: (ordinal: number): Promise<EndedRun | undefined> =>
      new Promise((resolve) => {
        if (live?.run.ordinal !== ordinal && runs.hasEnded(ordinal)) resolve(undefined);
        else waiting.set(ordinal, [...(waiting.get(ordinal) ?? []), resolve]);
      }),
    /** The session is being erased: stops starting and sending. Returns the runs that this ends, with their usage. */
    stop(): readonly Pick<Run, "runId" | "client" | "payer" | "usage" | "startedAt">[] {
      stopped = true;
      const dropped = runs.active().map((run) => {
        const active = live?.run.ordinal === run.ordinal ? live : activate(run, run.attempt).active;
        return { ...run, usage: active.drop() };
      });
      for (const resolve of [...waiting.values()].flat()) resolve(undefined);
      return dropped;
    },
  };
}

/** The id of the run for this request. */
export function runIdOf(sessionId: string, { runKey }: { readonly runKey: string }): string {
  return `${sessionId}.${runKey}`;
}

/** The key under which the run is counted. */
export function runKeyOf({ runId }: Pick<Run, "runId">): string {
  return runId.slice(runId.indexOf(".") + 1);
}

const tooManyQueued = newFailure(
  "rate_limited",
  `${QUEUED_RUNS} messages of this session are already queued. Send this one after the next answer, or without "multitask": "enqueue" to stop the others.`,
  { retryAfter: 5, reason: "queue_full", retryable: true },
);

function sessionFull(limit: number): Failure {
  return newFailure(
    "conflict",
    `This session has ${limit} messages, which is the limit. Open a new session to continue.`,
    { reason: "message_limit", retryable: false },
  );
}
