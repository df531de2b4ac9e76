/**
 * Background work after the end of a run: clients are notified to read the transcript again, and the user vault receives the run's
 * end, its usage and, once there is one, the session's title. A failed report is retried until it succeeds.
 */
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { SessionTouch } from "../user-vault-rpc.ts";
import type { Ending, RunSummary } from "./active-run.ts";
import type { PublishToRoom } from "../../protocol/socket-events.ts";
import type { After } from "./frames.ts";
import { runKeyOf } from "./run-queue.ts";
import type { Run, RunStore } from "./run-store.ts";
import type { SessionStore } from "./session-store.ts";

const UNTITLED = "Untitled";
/** Pause before a failed report is retried, milliseconds. */
export const REPORT_RETRY_MS = 30_000;
/** How many runs one report covers. */
const RUNS_IN_REPORT = 100;
/** How long the report of an accepted message is delayed, milliseconds: a run that ends sooner is reported once. */
export const ACCEPTED_REPORT_DELAY_MS = 50;
/**
 * How long the mark of a reported run is delayed, milliseconds: the next run writes it with its own rows, which saves a commit. A
 * mark lost with the process causes a second, harmless report.
 */
export const REPORTED_MARK_DELAY_MS = 1_000;

type EndedRun = Pick<Run, "ordinal" | "runId" | "payer" | "usage" | "startedAt" | "updatedAt">;

