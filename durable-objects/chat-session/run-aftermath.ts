/**
 * What follows a run's end and delays nobody (contract/oracle.md sections 7, 8.3): clients are told to read the
 * transcript anew, the owner's index learns when, and the first finished turn gives the session its title.
 */
import { describeThrown, type Logger } from "../../workers/platform/log.ts";
import type { Ending } from "./active-run.ts";
import type { PublishToRoom } from "./plugin-api.ts";
import type { Run } from "./run-store.ts";
import type { SessionStore } from "./session-store.ts";

const UNTITLED = "Untitled";

export interface IndexChange {
  readonly lastUpdatedAt?: string;
  readonly title?: string;
}

export interface RunAftermathParts {
  readonly session: SessionStore;
  readonly sessionId: string;
  readonly opening: () => string;
  readonly makeTitle: (openingMessage: string) => Promise<string>;
  /** Keeps the owner's index of sessions true. */
  readonly touch: (change: IndexChange) => Promise<void>;
  readonly publish: PublishToRoom;
  readonly now: () => number;
  readonly log: Logger;
}

export interface RunAftermath {
  /** Tells the index; a failure is logged and harms nothing. */
  touch(requestId: string, change: IndexChange): Promise<void>;
  settle(run: Run, ending: Ending): Promise<void>;
}

export function createRunAftermath(parts: RunAftermathParts): RunAftermath {
  const { session, sessionId, log } = parts;
  let titling = false;

  async function touch(requestId: string, change: IndexChange): Promise<void> {
    try {
      await parts.touch(change);
    } catch (thrown) {
      log.error("index-update-failed", { requestId, reason: describeThrown(thrown) });
    }
  }

  async function giveTitle(requestId: string): Promise<void> {
    if (titling || session.record().title !== UNTITLED) return;
    titling = true;
    try {
      const title = await parts.makeTitle(parts.opening());
      if (session.owner() === undefined || title === "") return;
      session.update({ title });
      parts.publish("message_cache_invalidation", { sessionId, requestId });
      await touch(requestId, { title });
    } catch (thrown) {
      log.warn("title-failed", { requestId, error: thrown instanceof Error ? thrown.name : "unknown" });
    } finally {
      titling = false;
    }
  }

  return {
    touch,
    async settle({ requestId, runId, attempt }, ending) {
      log.info("run-ended", { requestId, runId, status: ending.status, attempt });
      parts.publish("message_cache_invalidation", { sessionId, requestId });
      await touch(requestId, { lastUpdatedAt: new Date(parts.now()).toISOString() });
      if (ending.status === "finished" && session.owner() !== undefined) await giveTitle(requestId);
    },
  };
}
