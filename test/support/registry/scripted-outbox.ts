/** An outbox over a receiver that a test scripts, and messages for it. */
import type { OutboxMessage } from "../../../durable-objects/outbox/rpc.ts";
import type { Attempt, Receiver, Sender, AttemptResult } from "../../../durable-objects/outbox/sender.ts";
import { outboxInNode } from "./outbox-in-node.ts";

export const message = (id: string, more: Partial<OutboxMessage> = {}): OutboxMessage => {
  return { id, topic: "t", body: `body of ${id}`, ordered: true, ...more };
};
export const messages = (count: number, more: Partial<OutboxMessage> = {}) =>
  Array.from({ length: count }, (_, index) => message(`m${index}`, more));

export const delivered: AttemptResult = { kind: "delivered", status: 200 };
export const failed: AttemptResult = { kind: "failed", reason: "status", status: 500 };

/** `sent` has every attempt. */
export function scriptedOutbox(
  judge: (attempt: Attempt) => AttemptResult | Promise<AttemptResult>,
  more: Partial<Receiver & Sender> = {},
) {
  const sent: Attempt[] = [];
  const { keeps = { delivered: 5, bodies: true }, open, ...receiver } = more;
  const sender: Sender = {
    keeps,
    open:
      open ??
      (async () => ({
        send: async (attempt) => {
          sent.push(attempt);
          return judge(attempt);
        },
        ...receiver,
      })),
  };
  return { box: outboxInNode(sender), sent, ids: () => sent.map((attempt) => attempt.message.id) };
}
