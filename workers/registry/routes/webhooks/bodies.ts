/** What an administrator sends to make, change or rotate a webhook. */
import * as z from "zod";
import { domainActions } from "../../domain/domain.ts";
import { webhookAddress, type AddressRule } from "../../webhooks/address.ts";

/** Characters. */
const LONGEST_DESCRIPTION = 200;
/** Seconds: a week, long enough to bring the new secret to every receiver. */
const LONGEST_OVERLAP = 604_800;
/** Seconds: a day. */
const USUAL_OVERLAP = 86_400;

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
      .meta({ description: "https, to a host that REGISTRY_WEBHOOK_HOSTS names." }),
    description: z.string().max(LONGEST_DESCRIPTION).nullable(),
    actions: z
      .array(z.enum(domainActions))
      .transform((named) => domainActions.filter((action) => named.includes(action)))
      .meta({ description: "Actions of the history to be told of; empty: all." }),
    enabled: z.boolean(),
  };
}

export function webhookBody(rule: AddressRule) {
  const { url, description, actions, enabled } = members(rule);
  return z.strictObject({
    url,
    description: description.default(null),
    actions: actions.default([]),
    enabled: enabled.default(true),
  });
}

/** What is not named stays. */
export function webhookPatch(rule: AddressRule) {
  return z.strictObject(members(rule)).partial();
}

export const secretRotation = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(LONGEST_OVERLAP)
    .default(USUAL_OVERLAP)
    .meta({ description: "How long messages are signed with the old secret too." }),
});
