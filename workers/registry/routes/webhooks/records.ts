/** Webhooks and deliveries as an administrator reads them; never with a secret. */
import * as z from "zod";
import type { Delivery, OutboxSummary } from "../../../../durable-objects/outbox/rpc.ts";
import { did, time } from "../../description.ts";
import { domainActions } from "../../domain/domain.ts";
import { printTime } from "../../domain/time.ts";
import { disabledReasons, type Webhook } from "../../store/webhook-store.ts";

export const deliveryStates = ["pending", "delivered", "dead"] as const;

export const webhookRecord = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    actions: z.array(z.enum(domainActions)),
    enabled: z.boolean(),
    disabledReason: z
      .enum(disabledReasons)
      .nullable()
      .meta({ description: "`gone`: it answered 410. `failing`: three messages in a row became dead letters." }),
    disabledAt: time.nullable(),
    createdBy: did,
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Webhook" });

export const webhookWithQueue = webhookRecord
  .extend({
    queue: z.object({
      pending: z.int(),
      dead: z.int(),
      cursor: z.int().meta({ description: "The seq up to which changes have been taken in." }),
      nextAttemptAt: time.nullable(),
    }),
  })
  .meta({ id: "WebhookWithQueue" });

export const webhookWithSecret = webhookRecord
  .extend({ secret: z.string().meta({ description: "`whsec_…`. It is told here and never again." }) })
  .meta({ id: "WebhookWithSecret" });

export const deliveryRecord = z
  .object({
    id: z.string().meta({ description: "The header `webhook-id`." }),
    type: z.string(),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    takenAt: time,
    nextAttemptAt: time.nullable(),
    endedAt: time.nullable(),
    lastStatus: z.int().nullable(),
    lastReason: z.string().nullable(),
  })
  .meta({ id: "WebhookDelivery" });

export function representationOf({ disabledAt, createdAt, updatedAt, ...same }: Webhook) {
  return {
    ...same,
    disabledAt: printed(disabledAt),
    createdAt: printTime(createdAt),
    updatedAt: printTime(updatedAt),
  };
}

export function queueOf({ nextAttemptAt, pending, dead, cursor }: OutboxSummary) {
  return { pending, dead, cursor, nextAttemptAt: printed(nextAttemptAt) };
}

export function deliveryOf(delivery: Delivery) {
  const { id, topic, state, attempts, takenAt, nextAttemptAt, endedAt, lastStatus, lastReason } = delivery;
  return {
    id,
    type: topic,
    state,
    attempts,
    takenAt: printTime(takenAt),
    nextAttemptAt: printed(nextAttemptAt),
    endedAt: printed(endedAt),
    lastStatus,
    lastReason,
  };
}

function printed(at: number | null): string | null {
  return at === null ? null : printTime(at);
}
