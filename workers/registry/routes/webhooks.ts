/**
 * Webhooks: who is told of changes, for administrators (decisions 5.4). The secret is in the answer that makes it and
 * never again: it is kept by the webhook's Outbox, which signs with it, and nowhere in the database.
 */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { registryFailure, type RegistryReason } from "../failures.ts";
import { newIdentifier } from "../identifier.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { checkedBody } from "../middleware/checked-body.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf, withoutParameters } from "../middleware/query.ts";
import { newestChange } from "../store/change-store.ts";
import {
  insertWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  updateWebhook,
  type Webhook,
} from "../store/webhook-store.ts";
import { type AddressRule, addressRuleOf } from "../webhooks/address.ts";
import { newSecret } from "../webhooks/message.ts";
import { secretRotation, webhookBody, webhookPatch } from "./webhooks/bodies.ts";
import { queueOf, representationOf, webhookRecord, webhookWithQueue, webhookWithSecret } from "./webhooks/records.ts";

export const webhookRoutes = new Hono<RegistryHono>();
const tag = "Changes";
const admin = keyed("registry:admin");

/** Webhooks of a deployment: each is woken every minute and after every write. */
const WEBHOOKS = 50;

export const webhookParams = z.object({ webhookId: z.string() });
export const unknownWebhook = registryFailure("not_found", "There is no such webhook");
const tooMany = registryFailure("validation_failed", `There are ${WEBHOOKS} webhooks; remove one first`);
const anyHost: AddressRule = { hosts: [], allowsHttp: false };
const bodyProblems: readonly RegistryReason[] = [
  "malformed_json",
  "validation_failed",
  "unknown_field",
  "body_too_large",
  "unsupported_media_type",
];

const create: Operation = {
  method: "post",
  path: "/v1/webhooks",
  id: "createWebhook",
  summary: "Tell an address of changes from now on",
  description:
    "Each change is posted as `{type, timestamp, data}` and signed by the Standard Webhooks scheme. Messages come at least once, in the order of the feed: one waits until that before it was taken, or given up after ten attempts in about 20 hours. What was given up can be replayed, and then comes late.",
  tag,
  security: keyedSecurity,
  body: { schema: webhookBody(anyHost), example: { url: "https://hooks.example.org/twinedge", actions: ["verified"] } },
  responses: {
    201: {
      description: "The webhook with its secret",
      content: { schema: webhookWithSecret },
      headers: { Location: "The webhook" },
    },
    ...keyedProblems(...bodyProblems),
  },
};

webhookRoutes.post(create.path, admin, withoutParameters, async (c) => {
  const { config, database, clock, randomBytes, outboxes, waker } = c.var.runtime;
  const body = await checkedBody(c, webhookBody(addressRuleOf(config)), { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  const [id, secret, now] = [newIdentifier("whk", randomBytes), newSecret(randomBytes), clock()];
  // The outbox first: one without a webhook is erased by itself, a webhook without a secret would be of no use.
  await outboxes(id).open(await newestChange(database), secret);
  const off = { disabledReason: "operator", disabledAt: now } as const;
  const on = { disabledReason: null, disabledAt: null };
  const webhook = {
    id,
    ...body.value,
    ...(body.value.enabled ? on : off),
    createdBy: c.var.caller.did,
    createdAt: now,
    updatedAt: now,
  };
  if (!(await insertWebhook(database, webhook, WEBHOOKS))) {
    await outboxes(id).close();
    return refuse(c, tooMany);
  }
  waker.forget();
  c.env.log.info("webhook-created", { webhook: id, by: c.var.caller.keyId });
  return c.json({ ...representationOf(webhook), secret }, 201, {
    Location: `/v1/webhooks/${id}`,
    "Cache-Control": "no-store",
  });
});

const list: Operation = {
  method: "get",
  path: "/v1/webhooks",
  id: "listWebhooks",
  summary: "All webhooks, by id",
  tag,
  security: keyedSecurity,
  query: z.object(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(webhookRecord) }, headers: { Link: "The next page" } },
    ...keyedProblems("invalid_cursor", "invalid_page_size"),
  },
};

