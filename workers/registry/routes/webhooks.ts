/**
 * Webhooks, for admins: addresses to which changes are posted. Only the response that creates a secret contains it. The
 * webhook's Outbox stores it and signs with it; the database does not contain it.
 */
import * as z from "zod";
import { reply } from "../../../platform/http/route.ts";
import { describeThrown } from "../../../platform/log.ts";
import { failure } from "../../../platform/result.ts";
import { registryFailure } from "../failures.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { checkedBody, route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { newIdentifier } from "../did.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { newestChange } from "../store/change-store.ts";
import {
  insertWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  updateWebhook,
  type Webhook,
} from "../store/webhook-store.ts";
import { addressRuleOf, type AddressRule } from "../webhooks/address.ts";
import { newSecret } from "../webhooks/message.ts";
import {
  queueOf,
  representationOf,
  secretRotation,
  webhookBody,
  webhookPatch,
  webhookRecord,
  webhookWithQueue,
  webhookWithSecret,
} from "./webhook-records.ts";

/** Maximum webhooks per deployment: each is woken every minute and after every write. */
const WEBHOOKS = 50;

const tag = "Changes";
const auth = keyed("registry:admin");
export const webhookParams = z.object({ webhookId: z.string() });
export const unknownWebhook = registryFailure("not_found", "There is no such webhook");
const tooMany = registryFailure("validation_failed", `The limit of ${WEBHOOKS} webhooks is reached; remove one first`);
const anyHost: AddressRule = { hosts: [], allowsHttp: false };
const path = "/v1/webhooks/:webhookId";

const create = route(
  {
    method: "post",
    path: "/v1/webhooks",
    id: "createWebhook",
    summary: "Create a webhook",
    description:
      "Each new change is posted as `{type, timestamp, data}` and signed with the Standard Webhooks scheme. Messages are delivered at least once, in the order of the feed for each domain: a message waits until the previous one was accepted, or given up after eleven attempts in about 17 hours. A 4xx other than 408, 425 and 429 rejects a message permanently. Rejected messages, and messages that were given up, can be replayed; they then arrive late.",
    tag,
    auth,
    body: {
      form: webhookBody(anyHost),
      read: (body, c) => checkedBody(webhookBody(addressRuleOf(c.var.runtime.config)), body),
      limit: SMALL_BODY_BYTES,
      example: { url: "https://hooks.example.org/twinedge", actions: ["verified"] },
    },
    responses: {
      201: {
        description: "The webhook with its secret",
        content: { schema: webhookWithSecret },
        headers: { Location: "The webhook" },
      },
    },
    failures: ["unknown_field"],
  },
  async ({ body, caller }, c) => {
    const { database, clock, randomBytes, outboxes, waker } = c.var.runtime;
    const sent = await body();
    if (!sent.ok) return sent;
    const [id, secret, now] = [newIdentifier("whk", randomBytes), newSecret(randomBytes), clock()];
    // The outbox first: an outbox without a webhook erases itself, but a webhook without a secret would be useless.
    await outboxes(id).open(await newestChange(database), secret);
    const off = { disabledReason: "operator", disabledAt: now } as const;
    const on = { disabledReason: null, disabledAt: null };
    const state = sent.value.enabled ? on : off;
    const webhook = { id, ...sent.value, ...state, createdBy: caller.did, createdAt: now, updatedAt: now };
    if (!(await insertWebhook(database, webhook, WEBHOOKS))) {
      await outboxes(id).close();
      return failure(tooMany);
    }
    waker.forget();
    noteChange(c, { subject: id, after: receiverOf(webhook) });
    c.env.log.info("webhook-created", { webhook: id, by: caller.keyId });
    const headers = { Location: `/v1/webhooks/${id}`, "Cache-Control": "no-store" };
    return reply({ ...representationOf(webhook), secret }, { status: 201, headers });
  },
);

const list = route(
  {
    method: "get",
    path: "/v1/webhooks",
    id: "listWebhooks",
    summary: "List webhooks by id",
    tag,
    auth,
    query: z.object(pageParameters),
    responses: pageResponse(webhookRecord),
    failures: ["invalid_cursor"],
  },
  async ({ query: { limit, cursor } }, c) => {
    const cursors = cursorOf("webhooks");
    const after = cursors.read(cursor, z.tuple([z.string()]));
    if (!after.ok) return after;
    const { database } = c.var.runtime;
    const webhooks = await meteredPage(c, limit + 1, () => listWebhooks(database, after.value?.[0] ?? "", limit + 1));
    if (!webhooks.ok) return webhooks;
    const endsAt = ({ id }: Webhook) => [id];
    return replyPage(c, pageFrom(webhooks.value, { limit, show: representationOf, cursors, position: endsAt }));
  },
);

