/**
 * Tells the outboxes of webhooks that there may be something new: after each request that wrote, and every minute. It
 * carries nothing, so that nothing is lost when it is: each outbox knows what it has received.
 */
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { enabledWebhooks } from "../store/webhook-store.ts";

/** The outbox of a webhook by the webhook's id. */
export type WebhookOutboxes = (id: string) => OutboxRpc;

/** Milliseconds for which an isolate knows which webhooks there are; one that it does not know waits for the minute. */
const KNOWN_FOR = 5_000;

export function webhookOutboxes({ OUTBOX }: Pick<Env, "OUTBOX">): WebhookOutboxes {
  // By way of `object`: the stub's own type is too deep for the compiler, and its class is known by its RPC interface.
  const stubOf: (name: string) => object = (name) => OUTBOX.getByName(name);
  return (id) => stubOf(`webhook:${id}`) as OutboxRpc;
}

export interface Waker {
  /** After a commit. Never throws: whoever is not woken now is woken within a minute. */
  wakeSoon(log: Logger): Promise<void>;
  /** This isolate just made or changed one. */
  forget(): void;
}

export function createWaker(database: D1Database, outboxes: WebhookOutboxes, clock: () => number): Waker {
  let known: readonly string[] = [];
  let knownUntil = 0;
  return {
    forget: () => void (knownUntil = 0),
    async wakeSoon(log) {
      try {
        if (clock() >= knownUntil) {
          known = await enabledWebhooks(database);
          knownUntil = clock() + KNOWN_FOR;
        }
        await wakeAll(known, outboxes);
      } catch (thrown) {
        log.warn("webhooks-not-woken", { reason: describeThrown(thrown) });
      }
    },
  };
}

/** Every minute. */
export async function wakeWebhooks(database: D1Database, outboxes: WebhookOutboxes): Promise<void> {
  await wakeAll(await enabledWebhooks(database), outboxes);
}

async function wakeAll(ids: readonly string[], outboxes: WebhookOutboxes): Promise<void> {
  await Promise.all(ids.map((id) => outboxes(id).wake()));
}
