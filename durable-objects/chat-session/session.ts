/**
 * One chat session as its callers see it: checks who calls, then hands on to the queue, the log and the transcript.
 * It runs on any storage, clock and timers; `chat-session.ts` gives it those of a Durable Object.
 */
import { fault } from "../../workers/platform/errors.ts";
import { describeThrown, type Logger } from "../../workers/platform/log.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";
import type { ObjectStorage } from "../schema.ts";
import type { ActiveRun, Ending } from "./active-run.ts";
import { createFrameStore } from "./frame-store.ts";
import type { ModelFailure } from "./model-port.ts";
import type { ChatSessionRpc, TurnRequest } from "./rpc.ts";
import { createRunLog } from "./run-log.ts";
import { replyOf, summaryOf } from "./run-report.ts";
import { createRunQueue } from "./run-queue.ts";
import { createRunStore, type Run } from "./run-store.ts";
import type { After } from "./run-writer.ts";
import { createSessionStore } from "./session-store.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** What a turn's work needs to know of its session. */
export interface SessionFacts {
  readonly owner: string;
  readonly sessionId: string;
  readonly transcript: Transcript;
}

export interface ChatSessionParts {
  readonly storage: ObjectStorage;
  /** Erases the whole storage, alarm included. */
  readonly erase: () => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly after: After;
  readonly every: (milliseconds: number, work: () => void) => () => void;
  /** Makes what every turn needs; rejects while it cannot be made, as under a wrong configuration. */
  readonly prepare: () => Promise<unknown>;
  /** Does a turn's work and ends the run. */
  readonly perform: (active: ActiveRun, facts: SessionFacts) => Promise<void>;
  readonly title: (openingMessage: string) => Promise<string>;
  /** Keeps the owner's index of sessions true. */
  readonly touch: (facts: Omit<SessionFacts, "transcript">, change: IndexChange) => Promise<void>;
  /** Wakes this object soon: there is a run to look after. */
  readonly keepWatch: () => void;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

interface IndexChange {
  readonly lastUpdatedAt?: string;
  readonly title?: string;
}

export interface ChatSessionCore extends ChatSessionRpc {
  /** The alarm: picks up lost runs and prunes; answers when it wants to be woken next, Unix milliseconds. */
  watch(): number | undefined;
}

const UNTITLED = "Untitled";
/** How long one call waits for the end of a turn, milliseconds; whoever wants to know more asks again. */
export const LONGEST_REPLY_WAIT_MS = 10_000;
/** How far ahead the alarm is armed while a run is active, milliseconds; short enough to keep the object in memory. */
export const WATCH_INTERVAL_MS = 5_000;

export function createChatSession(parts: ChatSessionParts): ChatSessionCore {
  const { storage, now, log } = parts;
  const session = createSessionStore(storage);
  let opened: ReturnType<typeof open> | undefined;
  let titling = false;

  function open(owner: string, sessionId: string) {
    const runs = createRunStore(storage.sql);
    const frames = createFrameStore(storage.sql);
    const transcript = createTranscript(storage.sql, sessionId);
    const facts: SessionFacts = { owner, sessionId, transcript };
    const runLog = createRunLog({ frames, hasEnded: runs.hasEnded, every: parts.every });
    const queue = createRunQueue({
      ...parts,
      sessionId,
      runs,
      frames,
      transcript,
      log: runLog,
      transaction: (work) => storage.transactionSync(work),
      prepare: (tell) => {
        parts.keepWatch();
        parts.background(prepare().then(tell));
      },
      perform: (active) => {
        parts.keepWatch();
        parts.background(perform(active, facts));
      },
      onEnd: (run, ending) => parts.background(settle(facts, run, ending)),
    });
    return { facts, runs, frames, transcript, runLog, queue };
  }

  async function prepare(): Promise<boolean> {
    try {
      await parts.prepare();
      return true;
    } catch (thrown) {
      log.error("turns-put-off", { reason: describeThrown(thrown) });
      return false;
    }
  }

  async function perform(active: ActiveRun, facts: SessionFacts): Promise<void> {
    try {
      await parts.perform(active, facts);
    } catch (thrown) {
      const { runId, requestId } = active.run;
      log.error("turn-broken", { requestId, runId, reason: describeThrown(thrown) });
      active.end({ status: "failed", failure: broken });
    }
  }

  async function touch(facts: SessionFacts, requestId: string, change: IndexChange): Promise<void> {
    try {
      await parts.touch(facts, change);
    } catch (thrown) {
      log.error("index-update-failed", { requestId, reason: describeThrown(thrown) });
    }
  }

  /** What follows a run's end and delays nobody: the index, and a title after the first finished turn. */
  async function settle(facts: SessionFacts, run: Run, ending: Ending): Promise<void> {
    const { requestId, runId, attempt } = run;
    log.info("run-ended", { requestId, runId, status: ending.status, attempt });
    await touch(facts, requestId, { lastUpdatedAt: new Date(now()).toISOString() });
    if (ending.status !== "finished" || session.owner() === undefined) return;
    if (titling || session.record().title !== UNTITLED) return;
    titling = true;
    try {
      const title = await parts.title(facts.transcript.opening());
      if (opened === undefined || title === "") return;
      session.update({ title });
      await touch(facts, requestId, { title });
    } catch (thrown) {
      log.warn("title-failed", { requestId, error: thrown instanceof Error ? thrown.name : "unknown" });
    } finally {
      titling = false;
    }
  }

  /** The open session when `caller` owns it; what should be running is running from here on. */
  function enter(caller: string): Result<NonNullable<typeof opened>> {
    const owner = session.owner();
    if (owner === undefined || owner !== caller) return failure(fault("not_found", "Session not found"));
    opened ??= open(owner, session.record().sessionId);
    opened.queue.resume();
    return success(opened);
  }

  function findRun(caller: string, runId: string) {
    const entered = enter(caller);
    const run = entered.ok ? entered.value.runs.byId(runId) : undefined;
    if (!entered.ok || run === undefined || run.pruned) return failure(fault("not_found", "Run not found"));
    return success({ ...entered.value, run });
  }

  function accept(caller: string, turn: TurnRequest) {
    const entered = enter(caller);
    if (!entered.ok) return entered;
    const accepted = entered.value.queue.accept(turn);
    if (!accepted.ok) return accepted;
    const { requestId } = accepted.value;
    const indexed = touch(entered.value.facts, requestId, { lastUpdatedAt: new Date(now()).toISOString() });
    parts.background(indexed);
    return success({ ...entered.value, run: accepted.value, indexed });
  }

  return {
    async create(owner, record) {
      const known = session.owner();
      if (known === undefined) session.create(owner, record);
      else if (known !== owner) throw new Error("a session id was made twice");
      return session.record();
    },

    async describe(caller) {
      const entered = enter(caller);
      return entered.ok ? success(session.record()) : entered;
    },

    async destroy(caller) {
      const entered = enter(caller);
      if (!entered.ok) return entered;
      entered.value.queue.stop();
      entered.value.runLog.close();
      opened = undefined;
      session.forget();
      await parts.erase();
      return success(null);
    },

    async startTurn(caller, turn) {
      const accepted = accept(caller, turn);
      if (!accepted.ok) return accepted;
      const { run, runLog } = accepted.value;
      return success({ runId: run.runId, requestId: run.requestId, frames: runLog.follow(run.ordinal, 0) });
    },

    async completeTurn(caller, turn) {
      const accepted = accept(caller, turn);
      if (!accepted.ok) return accepted;
      const { run, queue, indexed } = accepted.value;
      await Promise.all([queue.whenEnded(run.ordinal), indexed]);
      const found = findRun(caller, run.runId);
      if (!found.ok) return failure(fault("not_found", "Session not found"));
      return success(replyOf(found.value.run, found.value.transcript));
    },

    async ensureTurn(caller, turn) {
      const entered = enter(caller);
      if (!entered.ok) return entered;
      const known = entered.value.runs.ofPhone(turn.requestId);
      if (known !== undefined) return success({ runId: known.runId });
      // No wait in between: of two that come at once the second finds the first.
      const accepted = accept(caller, turn);
      return accepted.ok ? success({ runId: accepted.value.run.runId }) : accepted;
    },

    async awaitReply(caller, requestId, withinMs) {
      const entered = enter(caller);
      const run = entered.ok ? entered.value.runs.ofPhone(requestId) : undefined;
      if (!entered.ok || run === undefined) return failure(fault("not_found", "Turn not found"));
      const { queue, runs, transcript } = entered.value;
      await new Promise<void>((resolve) => {
        const callOff = parts.after(Math.min(withinMs, LONGEST_REPLY_WAIT_MS), resolve);
        void queue.whenEnded(run.ordinal).then(callOff).then(resolve);
      });
      if (session.owner() !== caller) return failure(fault("not_found", "Turn not found"));
      return success(replyOf(runs.byId(run.runId) ?? run, transcript));
    },

    async followRun(caller, runId, after) {
      const found = findRun(caller, runId);
      if (!found.ok) return found;
      const { run, runLog } = found.value;
      return success({ requestId: run.requestId, frames: runLog.follow(run.ordinal, after) });
    },

    async activeRun(caller) {
      const entered = enter(caller);
      if (!entered.ok) return entered;
      const { runs, frames } = entered.value;
      // The one that runs is always the oldest: queued ones stand behind it.
      const run = runs.active()[0];
      if (run === undefined) return success(null);
      return success(summaryOf(run, session.record().sessionId, frames.last(run.ordinal)?.seq ?? 0));
    },

    async abort(caller) {
      const entered = enter(caller);
      return entered.ok ? success(entered.value.queue.abort()) : entered;
    },

    async messagePage(caller, page) {
      const entered = enter(caller);
      return entered.ok ? entered.value.transcript.page(page) : entered;
    },

    watch() {
      const owner = session.owner();
      const entered = owner === undefined ? undefined : enter(owner);
      if (entered === undefined || !entered.ok) return undefined;
      const due = entered.value.frames.prune(entered.value.runs, now());
      return entered.value.runs.active().length > 0 ? now() + WATCH_INTERVAL_MS : due;
    },
  };
}

const broken: ModelFailure = {
  kind: "unknown",
  message: "The answer failed for a reason of our own. Please try again.",
  retryable: true,
  source: "platform",
};
