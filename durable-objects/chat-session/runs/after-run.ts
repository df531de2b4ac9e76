/**
 * What follows the end of a run, in the background: clients are notified to read the transcript again, and the user store
 * learns when the run ended, what it used and, once there is one, the session's title. A report that fails is repeated
 * until it succeeds.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { SessionTouch } from "../../user-store/rpc.ts";
import type { Ending, RunSummary } from "./active-run.ts";
import type { PublishToRoom } from "../../../protocol/socket-events.ts";
import type { Run, RunStore } from "./run-store.ts";
import type { SessionStore } from "../session-store.ts";

const UNTITLED = "Untitled";
/** How soon a report that failed is repeated, milliseconds. */
export const REPORT_RETRY_MS = 30_000;
/** How many runs one report covers. */
const RUNS_IN_REPORT = 100;

export interface AfterRunOptions {
  readonly session: SessionStore;
  readonly sessionId: string;
  readonly runs: Pick<RunStore, "unreported" | "hasUnreported" | "markReported" | "markUnreported">;
  readonly opening: () => string;
  readonly makeTitle: (openingMessage: string) => Promise<string>;
  /** Updates the user store. */
  readonly touch: (change: SessionTouch) => Promise<void>;
  readonly publish: PublishToRoom;
  readonly now: () => number;
  /** Asks for an alarm by that time, Unix milliseconds, to catch up. */
  readonly wakeAt: (time: number) => void;
  readonly log: Logger;
}

export function createAfterRun(options: AfterRunOptions) {
  const { session, sessionId, runs, log } = options;
  let titling = false;
  let reporting = false;
  let retryAt = 0;

  async function touch(requestId: string, change: SessionTouch): Promise<boolean> {
    try {
      await options.touch(change);
      return true;
    } catch (thrown) {
      log.error("index-update-failed", { requestId, reason: describeThrown(thrown) });
      return false;
    }
  }

  /** The title, for a session that has one by now. */
  function titleOf(): SessionTouch {
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
      const done = await touch(requestId, { ...titleOf(), spent, ...(at === undefined ? {} : { lastUpdatedAt: at }) });
      if (session.owner() === undefined) return;
      if (done) {
        runs.markReported(ended);
        retryAt = 0;
      } else {
        retryAt = options.now() + REPORT_RETRY_MS;
        options.wakeAt(retryAt);
      }
    } finally {
      reporting = false;
    }
  }

  function nextReport(): number | undefined {
    if (reporting || !runs.hasUnreported()) return undefined;
    return Math.max(retryAt, options.now());
  }

  async function giveTitle({ requestId, ordinal }: Run): Promise<void> {
    if (titling || session.record().title !== UNTITLED) return;
    titling = true;
    try {
      const title = await options.makeTitle(options.opening());
      if (session.owner() === undefined || title === "") return;
      session.update({ title });
      runs.markUnreported(ordinal);
      options.publish("message_cache_invalidation", { sessionId, requestId });
      await report(requestId);
    } catch (thrown) {
      log.warn("title-failed", { requestId, error: thrown instanceof Error ? thrown.name : "unknown" });
    } finally {
      titling = false;
    }
  }

  return {
    /** Updates the user store; a failure is logged and has no other effect. */
    touch: async (requestId: string, change: SessionTouch): Promise<void> => void (await touch(requestId, change)),
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
      await report(requestId, new Date(options.now()).toISOString());
      if (ending.status === "finished" && session.owner() !== undefined) await giveTitle(run);
    },
    /** Repeats what the user store has not learnt. */
    async catchUp(): Promise<void> {
      const due = nextReport();
      if (due !== undefined && due <= options.now()) await report("catch-up");
    },
    /** When to catch up next, Unix milliseconds. */
    nextReport,
  };
}
