/**
 * One chat session: its stores, its run queue and its alarm. It runs on any storage, clock and timers;
 * `chat-session.ts` provides those of a Durable Object. calls.ts has its RPC interface.
 */
import { fail } from "../../platform/failure.ts";
import { describeThrown } from "../../platform/log.ts";
import { success, type Result } from "../../platform/result.ts";
import { eraseTables } from "../../platform/object-schema.ts";
import type { TitleMeter } from "../../oracle/models/model-port.ts";
import { createSessionMemory, createSessionStore } from "../../oracle/runs/session-store.ts";
import type { RunRequest, Unstored } from "../../oracle/run-request.ts";
import type { ActiveRun } from "../../oracle/runs/active-run.ts";
import { createAfterRun } from "../../oracle/runs/after-run.ts";
import { serverError } from "../../oracle/runs/failures.ts";
import { createFrameStore, createRunLog } from "../../oracle/runs/frames.ts";
import { createRunQueue, runIdOf, runKeyOf } from "../../oracle/runs/run-queue.ts";
import { createRunStore } from "../../oracle/runs/run-store.ts";
import { createRunReports, REPORT_TABLES, spentBy, USAGE_REPORT } from "../../oracle/runs/run-reports.ts";
import { createStepStore } from "../../oracle/runs/step-store.ts";
import { createTranscript } from "../../oracle/runs/transcript.ts";
import { createApprovals, isApprovalId, type Decision } from "../../oracle/runs/approvals.ts";
import { createQuestions, isQuestionId } from "../../oracle/runs/questions.ts";
import { createClientCalls, type ArrivedResult } from "../../oracle/runs/client-calls.ts";
import type { SessionFacts, SessionOptions } from "./session-options.ts";

/**
 * How far ahead the alarm is set while a run is active, in milliseconds. The alarm recovers a run whose process was
 * lost; during a run, its own waits keep the object in memory (docs/decisions/006-realtime.md, Waits).
 */
export const WATCH_INTERVAL_MS = 30_000;

/** SQL's value for "no limit". */
const ALL_RUNS = -1;

export type ChatSession = ReturnType<typeof createChatSession>;

