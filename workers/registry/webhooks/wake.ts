/**
 * Wakes the outboxes of webhooks after each request that wrote, and every minute. The call carries no data, so a lost
 * call loses nothing: each outbox knows which changes it has received.
 */
import type { Database } from "../../../platform/database/database.ts";
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { enabledWebhooks } from "../store/webhook-store.ts";

/** The outbox of a webhook by the webhook's id. */
export type WebhookOutboxes = (id: string) => OutboxRpc;

/**
 * Milliseconds for which an isolate caches the list of webhooks; a new webhook in another isolate waits for the next
 * minute.
 */
const KNOWN_FOR = 5_000;

export function webhookOutboxes({ OUTBOX }: Pick<Env, "OUTBOX">): WebhookOutboxes {
  // Via `object`, because the stub's own type is too deep for the compiler, and its class is known by its RPC
  // interface.
  const stubOf: (name: string) => object = (name) => OUTBOX.getByName(name);
  return (id) => stubOf(`webhook:${id}`) as OutboxRpc;
}

export interface Waker {
  /** After a commit. Never throws: an outbox that is not woken now is woken within a minute. */
  wakeSoon(log: Logger): Promise<void>;
  /** This isolate has just created or changed a webhook. */
  forget(): void;
}

export function createWaker(database: Database, outboxes: WebhookOutboxes, clock: () => number): Waker {
  let known: readonly string[] = [];
  let knownUntil = 0;
  let changes = 0;
  async function currentWebhooks(): Promise<readonly string[]> {
    if (clock() < knownUntil) return known;
    const changesBefore = changes;
    const read = await enabledWebhooks(database);
    // A list that was read while a webhook was created may lack it, so the next wake reads again.
    if (changes === changesBefore) [known, knownUntil] = [read, clock() + KNOWN_FOR];
    return read;
  }
  return {
    forget: () => void ([knownUntil, changes] = [0, changes + 1]),
    async wakeSoon(log) {
      try {
        await wakeAll(await currentWebhooks(), outboxes);
      } catch (thrown) {
        log.warn("webhooks-not-woken", { reason: describeThrown(thrown) });
      }
    },
  };
}

/** Every minute. */
export async function wakeWebhooks(database: Database, outboxes: WebhookOutboxes): Promise<void> {
  await wakeAll(await enabledWebhooks(database), outboxes);
}

async function wakeAll(ids: readonly string[], outboxes: WebhookOutboxes): Promise<void> {
  await Promise.all(ids.map((id) => outboxes(id).wake()));
}