export interface AfterRunOptions {
  readonly session: SessionStore;
  readonly sessionId: string;
  readonly runs: Pick<RunStore, "unreported" | "hasUnreported" | "markReported" | "markUnreported">;
  readonly opening: () => string;
  /** `payer`: the DID that the title counts against, if it is not the owner. */
  readonly makeTitle: (openingMessage: string, payer: string | null) => Promise<string>;
  /** Updates the user vault. */
  readonly touch: (change: SessionTouch) => Promise<void>;
  readonly publish: PublishToRoom;
  readonly now: () => number;
  readonly after: After;
  /** Requests an alarm by that time, Unix milliseconds, to catch up. */
  readonly wakeAt: (time: number) => void;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

export function createAfterRun(options: AfterRunOptions) {
  const { session, sessionId, runs, log, now, after } = options;
  let titling = false;
  let retryAt = 0;
  /** The report in progress, and those queued after it. */
  let reporting: Promise<void> | undefined;
  /** Ended runs not yet reported to the user vault; undefined until read. */
  let unreported: Map<number, EndedRun> | undefined;
  /** Reported runs whose rows are not marked yet. */
  let reported: readonly EndedRun[] = [];
  let cancelMark: (() => void) | undefined;
  let cancelAccepted: (() => void) | undefined;
  /** Settles when the user vault has received the last accepted message, or the attempt failed. */
  let indexed: Promise<void> = Promise.resolve();

  const timestamp = (): string => new Date(now()).toISOString();

  async function touch(requestId: string, change: SessionTouch): Promise<boolean> {
    try {
      await options.touch(change);
      return true;
    } catch (thrown) {
      log.error("index-update-failed", { requestId, reason: describeThrown(thrown) });
      return false;
    }
  }

  /** The title, if the session has one by now. */
  function titleOf(): SessionTouch {
    const { title } = session.record();
    return title === UNTITLED ? {} : { title };
  }

  function stillUnreported(): Map<number, EndedRun> {
    unreported ??= new Map(runs.unreported(RUNS_IN_REPORT).map((run) => [run.ordinal, run]));
    return unreported;
  }

  /** One report at a time; runs that end meanwhile go into the next one. */
  function report(requestId: string, lastUpdatedAt?: string): Promise<void> {
    const sent =
      reporting === undefined ? send(requestId, lastUpdatedAt) : reporting.then(() => send(requestId, lastUpdatedAt));
    const done = sent.finally(() => {
      if (reporting === done) reporting = undefined;
    });
    reporting = done;
    return done;
  }

  async function send(requestId: string, lastUpdatedAt?: string): Promise<void> {
    if (session.owner() === undefined) return;
    const waiting = stillUnreported();
    const ended = [...waiting.values()];
    const spent = ended.map((run) => ({
      ...(run.payer === null ? {} : { payer: run.payer }),
      runKey: runKeyOf(run),
      tokens: run.usage.inputTokens + run.usage.outputTokens,
      since: run.startedAt,
    }));
    const last = ended.at(-1);
    const at = lastUpdatedAt ?? (last === undefined ? undefined : new Date(last.updatedAt).toISOString());
    const done = await touch(requestId, { ...titleOf(), spent, ...(at === undefined ? {} : { lastUpdatedAt: at }) });
    if (session.owner() === undefined) return;
    if (!done) {
      retryAt = now() + REPORT_RETRY_MS;
      return options.wakeAt(retryAt);
    }
    retryAt = 0;
    for (const run of ended) if (waiting.get(run.ordinal) === run) waiting.delete(run.ordinal);
    reported = [...reported, ...ended];
    cancelMark ??= after(REPORTED_MARK_DELAY_MS, markReported);
    if (ended.length < RUNS_IN_REPORT) return;
    // There may be more than one report covers.
    markReported();
    unreported = undefined;
  }

  function markReported(): void {
    cancelMark?.();
    cancelMark = undefined;
    runs.markReported(reported.filter((run) => unreported?.get(run.ordinal) !== run));
    reported = [];
  }

  function nextReport(): number | undefined {
    const hasUnreported = unreported === undefined ? runs.hasUnreported() : unreported.size > 0;
    if (reporting !== undefined || !hasUnreported) return undefined;
    return Math.max(retryAt, now());
  }

  async function giveTitle({ requestId, payer }: Run, ended: EndedRun): Promise<void> {
    if (titling || session.record().title !== UNTITLED) return;
    titling = true;
    try {
      const title = await options.makeTitle(options.opening(), payer);
      if (session.owner() === undefined || title === "") return;
      session.update({ title });
      runs.markUnreported(ended.ordinal);
      stillUnreported().set(ended.ordinal, ended);
      options.publish("message_cache_invalidation", { sessionId, requestId });
      await report(requestId);
    } catch (thrown) {
      log.warn("title-failed", { requestId, error: thrown instanceof Error ? thrown.name : "unknown" });
    } finally {
      titling = false;
    }
  }

  return {
    /** A message was accepted: reports it to the user vault, unless its run ends at once. */
    accepted(requestId: string): void {
      markReported();
      cancelAccepted?.();
      const lastUpdatedAt = timestamp();
      cancelAccepted = after(ACCEPTED_REPORT_DELAY_MS, () => {
        cancelAccepted = undefined;
        if (session.owner() === undefined) return;
        indexed = touch(requestId, { lastUpdatedAt }).then(() => undefined);
        options.background(indexed);
      });
    },
    /** Resolves when the user vault has received the message of the last ended run; a failure is only logged. */
    indexed: (): Promise<void> => indexed,
    async runEnded(run: Run, ending: Ending, summary: RunSummary): Promise<void> {
      const { requestId, runId, attempt } = run;
      const outcome =
        "failure" in ending
          ? { failure: ending.failure.kind }
          : "finishReason" in ending
            ? { finishReason: ending.finishReason }
            : {};
      log.info("run-ended", { requestId, runId, status: ending.status, ...outcome, attempt, ...summary });
      options.publish("message_cache_invalidation", { sessionId, requestId });
      const { ordinal, payer, startedAt } = run;
      const ended = { ordinal, runId, payer, usage: summary, startedAt, updatedAt: now() };
      stillUnreported().set(run.ordinal, ended);
      const sent = report(requestId, timestamp());
      if (cancelAccepted !== undefined) indexed = sent;
      cancelAccepted?.();
      cancelAccepted = undefined;
      await sent;
      if (ending.status === "finished" && session.owner() !== undefined) await giveTitle(run, ended);
    },
    /** The session is being erased: stops notifying. Marks of past reports are stored. */
    stop(): void {
      cancelAccepted?.();
      markReported();
    },
    /** Retries reports that the user vault has not received. */
    async catchUp(): Promise<void> {
      const due = nextReport();
      if (due !== undefined && due <= now()) await report("catch-up");
    },
    /** When to catch up next, Unix milliseconds. */
    nextReport,
  };
}