export function createChatSession(options: SessionOptions) {
  const { storage, sockets, now, newId, after, wakeAt, background, log } = options;
  const row = createSessionStore(storage);
  const reports = createRunReports({
    storage,
    now,
    after,
    background,
    wakeAt,
    log,
    async report(plugin, owner, ended) {
      if (plugin !== USAGE_REPORT) return options.report(plugin, owner, ended);
      await options.touch({ owner, sessionId: ended.sessionId }, { spent: [spentBy(ended, runKeyOf(ended))] });
    },
    onDone: () => row.owner() === undefined && options.onReported(),
  });
  /** The parts whose failure was logged: a lasting failure is logged once. */
  const failing = new Set<string>();
  let opened: ReturnType<typeof open> | undefined;

  function open(owner: string, sessionId: string) {
    const { sql } = storage;
    const runs = createRunStore(sql);
    const frames = createFrameStore(sql);
    const transcript = createTranscript(sql, sessionId, (run) => alone(`message of run ${run}`, damaged));
    const clientCalls = createClientCalls({ sql, sockets, now, newId, wakeAt, log });
    const approvals = createApprovals({ sql, ask: sockets.askApproval, now, wakeAt, log });
    const questions = createQuestions({ ask: sockets.askUser, listeners: sockets.count, after, log });
    const memory = createSessionMemory(sql);
    const facts: SessionFacts = { owner, sessionId, transcript, memory, clientCalls, approvals, questions };
    const afterRun = createAfterRun({
      session: row,
      sessionId,
      runs,
      opening: transcript.opening,
      makeTitle: (opening, payer) => options.title(opening, titleMeter(owner, sessionId, payer)),
      touch: (change) => options.touch(facts, change),
      publish: sockets.publish,
      now,
      after,
      wakeAt,
      background,
      log,
    });
    const runLog = createRunLog({ frames, hasEnded: runs.hasEnded, every: options.every });
    const queue = createRunQueue({
      now,
      newId,
      after,
      reporters: options.reporters,
      timeLimit: options.timeLimit,
      owner,
      reports,
      sessionId,
      runs,
      steps: createStepStore(sql),
      frames,
      transcript,
      runLog,
      transaction: (work) => storage.transactionSync(work),
      prepare: (report) => {
        options.wakeAt(now() + WATCH_INTERVAL_MS);
        options.background(prepare().then(report));
      },
      startAgent: (active, request, unstored) => {
        options.wakeAt(Math.min(now() + WATCH_INTERVAL_MS, queue.due() ?? Infinity));
        // A slow client must not keep the object in memory.
        const waits = [clientCalls.whenWaiting(), approvals.whenWaiting()];
        options.background(Promise.race([runGuarded(active, request, facts, unstored), ...waits]));
      },
      approvals,
      endQuestions() {
        questions.endAll();
        // The run that waited for an answer continues, in this process or after its loss.
        if (approvals.supersede()) options.wakeAt(now() + WATCH_INTERVAL_MS);
      },
      sleeps: (run) => clientCalls.madeBy(run) + approvals.askedBy(run),
      publish: sockets.publish,
      onBroken: ({ requestId, runId }, reason) =>
        log.error("run-unreadable", { requestId, runId, reason: describeThrown(reason) }),
      onEnd: (run, ending, summary, models) => {
        clientCalls.runEnded(run.ordinal);
        options.count({ outcome: ending.status, durationMs: summary.durationMs, models });
        options.background(afterRun.runEnded(run, ending, summary));
      },
    });
    return {
      facts,
      runs,
      frames,
      transcript,
      runLog,
      queue,
      clientCalls,
      approvals,
      afterRun,
      announceRun: sockets.announceRun,
    };
  }

  async function prepare(): Promise<boolean> {
    try {
      await options.prepare();
      return true;
    } catch (thrown) {
      log.error("settings-unavailable", { reason: describeThrown(thrown) });
      return false;
    }
  }

  async function runGuarded(
    active: ActiveRun,
    request: RunRequest,
    facts: SessionFacts,
    unstored: Unstored,
  ): Promise<void> {
    try {
      await options.runAgent(active, request, facts, unstored);
    } catch (thrown) {
      const { runId, requestId } = active.run;
      log.error("run-broken", { requestId, runId, reason: describeThrown(thrown) });
      active.end({ status: "failed", failure: serverError });
    }
  }

  /** The open session, if it was ever created; starts nothing. */
  function reach(): typeof opened {
    const owner = row.owner();
    if (owner === undefined) return undefined;
    opened ??= open(owner, row.record().sessionId);
    return opened;
  }

  /** Runs one part of several: if it throws, the error is logged once, and the other parts still run. */
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

  /** The open session, as `reach` returns it, with its runs started or recovered. */
  function wake(): typeof opened {
    const reached = reach();
    alone("resume", () => reached?.queue.resume());
    return reached;
  }

  /** Continues a run that waited for its user, in this process or after the loss of an earlier one. */
  function continueRun({ queue, runs, approvals }: NonNullable<typeof opened>): void {
    const [run] = runs.active();
    if (run !== undefined && !approvals.isWaiting(run.ordinal)) options.wakeAt(now() + WATCH_INTERVAL_MS);
    alone("resume", () => queue.resume());
  }

  function nextWatch(): number | undefined {
    const reached = reach();
    if (reached === undefined) return reports.nextDue();
    const { runs, frames, queue, clientCalls, approvals, afterRun } = reached;
    const watch = now() + WATCH_INTERVAL_MS;
    const times = [
      // A failing part is retried, so that it continues once it recovers.
      nextOr(watch, "runs", () => {
        const run = runs.active()[0];
        return run === undefined || approvals.isWaiting(run.ordinal) ? frames.nextPruning(runs) : watch;
      }),
      nextOr(watch, "approvals", approvals.due),
      queue.due(),
      nextOr(watch, "client-calls", clientCalls.due),
      afterRun.nextReport(),
      nextOr(watch, "reports", reports.nextDue),
    ].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  function titleMeter(owner: string, sessionId: string, payer: string | null): TitleMeter {
    const runKey = options.newId();
    return reports.titleMeter({
      owner,
      sessionId,
      runId: runIdOf(sessionId, { runKey }),
      payer,
      reporters: options.titleReporters(),
      reserve: (most) => options.reserveTitle(payer ?? owner, runKey, most),
      isCovered: (most) => options.coversTitle(owner, most),
      isGone: () => row.owner() === undefined,
    });
  }

  /** Ends all runs. Tokens that the user vault has not counted are reported after the session is gone. */
  function oweUsage(owner: string, { queue, runs, facts: { sessionId } }: NonNullable<typeof opened>): void {
    for (const { runId, client, payer, usage, startedAt } of [...queue.stop(), ...runs.unreported(ALL_RUNS)]) {
      const { inputTokens, outputTokens, models = [{ model: "", inputTokens, outputTokens }] } = usage;
      reports.owesUsage(owner, {
        runId,
        sessionId,
        client,
        ...(payer === null ? {} : { payer }),
        status: "aborted",
        endedAt: new Date(now()).toISOString(),
        usage: models,
        startedAt,
        answer: "",
        metadata: {},
      });
    }
  }

  function nextOr(fallback: number, part: string, next: () => number | undefined): number | undefined {
    const found = alone(part, () => ({ at: next() }));
    return found === undefined ? fallback : found.at;
  }

  return {
    row,
    newId: options.newId,
    /** Asks the plugins whether the run can start; undefined if no plugin has a gate. */
    admit(
      request: RunRequest & { readonly runKey: string },
      { facts, runs }: NonNullable<typeof opened>,
      unstored: Unstored,
    ): Promise<Result<null>> | undefined {
      const runId = runIdOf(facts.sessionId, request);
      return options.admit(request, facts, { ...unstored, reports, runId, ordinal: runs.count() + 1 });
    },
    after: options.after,
    background: options.background,
    now,
    sockets,
    /** The session for its owner; an unknown session and another user's session return one failure. */
    enter(caller: string): Result<NonNullable<typeof opened>> {
      const entered = row.owner() === caller ? wake() : undefined;
      return entered === undefined ? fail("not_found", "Session not found") : success(entered);
    },
    async erase(): Promise<void> {
      const owner = row.owner();
      // First, so that the end of a run finds the session gone and stores nothing.
      row.forget();
      opened?.afterRun.stop();
      if (opened !== undefined && owner !== undefined) oweUsage(owner, opened);
      opened?.runLog.close();
      opened = undefined;
      // After the session is forgotten, so that the end of a socket finds no session.
      sockets.closeAll();
      if (reports.nextDue() === undefined) return options.erase();
      // Reports for plugins remain until they are delivered.
      eraseTables(storage, REPORT_TABLES);
      reports.tellAll();
    },
    /** Whether reports of a session, possibly deleted, are pending. */
    hasReports: (): boolean => reports.nextDue() !== undefined,
    reports,
    /**
     * The alarm: recovers lost runs, ends late calls, prunes; returns the time of the next alarm in Unix milliseconds.
     */
    watch(): number | undefined {
      const entered = wake();
      alone("reports", reports.ring);
      alone("pruning", () => entered?.frames.prune(entered.runs, now()));
      alone("expiry", () => entered?.queue.expire());
      alone("client-calls", () => entered?.clientCalls.expire());
      alone("approvals", () => {
        entered?.approvals.prune();
        if (entered?.approvals.expire() === true) continueRun(entered);
      });
      if (entered !== undefined) options.background(entered.afterRun.catchUp());
      return nextWatch();
    },
    /**
     * The time of the next alarm in Unix milliseconds, without doing any work: an object that was just loaded may have
     * set it before.
     */
    nextWatch,
    owner: row.owner,
    id: (): string => row.record().sessionId,
    /** Recovers runs that should be active; does nothing in a session that was never created. */
    wake: (): void => void wake(),
    /** A client's result of a call; returns why it is refused, if it is. */
    finishCall(result: ArrivedResult): string | undefined {
      const entered = wake();
      if (entered !== undefined && isQuestionId(result.invocationId)) return entered.facts.questions.finish(result);
      if (entered === undefined || !isApprovalId(result.invocationId)) return entered?.clientCalls.finish(result);
      if (result.kind !== "action") return "other kind";
      const refused = entered.approvals.finish(result.invocationId, result.outcome);
      continueRun(entered);
      return refused;
    },
    /** A user's decision about a call of that run. */
    decide(run: number, callId: string, approved: boolean): Decision {
      const entered = wake();
      const decision = entered?.approvals.decide(run, callId, approved) ?? "unknown";
      if (entered !== undefined) continueRun(entered);
      return decision;
    },
    socketJoined(socketId: string): void {
      const entered = wake();
      entered?.clientCalls.socketJoined();
      entered?.approvals.socketJoined(socketId);
      entered?.facts.questions.socketJoined(socketId);
    },
    socketLeft: (socketId: string): void => wake()?.clientCalls.socketLeft(socketId),
  };
}

function damaged(): never {
  throw new Error("a stored row is damaged");
}