webhookRoutes.get(list.path, admin, async (c) => {
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf("webhooks");
  const after = cursor.read(query.value.get("cursor"), z.tuple([z.string()]));
  if (!after.ok) return refuse(c, after.error);
  const webhooks = await listWebhooks(c.var.runtime.database, after.value?.[0] ?? "", limit.value + 1);
  const position = (last: Webhook) => [last.id];
  return answerPage(c, pageFrom(webhooks, { limit: limit.value, show: representationOf, cursor, position }));
});

const read: Operation = {
  method: "get",
  path: "/v1/webhooks/:webhookId",
  id: "getWebhook",
  summary: "One webhook, and what waits for it",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  responses: {
    200: { description: "The webhook", content: { schema: webhookWithQueue } },
    ...keyedProblems("not_found"),
  },
};

webhookRoutes.get(read.path, admin, async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const { database, outboxes } = c.var.runtime;
  const webhook = await readWebhook(database, namedWebhook(c));
  if (webhook === undefined) return refuse(c, unknownWebhook);
  const queue = queueOf(await outboxes(webhook.id).summary());
  return c.json({ ...representationOf(webhook), queue });
});

const update: Operation = {
  method: "patch",
  path: "/v1/webhooks/:webhookId",
  id: "updateWebhook",
  summary: "Change, switch off or on",
  description: "What is not named stays. One that is switched on again goes on where it stopped.",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  body: { schema: webhookPatch(anyHost), example: { enabled: true } },
  responses: {
    200: { description: "The webhook", content: { schema: webhookRecord } },
    ...keyedProblems(...bodyProblems, "not_found"),
  },
};

webhookRoutes.patch(update.path, admin, withoutParameters, async (c) => {
  const { config, database, clock, outboxes, waker } = c.var.runtime;
  const body = await checkedBody(c, webhookPatch(addressRuleOf(config)), { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  const webhook = await updateWebhook(database, namedWebhook(c), body.value, clock());
  if (webhook === undefined) return refuse(c, unknownWebhook);
  waker.forget();
  c.env.log.info("webhook-updated", { webhook: webhook.id, by: c.var.caller.keyId, enabled: webhook.enabled });
  const { enabled, url } = body.value;
  // Another address, or the same one mended: what waits for its next attempt need not.
  if (webhook.enabled && (enabled === true || url !== undefined)) await outboxes(webhook.id).resume();
  return c.json(representationOf(webhook));
});

const remove: Operation = {
  method: "delete",
  path: "/v1/webhooks/:webhookId",
  id: "deleteWebhook",
  summary: "Remove a webhook with all that waits for it",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  responses: { 204: { description: "Removed" }, ...keyedProblems("not_found") },
};

webhookRoutes.delete(remove.path, admin, withoutParameters, async (c) => {
  const { database, outboxes, waker } = c.var.runtime;
  const id = namedWebhook(c);
  if (!(await removeWebhook(database, id))) return refuse(c, unknownWebhook);
  waker.forget();
  await outboxes(id).close();
  c.env.log.info("webhook-removed", { webhook: id, by: c.var.caller.keyId });
  return c.body(null, 204);
});

const rotate: Operation = {
  method: "post",
  path: "/v1/webhooks/:webhookId/rotate",
  id: "rotateWebhookSecret",
  summary: "A new secret; messages are signed with the old one too for a while",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  body: { schema: secretRotation, example: { overlapSeconds: 3_600 } },
  responses: {
    200: { description: "The webhook with its new secret", content: { schema: webhookWithSecret } },
    ...keyedProblems(...bodyProblems, "not_found"),
  },
};

webhookRoutes.post(rotate.path, admin, withoutParameters, async (c) => {
  const { database, randomBytes, outboxes } = c.var.runtime;
  const body = await checkedBody(c, secretRotation, { limit: SMALL_BODY_BYTES, optional: true });
  if (!body.ok) return refuse(c, body.error);
  const webhook = await readWebhook(database, namedWebhook(c));
  if (webhook === undefined) return refuse(c, unknownWebhook);
  const secret = newSecret(randomBytes);
  await outboxes(webhook.id).rotate(secret, body.value.overlapSeconds * 1_000);
  c.env.log.info("webhook-rotated", { webhook: webhook.id, by: c.var.caller.keyId });
  return c.json({ ...representationOf(webhook), secret }, 200, { "Cache-Control": "no-store" });
});

export const webhookOperations: readonly Operation[] = [create, list, read, update, remove, rotate];

export function namedWebhook(c: RegistryContext): string {
  return c.req.param("webhookId") ?? "";
}
