/** What the registry does every minute: small, bounded, and harmless when it runs twice or beside anything else. */
import { describeThrown, type Logger } from "../platform/log.ts";
import { finaliseDue } from "./commands/finalise-due.ts";
import { wakeWebhooks, webhookOutboxes } from "./webhooks/wake.ts";
import { removeExpiredUses } from "./store/idempotency-store.ts";

/** Rows of one kind that one run removes. */
const REMOVED_ROWS = 1_000;

/** `now` in milliseconds since 1970. One job that fails leaves the others to run. */
export async function runScheduled(env: Pick<Env, "DATABASE" | "OUTBOX">, now: number, log: Logger): Promise<void> {
  const database = env.DATABASE;
  const jobs: Readonly<Record<string, () => Promise<unknown>>> = {
    "finalise-due": () => finaliseDue(database, now),
    "remove-expired-answers": () => removeExpiredUses(database, now, REMOVED_ROWS),
    // Last, so that it tells of what the others did.
    "wake-webhooks": () => wakeWebhooks(database, webhookOutboxes(env)),
  };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run();
    } catch (thrown) {
      log.error("job-failed", { job, reason: describeThrown(thrown) });
    }
  }
}
