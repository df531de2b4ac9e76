/** Webhooks and deliveries as admins send and read them, never with an existing secret. */
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import type { Delivery, OutboxSummary } from "../../../durable-objects/outbox/rpc.ts";
import { domainActions } from "../domain/domain.ts";
import { isDomainId } from "../domain/domain-id.ts";
import { classMember } from "../domain/members.ts";
import { printTime } from "../domain/time.ts";
import { disabledReasons, type Webhook } from "../store/webhook-store.ts";
import { LONGEST_URL, webhookAddress, type AddressRule } from "../webhooks/address.ts";

/** Characters. */
const LONGEST_DESCRIPTION = 200;
/** Domains or classes per webhook: larger filters belong in the receiver. */
const FILTER_VALUES = 50;
/** Seconds: a week, long enough to update the secret in every receiver. */
const LONGEST_OVERLAP = 604_800;
/** Seconds: a day. */
const USUAL_OVERLAP = 86_400;

/** An address in JSON Schema. Plain HTTP is for development only, and a setting limits the hosts. */
const HTTP_ADDRESS = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://\S`;

function members(rule: AddressRule) {
  return {
    url: z
      .string()
      .transform((text, context): string => {
        const address = webhookAddress(text, rule);
        if (address.ok) return address.value.href;
        context.addIssue({ code: "custom", message: address.error, params: { reason: "format" } });
        return z.NEVER;
      })
      .meta({
        pattern: HTTP_ADDRESS,
        maxLength: LONGEST_URL,
        description: "https, to a host that REGISTRY_WEBHOOK_HOSTS lists.",
      }),
    description: z.string().max(LONGEST_DESCRIPTION).nullable(),
    actions: z
      .array(z.enum(domainActions))
      .transform((named) => domainActions.filter((action) => named.includes(action)))
      .meta({ description: "Which history actions this webhook receives; empty means all." }),
    domains: listOf(z.string().refine(isDomainId, { error: "must be the DID of a domain" })).meta({
      description: "The domains whose changes this webhook receives; empty means all.",
    }),
    classes: listOf(classMember).meta({
      description:
        "Receives changes of domains that have one of these classes, or had it before the change; empty means all.",
    }),
    enabled: z.boolean(),
  };
}

function listOf(item: z.ZodType<string>) {
  return z
    .array(item)
    .max(FILTER_VALUES)
    .transform((named) => [...new Set(named)]);
}

export function webhookBody(rule: AddressRule) {
  const { url, description, actions, domains, classes, enabled } = members(rule);
  return z.strictObject({
    url,
    description: description.default(null),
    actions: actions.default([]),
    domains: domains.default([]),
    classes: classes.default([]),
    enabled: enabled.default(true),
  });
}

/** Omitted members stay unchanged. */
export function webhookPatch(rule: AddressRule) {
  return z.strictObject(members(rule)).partial();
}

export const secretRotation = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(LONGEST_OVERLAP)
    .default(USUAL_OVERLAP)
    .meta({ description: "How long messages are signed with both secrets." }),
});

export const deliveryStates = ["pending", "delivered", "dead"] as const;

export const webhookRecord = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    actions: z.array(z.enum(domainActions)),
    domains: z.array(did),
    classes: z.array(z.string()),
    enabled: z.boolean(),
    disabledReason: z.enum(disabledReasons).nullable().meta({
      description: "`gone`: it answered 410. `failing`: three messages in a row were given up, or twenty refused.",
    }),
    disabledAt: time.nullable(),
    createdBy: did,
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Webhook" });

export const webhookWithQueue = webhookRecord
  .extend({
    queue: z.object({
      pending: z.int().meta({ description: "Messages that are queued and not delivered." }),
      backlog: z.int().meta({ description: "Changes of the feed that are not queued yet." }),
      dead: z.int(),
      cursor: z.int().meta({ description: "The seq up to which changes have been queued." }),
      nextAttemptAt: time.nullable(),
    }),
  })
  .meta({ id: "WebhookWithQueue" });

export const webhookWithSecret = webhookRecord
  .extend({ secret: z.string().meta({ description: "`whsec_…`. Only this response contains it." }) })
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

/** `newest`: the seq at the end of the feed. */
export function queueOf({ nextAttemptAt, pending, dead, cursor }: OutboxSummary, newest: number) {
  return { pending, backlog: Math.max(0, newest - cursor), dead, cursor, nextAttemptAt: printed(nextAttemptAt) };
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
