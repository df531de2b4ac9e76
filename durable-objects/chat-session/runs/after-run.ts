/**
 * What follows a run's end and delays nobody: clients are told to read the transcript anew, the owner's vault learns when
 * it was, what it used and, once there is one, the session's title. What the vault could not be told is kept and told
 * again until it is.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { SessionTouch } from "../../user-store/rpc.ts";
import type { Ending, RunSummaryForLog } from "./active-run.ts";
import type { PublishToRoom } from "../plugin.ts";
import type { Run, RunStore } from "./run-store.ts";
import type { SessionStore } from "../session-store.ts";

const UNTITLED = "Untitled";
/** How soon the vault is told again after it could not be reached, milliseconds. */
export const REPORT_RETRY_MS = 30_000;
/** How many runs one report tells of. */
const RUNS_IN_REPORT = 100;

export interface AfterRunOptions {
  readonly session: SessionStore;
  readonly sessionId: string;
  readonly runs: Pick<RunStore, "unreported" | "hasUnreported" | "markReported" | "markUnreported">;
  readonly opening: () => string;
  readonly makeTitle: (openingMessage: string) => Promise<string>;
  /** Keeps the owner's vault true. */
  readonly touch: (change: SessionTouch) => Promise<void>;
  readonly publish: PublishToRoom;
  readonly now: () => number;
  /** Asks to be woken by that time, Unix milliseconds, to catch up. */
  readonly wakeAt: (time: number) => void;
  readonly log: Logger;
}

export interface AfterRun {
  /** Tells the vault; a failure is logged and harms nothing. */
  touch(requestId: string, change: SessionTouch): Promise<void>;
  settle(run: Run, ending: Ending, summary: RunSummaryForLog): Promise<void>;
  /** Tells the vault what it has not heard of. */
  catchUp(): Promise<void>;
  /** When to catch up next, Unix milliseconds; nothing when the vault knows all. */
  nextReport(): number | undefined;
}

export function createAfterRun(parts: AfterRunOptions): AfterRun {
  const { session, sessionId, runs, log } = parts;
  let titling = false;
  let reporting = false;
  let retryAt = 0;

  async function touch(requestId: string, change: SessionTouch): Promise<boolean> {
    try {
      await parts.touch(change);
      return true;
    } catch (thrown) {
      log.error("index-update-failed", { requestId, reason: describeThrown(thrown) });
      return false;
    }
  }

  /** What a report says of a session that has a title by now. */
  function known(): SessionTouch {
    const { title } = session.record();
    return title === UNTITLED ? {} : { title };
  }

  async function report(requestId: string, lastUpdatedAt?: string): Promise<void> {
    if (reporting) return;
    reporting = true;
    try {
      const ended = runs.unreported(RUNS_IN_REPORT);
      const spent = ended.map(({ runId, usage }) => ({
        runKey: runId.slice(runId.indexOf(".") + 1),
        tokens: usage.inputTokens + usage.outputTokens,
      }));
      const last = ended.at(-1);
      const at = lastUpdatedAt ?? (last === undefined ? undefined : new Date(last.updatedAt).toISOString());
      const done = await touch(requestId, { ...known(), spent, ...(at === undefined ? {} : { lastUpdatedAt: at }) });
      if (session.owner() === undefined) return;
      if (done) {
        runs.markReported(ended);
        retryAt = 0;
      } else {
        retryAt = parts.now() + REPORT_RETRY_MS;
        parts.wakeAt(retryAt);
      }
    } finally {
      reporting = false;
    }
  }

  function nextReport(): number | undefined {
    if (reporting || !runs.hasUnreported()) return undefined;
    return Math.max(retryAt, parts.now());
  }

  async function giveTitle({ requestId, ordinal }: Run): Promise<void> {
    if (titling || session.record().title !== UNTITLED) return;
    titling = true;
    try {
      const title = await parts.makeTitle(parts.opening());
      if (session.owner() === undefined || title === "") return;
      session.update({ title });
      runs.markUnreported(ordinal);
      parts.publish("message_cache_invalidation", { sessionId, requestId });
      await report(requestId);
    } catch (thrown) {
      log.warn("title-failed", { requestId, error: thrown instanceof Error ? thrown.name : "unknown" });
    } finally {
      titling = false;
    }
  }

  return {
    touch: async (requestId, change) => void (await touch(requestId, change)),
    async settle(run, ending, summary) {
      const { requestId, runId, attempt } = run;
      const outcome =
        "failure" in ending
          ? { failure: ending.failure.kind }
          : "finishReason" in ending
            ? { finishReason: ending.finishReason }
            : {};
      log.info("run-ended", { requestId, runId, status: ending.status, ...outcome, attempt, ...summary });
      parts.publish("message_cache_invalidation", { sessionId, requestId });
      await report(requestId, new Date(parts.now()).toISOString());
      if (ending.status === "finished" && session.owner() !== undefined) await giveTitle(run);
    },
    async catchUp() {
      const due = nextReport();
      if (due !== undefined && due <= parts.now()) await report("catch-up");
    },
    nextReport,
  };
}
