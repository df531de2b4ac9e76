/**
 * One turn at a time: accepts turns, starts the next one when the last has ended, ends what is superseded or aborted,
 * and picks up what an eviction or a kill left behind (contract/oracle.md sections 4.3, 5.4). What a turn does is not
 * known here: `perform` does it.
 */
import { newFailure, type Failure } from "../../../workers/platform/failure.ts";
import { failure, success, type Result } from "../../../workers/platform/result.ts";
import { createActiveRun, type ActiveRun, type Ending, type RunSummaryForLog } from "./active-run.ts";
import { ATTEMPT_STRIDE, type FrameStore } from "./frame-store.ts";
import type { ModelFailure } from "../model-port.ts";
import type { PublishToRoom } from "../plugin.ts";
import type { FrameData, RunRequest } from "../rpc.ts";
import type { RunLog } from "./run-log.ts";
import type { Run, RunStore } from "./run-store.ts";
import { createFrameWriter, type After } from "./frame-writer.ts";
import { humanRecord, type Transcript } from "./transcript.ts";

/** How many turns may wait behind the running one. */
export const QUEUED_TURNS = 5;
/** How often a lost run is picked up again. */
export const RECOVERY_ATTEMPTS = 3;
/** A lost run older than this is given up, milliseconds. */
export const RECOVERABLE_AGE_MS = 30 * 60 * 1000;
/** How long one turn may take, milliseconds. */
export const TURN_TIME_LIMIT_MS = 10 * 60 * 1000;

export interface RunQueueParts {
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly frames: FrameStore;
  readonly transcript: Transcript;
  readonly log: RunLog;
  readonly transaction: (work: () => void) => void;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly publish: PublishToRoom;
  /** How often the object may have gone to sleep during the run, while a client took its time: that was no loss. */
  readonly sleeps: (ordinal: number) => number;
  /**
   * Tells whether turns can be worked on, later and at most once. Until they can nothing starts, since all that starts
   * ends for good; whoever calls `resume` asks again.
   */
  readonly prepare: (tell: (able: boolean) => void) => void;
  /** Does the turn and ends the run; is not waited for. */
  readonly perform: (active: ActiveRun) => void;
  /** Called once for a run that is closed because its stored rows could not be read. */
  readonly onUnreadable: (run: Run, reason: unknown) => void;
  /** Called once for each run that has ended. */
  readonly onEnd: (run: Run, ending: Ending, summary: RunSummaryForLog) => void;
}

export interface RunQueue {
  /**
   * Takes a turn on: its question is in the transcript from here on, and its `run` frame in the log. `messageLimit`: how
   * many messages the session takes in all; 0 means no limit.
   */
  accept(request: RunRequest, messageLimit: number): Result<Run>;
  /**
   * Starts what should be running and is not. Cheap when there is nothing to do; called before everything else, and
   * again when a run has ended.
   */
  resume(): void;
  /** Ends the live run if it has taken too long: asked at each alarm, since a timer would keep the object in memory. */
  expire(): void;
  /** When the live run has had its time, Unix milliseconds. */
  due(): number | undefined;
  /** Ends everything unfinished; answers whether there was anything. */
  abort(): boolean;
  whenEnded(ordinal: number): Promise<void>;
  /** The runner goes; nothing more is started or said. */
  stop(): void;
}

