/**
 * One chat session as its callers see it: checks who calls, then hands on to the queue, the log and the transcript.
 * It runs on any storage, clock and timers; `chat-session.ts` gives it those of a Durable Object.
 */
import { fail, newFailure } from "../../workers/platform/failure.ts";
import { describeThrown } from "../../workers/platform/log.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";
import type { ActiveRun } from "./runs/active-run.ts";
import { createClientCalls } from "./sockets/client-calls.ts";
import { createFrameStore } from "./runs/frame-store.ts";
import type { ModelFailure } from "./model-port.ts";
import type { RunRequest } from "./rpc.ts";
import { createAfterRun } from "./runs/after-run.ts";
import { createRunLog } from "./runs/run-log.ts";
import { replyOf, summaryOf } from "./runs/run-report.ts";
import { createRunQueue } from "./runs/run-queue.ts";
import { createRunStore, type Run } from "./runs/run-store.ts";
import type { ChatSessionCore, ChatSessionParts, SessionFacts } from "./session-ports.ts";
import { createSessionStore } from "./session-store.ts";
import { createTranscript } from "./runs/transcript.ts";

/** How long one call waits for the end of a turn, milliseconds; whoever wants to know more asks again. */
export const LONGEST_REPLY_WAIT_MS = 10_000;
/**
 * How far ahead the alarm is armed while a run is active, milliseconds. It picks up a run whose process was lost; what a run
 * waits for keeps the object in memory by itself (docs/decisions/006-realtime.md, Waits).
 */
export const WATCH_INTERVAL_MS = 30_000;