const read = route(
  {
    method: "get",
    path,
    id: "getWebhook",
    summary: "Get a webhook and its queue",
    tag,
    auth,
    params: webhookParams,
    responses: { 200: { description: "The webhook", content: { schema: webhookWithQueue } } },
    failures: ["not_found"],
  },
  async ({ params: { webhookId } }, c) => {
    const { database, outboxes } = c.var.runtime;
    const webhook = await readWebhook(database, webhookId);
    if (webhook === undefined) return failure(unknownWebhook);
    const [summary, newest] = await Promise.all([outboxes(webhook.id).summary(), newestChange(database)]);
    return reply({ ...representationOf(webhook), queue: queueOf(summary, newest) });
  },
);

const update = route(
  {
    method: "patch",
    path,
    id: "updateWebhook",
    summary: "Update a webhook, or switch it off or on",
    description:
      "Members that are not sent keep their values. A webhook that is switched on again continues where it stopped.",
    tag,
    auth,
    params: webhookParams,
    body: {
      form: webhookPatch(anyHost),
      read: (body, c) => checkedBody(webhookPatch(addressRuleOf(c.var.runtime.config)), body),
      limit: SMALL_BODY_BYTES,
      example: { enabled: true },
    },
    responses: { 200: { description: "The webhook", content: { schema: webhookRecord } } },
    failures: ["unknown_field", "not_found"],
  },
  async ({ params: { webhookId }, body, caller }, c) => {
    const { database, clock, outboxes, waker } = c.var.runtime;
    const sent = await body();
    if (!sent.ok) return sent;
    const webhook = await updateWebhook(database, webhookId, sent.value, clock());
    if (webhook === undefined) return failure(unknownWebhook);
    waker.forget();
    noteChange(c, { after: receiverOf(webhook) });
    c.env.log.info("webhook-updated", { webhook: webhook.id, by: caller.keyId, enabled: webhook.enabled });
    const { enabled, url } = sent.value;
    // The address was changed or corrected, so waiting messages can be retried now.
    if (webhook.enabled && (enabled === true || url !== undefined)) await outboxes(webhook.id).resume();
    return reply(representationOf(webhook));
  },
);

const remove = route(
  {
    method: "delete",
    path,
    id: "deleteWebhook",
    summary: "Remove a webhook and its waiting messages",
    tag,
    auth,
    params: webhookParams,
    responses: { 204: { description: "Removed" } },
    failures: ["not_found"],
  },
  async ({ params: { webhookId }, caller }, c) => {
    const { database, outboxes, waker } = c.var.runtime;
    const outbox = outboxes(webhookId);
    // First: if the removal is interrupted after this, the outbox finds its webhook gone and erases itself with its
    // secret.
    await outbox.recheck();
    if (!(await removeWebhook(database, webhookId))) return failure(unknownWebhook);
    waker.forget();
    try {
      await outbox.close();
    } catch (thrown) {
      c.env.log.warn("webhook-outbox-left", { webhook: webhookId, reason: describeThrown(thrown) });
    }
    c.env.log.info("webhook-removed", { webhook: webhookId, by: caller.keyId });
    return reply(undefined, { status: 204 });
  },
);

const rotate = route(
  {
    method: "post",
    path: "/v1/webhooks/:webhookId/rotate",
    id: "rotateWebhookSecret",
    summary: "Rotate the secret; for a while, messages are signed with both secrets",
    tag,
    auth,
    params: webhookParams,
    body: { schema: secretRotation, example: { overlapSeconds: 3_600 }, limit: SMALL_BODY_BYTES, optional: true },
    responses: { 200: { description: "The webhook with its new secret", content: { schema: webhookWithSecret } } },
    failures: ["unknown_field", "not_found"],
  },
  async ({ params: { webhookId }, body, caller }, c) => {
    const { database, randomBytes, outboxes } = c.var.runtime;
    const sent = await body();
    if (!sent.ok) return sent;
    const webhook = await readWebhook(database, webhookId);
    if (webhook === undefined) return failure(unknownWebhook);
    const secret = newSecret(randomBytes);
    await outboxes(webhook.id).rotate(secret, sent.value.overlapSeconds * 1_000);
    c.env.log.info("webhook-rotated", { webhook: webhook.id, by: caller.keyId });
    return reply({ ...representationOf(webhook), secret }, { headers: { "Cache-Control": "no-store" } });
  },
);

/** The host alone, because the rest of an address may contain a secret. */
function receiverOf({ url, disabledReason }: Pick<Webhook, "url" | "disabledReason">) {
  return { host: new URL(url).host, enabled: disabledReason === null };
}

export const webhookRoutes = [create, list, read, update, remove, rotate];