export function createRunQueue(parts: RunQueueParts): RunQueue {
  const { sessionId, runs, frames, transcript, log, now, newId } = parts;
  const waiting = new Map<number, (() => void)[]>();
  let live: ActiveRun | undefined;
  /** When the live run has had its time, Unix milliseconds. */
  let endsBy = 0;
  let preparation: "due" | "asked" | "done" = "due";
  let stopped = false;

  const timestamp = (): string => new Date(now()).toISOString();

  /** The field client reads the first thought from its details, the later ones from their text. */
  function thought(requestId: string, text: string): FrameData {
    const details = { reasoning: text, reasoningDetails: [{ type: "thinking", text }] };
    return { sessionId, requestId, ...details, isComplete: false, timestamp: timestamp() };
  }

  function activate(run: Run, attempt: number) {
    const request = run.request ?? lostRequest(run);
    const { requestId } = run;
    const describe = (event: "message" | "reasoning", text: string): FrameData =>
      event === "message" ? { content: text, timestamp: timestamp() } : thought(requestId, text);
    const lastSeq = frames.last(run.ordinal)?.seq ?? 0;
    const writer = createFrameWriter({ log, run: run.ordinal, attempt, lastSeq, describe, after: parts.after });
    const onEnd = (ending: Ending, summary: RunSummaryForLog): void => {
      if (live?.run.ordinal === run.ordinal) live = undefined;
      for (const resolve of waiting.get(run.ordinal) ?? []) resolve();
      waiting.delete(run.ordinal);
      parts.onEnd(run, ending, summary);
      resume();
    };
    const { transaction, publish } = parts;
    const active = createActiveRun({
      run,
      request,
      sessionId,
      runs,
      transcript,
      writer,
      transaction,
      now,
      newId,
      publish,
      onEnd,
    });
    return { active, writer };
  }

  function perform(active: ActiveRun): void {
    live = active;
    endsBy = now() + TURN_TIME_LIMIT_MS;
    parts.perform(active);
  }

  function start(run: Run): void {
    const startedAt = now();
    runs.start(run.ordinal, startedAt);
    const { active, writer } = activate({ ...run, status: "running", startedAt }, run.attempt);
    if (run.request === null) return active.end({ status: "failed", failure: unreadable });
    writer.frame("reasoning", thought(run.requestId, "Thinking..."));
    perform(active);
  }

  /**
   * What was said of the step that was broken off, read from the frames of the attempt that said the most. The text of
   * an attempt begins with as much of the finished steps as its `run` frame tells.
   */
  function unfinishedText(run: Run): string {
    const finished = runs
      .steps(run.ordinal)
      .map(({ text }) => text)
      .join("");
    let longest = "";
    for (let attempt = 0; attempt <= run.attempt; attempt += 1) {
      const said = frames.textOf(run.ordinal, attempt * ATTEMPT_STRIDE, (attempt + 1) * ATTEMPT_STRIDE);
      const text = finished.slice(0, said.partialLength) + said.text;
      if (text.length - finished.length > longest.length) longest = text.slice(finished.length);
    }
    return longest;
  }

  function recover(run: Run): void {
    const attempt = run.attempt + 1;
    const unfinished = unfinishedText(run);
    runs.retry(run.ordinal, attempt, now());
    const { active, writer } = activate({ ...run, status: "recovering", attempt }, attempt);
    const partialLength = active.steps.reduce((length, step) => length + step.text.length, 0);
    const { runId, requestId } = run;
    writer.frame("run", { runId, sessionId, requestId, resumed: true, attempt, partialLength });
    const lost = attempt > RECOVERY_ATTEMPTS + parts.sleeps(run.ordinal) || now() - run.startedAt > RECOVERABLE_AGE_MS;
    if (run.request === null) return active.end({ status: "failed", failure: unreadable });
    if (!lost) return perform(active);
    // Nobody will write it anew: what was shown of it stays.
    active.say(unfinished);
    active.end({ status: "interrupted", failure: interrupted });
  }

  function resume(): void {
    if (live !== undefined) return;
    const next = runs.active()[0];
    if (next === undefined) return;
    if (preparation !== "done") return prepare();
    try {
      if (!next.isReadable) throw new Error("a stored run is damaged");
      if (next.status === "queued") start(next);
      else recover(next);
    } catch (thrown) {
      if (runs.hasEnded(next.ordinal)) throw thrown;
      countFailedTry(next, thrown);
    }
  }

  /** A run whose rows cannot be read is tried as often as a lost one. Then it fails, so that the queue goes on. */
  function countFailedTry(run: Run, reason: unknown): void {
    const attempt = run.attempt + 1;
    runs.countAttempt(run.ordinal, attempt, now());
    if (attempt < RECOVERY_ATTEMPTS + parts.sleeps(run.ordinal)) return;
    const { active } = activateToEnd({ ...run, attempt });
    parts.onUnreadable(run, reason);
    active.end({ status: "failed", failure: unreadable });
  }

  /** A run that only has to end: without those of its rows that cannot be read. */
  function activateToEnd(run: Run) {
    runs.dropUnreadable(run.ordinal);
    return activate(run, run.attempt);
  }

  function prepare(): void {
    if (preparation === "asked") return;
    preparation = "asked";
    parts.prepare((able) => {
      preparation = able ? "done" : "due";
      if (able && !stopped) resume();
    });
  }

  /** Queued turns go first, so that none of them starts when the live one ends. */
  function endAll(): boolean {
    const unfinished = runs.active().toReversed();
    for (const run of unfinished) {
      if (live?.run.ordinal === run.ordinal) live.end({ status: "aborted" });
      else activateToEnd(run).active.end({ status: "aborted" });
    }
    return unfinished.length > 0;
  }

  return {
    accept(request, messageLimit) {
      if (messageLimit > 0 && runs.count() >= messageLimit) return failure(sessionFull(messageLimit));
      const queued = runs.active().filter(({ status }) => status === "queued").length;
      if (request.multitask === "enqueue" && queued >= QUEUED_TURNS) {
        return failure(tooManyQueued);
      }
      if (request.multitask === "interrupt") endAll();
      const at = now();
      const run = runs.insert(`${sessionId}.${request.runKey ?? newId()}`, request, at);
      const asked = new Date(at).toISOString();
      transcript.addHuman(run.ordinal, humanRecord(newId(), request.message, asked, request.attachments));
      const { runId, requestId } = run;
      log.append(run.ordinal, { seq: 1, event: "run", data: JSON.stringify({ runId, sessionId, requestId }) });
      resume();
      return success(run);
    },
    resume,
    expire() {
      if (live !== undefined && now() >= endsBy) live.end({ status: "failed", failure: turnTimeout });
    },
    due: () => (live === undefined ? undefined : endsBy),
    abort: endAll,
    whenEnded: (ordinal) =>
      new Promise((resolve) => {
        if (runs.hasEnded(ordinal)) resolve();
        else waiting.set(ordinal, [...(waiting.get(ordinal) ?? []), resolve]);
      }),
    stop() {
      stopped = true;
      live?.drop();
      for (const resolve of [...waiting.values()].flat()) resolve();
    },
  };
}

