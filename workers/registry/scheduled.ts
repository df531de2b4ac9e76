/** What the registry does every minute: small, bounded, and harmless when it runs twice or beside anything else. */
import { describeThrown, type Logger } from "../platform/log.ts";
import { finaliseDue } from "./governance/finalise-due.ts";
import { removeExpiredUses } from "./store/idempotency-store.ts";

/** Rows of one kind that one run removes. */
const REMOVED_ROWS = 1_000;

/** `now` in milliseconds since 1970. One job that fails leaves the others to run. */
export async function runScheduled(database: D1Database, now: number, log: Logger): Promise<void> {
  const jobs: Readonly<Record<string, () => Promise<unknown>>> = {
    "finalise-due": () => finaliseDue(database, now),
    "remove-expired-answers": () => removeExpiredUses(database, now, REMOVED_ROWS),
  };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run();
    } catch (thrown) {
      log.error("job-failed", { job, reason: describeThrown(thrown) });
    }
  }
}