export function createChatSession(parts: ChatSessionParts): ChatSessionCore {
  const { storage, sockets, now, log } = parts;
  const session = createSessionStore(storage);
  const failing = new Set<string>();
  let opened: ReturnType<typeof open> | undefined;

  function open(owner: string, sessionId: string) {
    const runs = createRunStore(storage.sql);
    const frames = createFrameStore(storage.sql);
    const transcript = createTranscript(storage.sql, sessionId);
    const clientCalls = createClientCalls({ sql: storage.sql, sockets, now, wakeAt: parts.wakeAt, log });
    const facts: SessionFacts = { owner, sessionId, transcript, clientCalls };
    const aftermath = createAfterRun({
      session,
      sessionId,
      runs,
      opening: transcript.opening,
      makeTitle: parts.title,
      touch: (change) => parts.touch(facts, change),
      publish: sockets.publish,
      now,
      wakeAt: parts.wakeAt,
      log,
    });
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
        parts.wakeAt(now() + WATCH_INTERVAL_MS);
        parts.background(prepare().then(tell));
      },
      perform: (active) => {
        parts.wakeAt(now() + WATCH_INTERVAL_MS);
        // Nobody is kept in memory only because a client takes its time.
        parts.background(Promise.race([perform(active, facts), clientCalls.whenWaiting()]));
      },
      sleeps: clientCalls.madeBy,
      publish: sockets.publish,
      onUnreadable: ({ requestId, runId }, reason) =>
        log.error("run-unreadable", { requestId, runId, reason: describeThrown(reason) }),
      onEnd: (run, ending, summary) => parts.background(aftermath.settle(run, ending, summary)),
    });
    return { runs, frames, transcript, runLog, queue, clientCalls, aftermath };
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

  /** The parts of the session, if it was ever made; nothing starts by looking at them. */
  function reach(): typeof opened {
    const owner = session.owner();
    if (owner === undefined) return undefined;
    opened ??= open(owner, session.record().sessionId);
    return opened;
  }

  /** Does one of several things that must not keep each other from happening. A lasting failure is logged once. */
  function alone<Value>(part: string, work: () => Value): Value | undefined {
    try {
      const value = work();
      failing.delete(part);
      return value;
    } catch (thrown) {
      if (!failing.has(part)) log.error("session-part-failed", { part, reason: describeThrown(thrown) });
      failing.add(part);
      return undefined;
    }
  }

  /** The same, and what should be running is running from here on. */
  function wake(): typeof opened {
    const reached = reach();
    alone("resume", () => reached?.queue.resume());
    return reached;
  }

  function enter(caller: string): Result<NonNullable<typeof opened>> {
    const entered = session.owner() === caller ? wake() : undefined;
    return entered === undefined ? fail("not_found", "Session not found") : success(entered);
  }

  function nextWatch(): number | undefined {
    const reached = reach();
    if (reached === undefined) return undefined;
    const { runs, frames, queue, clientCalls, aftermath } = reached;
    const watch = now() + WATCH_INTERVAL_MS;
    const times = [
      // A part that fails is looked at again, so that it goes on once it no longer does.
      nextOr(watch, "runs", () => (runs.active().length > 0 ? watch : frames.nextPruning(runs))),
      queue.due(),
      nextOr(watch, "client-calls", clientCalls.due),
      aftermath.nextReport(),
    ].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  function nextOr(fallback: number, part: string, next: () => number | undefined): number | undefined {
    const found = alone(part, () => ({ at: next() }));
    return found === undefined ? fallback : found.at;
  }

  function findRun(caller: string, runId: string) {
    const entered = enter(caller);
    const run = entered.ok ? entered.value.runs.byId(runId) : undefined;
    if (!entered.ok || run === undefined || run.pruned) return fail("not_found", "Run not found");
    return success({ ...entered.value, run });
  }

  function accept(caller: string, turn: RunRequest, messageLimit: number) {
    const entered = enter(caller);
    if (!entered.ok) return entered;
    const { queue, runs, aftermath } = entered.value;
    // No wait in between: of two that come at once the second finds the first.
    const known = turn.clientMessageId === undefined ? undefined : runs.ofClientMessage(turn.clientMessageId);
    if (known?.pruned === true) return failure(answeredLongAgo);
    if (known !== undefined) {
      return success({ ...entered.value, run: known, indexed: Promise.resolve(), replay: replayOf(known, turn) });
    }
    const accepted = queue.accept(turn, messageLimit);
    if (!accepted.ok) return accepted;
    const { requestId } = accepted.value;
    const indexed = aftermath.touch(requestId, { lastUpdatedAt: new Date(now()).toISOString() });
    parts.background(indexed);
    return success({ ...entered.value, run: accepted.value, indexed, replay: {} });
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
      // Afterwards: whom the goodbyes reach there is no session any more.
      sockets.closeAll();
      await parts.erase();
      return success(null);
    },

    async startRun(caller, turn, messageLimit = 0) {
      const accepted = accept(caller, turn, messageLimit);
      if (!accepted.ok) return accepted;
      const { run, runLog, replay } = accepted.value;
      return success({ runId: run.runId, requestId: run.requestId, frames: runLog.follow(run.ordinal, 0), ...replay });
    },

    async completeRun(caller, turn, messageLimit = 0) {
      const accepted = accept(caller, turn, messageLimit);
      if (!accepted.ok) return accepted;
      const { run, queue, indexed, replay } = accepted.value;
      await Promise.all([queue.whenEnded(run.ordinal), indexed]);
      const found = findRun(caller, run.runId);
      if (!found.ok) return fail("not_found", "Session not found");
      return success({ ...replyOf(found.value.run, found.value.transcript), ...replay });
    },

    async hasMessage(caller, clientMessageId) {
      const entered = enter(caller);
      return entered.ok ? success(entered.value.runs.ofClientMessage(clientMessageId) !== undefined) : entered;
    },

    async acceptRun(caller, turn) {
      const entered = enter(caller);
      if (!entered.ok) return entered;
      const known = entered.value.runs.ofPhone(turn.requestId);
      if (known !== undefined) return success({ runId: known.runId, ...replayOf(known, turn) });
      // No wait in between: of two that come at once the second finds the first. No limit: how often a phone asks is
      // bounded elsewhere, and its questions share one session for ever.
      const accepted = accept(caller, turn, 0);
      return accepted.ok ? success({ runId: accepted.value.run.runId }) : accepted;
    },

    async awaitReply(caller, requestId, withinMs) {
      const entered = enter(caller);
      const run = entered.ok ? entered.value.runs.ofPhone(requestId) : undefined;
      if (!entered.ok || run === undefined) return fail("not_found", "Turn not found");
      const { queue, runs, transcript } = entered.value;
      await new Promise<void>((resolve) => {
        const callOff = parts.after(Math.min(withinMs, LONGEST_REPLY_WAIT_MS), resolve);
        void queue.whenEnded(run.ordinal).then(callOff).then(resolve);
      });
      if (session.owner() !== caller) return fail("not_found", "Turn not found");
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
      const entered = wake();
      alone("pruning", () => entered?.frames.prune(entered.runs, now()));
      alone("expiry", () => entered?.queue.expire());
      alone("client-calls", () => entered?.clientCalls.expire());
      if (entered !== undefined) parts.background(entered.aftermath.catchUp());
      return nextWatch();
    },
    nextWatch,
    owner: session.owner,
    id: () => session.record().sessionId,
    wake: () => void wake(),
    settleCall: (kind, toolCallId, outcome) => wake()?.clientCalls.settle(kind, toolCallId, outcome) ?? undefined,
    socketJoined: () => wake()?.clientCalls.socketJoined(),
    socketLeft: (socketId) => wake()?.clientCalls.socketLeft(socketId),
  };
}

/** A caller who lost our answer may ask again for the turn that they counted: that is the same turn, not another one. */
function replayOf({ runId }: Run, { runKey }: RunRequest): { readonly replayed?: true } {
  return runKey !== undefined && runId.endsWith(`.${runKey}`) ? {} : { replayed: true };
}

const answeredLongAgo = newFailure(
  "conflict",
  "This message was sent and answered before. Read the answer in the session's messages.",
  { reason: "message_already_answered", retryable: false },
);

const broken: ModelFailure = {
  kind: "unknown",
  message: "The answer failed for a reason of our own. Please try again.",
  retryable: true,
  source: "platform",
};