const tooManyQueued = newFailure(
  "rate_limited",
  `${QUEUED_TURNS} messages of this session wait for their answers already. Send this one when the next answer has come, or without "multitask": "enqueue" to stop the others.`,
  { retryAfter: 5, reason: "queue_full", retryable: true },
);

function sessionFull(limit: number): Failure {
  return newFailure(
    "conflict",
    `This session has its ${limit} messages, which is the limit. Open a new session to go on.`,
    {
      reason: "message_limit",
      retryable: false,
    },
  );
}

/** Enough to end a run whose own request cannot be read. */
function lostRequest({ requestId }: Run): RunRequest {
  return {
    requestId,
    client: "portal",
    message: "",
    multitask: "interrupt",
    attachments: [],
    tools: [],
    agActions: [],
    mcpInvocations: {},
    metadata: {},
  };
}

const unreadable: ModelFailure = {
  kind: "unknown",
  message: "This message could not be read any more. Please send it again.",
  retryable: true,
  source: "platform",
};

const turnTimeout: ModelFailure = {
  kind: "timeout",
  message: "The answer took longer than 10 minutes and was stopped.",
  retryable: true,
  source: "platform",
};

const interrupted: ModelFailure = {
  kind: "server",
  message: "The answer was interrupted and could not be resumed. Please ask again.",
  retryable: true,
  source: "platform",
};
