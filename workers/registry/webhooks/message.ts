/**
 * The messages of a webhook and their headers, by the Standard Webhooks scheme: `{type, timestamp, data}`. The type is
 * `domain.` and the action of the history entry; the data is the entry of the feed (`GET /v1/changes`).
 */
import { Webhook } from "standardwebhooks";
import type { OutboxMessage } from "../../../durable-objects/outbox/rpc.ts";
import type { RandomBytes } from "../did.ts";
import type { FeedChange } from "../store/change-store.ts";

/**
 * Maximum bytes of a body. A larger message omits the list of changes, which the receiver can read from the history.
 */
export const MESSAGE_BYTES = 64 * 1024;

/** The id stays the same whenever the change is sent to this webhook again. */
export function changeMessage(webhookId: string, change: FeedChange): OutboxMessage {
  const type = `domain.${change.action}`;
  const whole = JSON.stringify({ type, timestamp: change.at, data: change });
  const isLong = new TextEncoder().encode(whole).length > MESSAGE_BYTES;
  const body = isLong ? JSON.stringify({ type, timestamp: change.at, data: { ...change, changes: null } }) : whole;
  const id = `msg_${webhookId.slice(webhookId.indexOf("_") + 1)}_${change.seq}`;
  return { id, topic: type, body, ordered: true, lane: change.domainId };
}

/** A test message: signed like any other, sent before waiting messages, tried once. */
export function pingMessage(webhookId: string, id: string, timestamp: string): OutboxMessage {
  const body = JSON.stringify({ type: "webhook.ping", timestamp, data: { webhookId } });
  return { id, topic: "webhook.ping", body, ordered: false, attempts: 1 };
}

/** The scheme requires 24 to 64. */
const SECRET_BYTES = 32;

/** `whsec_…`, the shared secret. */
export function newSecret(randomBytes: RandomBytes): string {
  return `whsec_${btoa(String.fromCharCode(...randomBytes(SECRET_BYTES)))}`;
}

export interface SignedMessage {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly body: string;
  readonly secrets: readonly string[];
}

export function signedHeaders({ id, at, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const time = new Date(at);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(" "),
  };
}
