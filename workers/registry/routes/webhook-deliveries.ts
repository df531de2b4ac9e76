/** The state of a webhook's messages: deliveries and dead letters, replay, and a test ping. */
import * as z from "zod";
import type { Delivery } from "../../../durable-objects/outbox/rpc.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { printTime } from "../domain/time.ts";
import { refused } from "../failures.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { firstOf, pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { newIdentifier } from "../did.ts";
import { cursorOf } from "../lists/cursor.ts";
import { readWebhook } from "../store/webhook-store.ts";
import { pingMessage } from "../webhooks/message.ts";
import { deliveryOf, deliveryRecord, deliveryStates } from "./webhook-records.ts";
import { unknownWebhook, webhookParams } from "./webhooks.ts";

const tag = "Changes";
const auth = keyed("registry:admin");
const replayed = z.object({ replayed: z.int() });

const list = route(
  {
    method: "get",
    path: "/v1/webhooks/:webhookId/deliveries",
    id: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook, newest first; use state=dead for dead letters",
    description: "The newest 200 delivered messages, the newest 1,000 dead letters and all waiting messages.",
    tag,
    auth,
    params: webhookParams,
    query: z.object({
      state: z.preprocess(
        firstOf,
        z.enum(deliveryStates, { error: `must be one of ${deliveryStates.join(", ")}` }).optional(),
      ),
      ...pageParameters,
    }),
    responses: pageResponse(deliveryRecord),
    failures: ["not_found", "invalid_cursor"],
  },
  async ({ params: { webhookId }, query: { state, limit, cursor } }, c) => {
    const cursors = cursorOf(["deliveries", webhookId, state ?? "all"]);
    const before = cursors.read(cursor, z.tuple([z.int()]));
    if (!before.ok) return before;
    const { database, outboxes } = c.var.runtime;
    const webhook = await readWebhook(database, webhookId);
    if (webhook === undefined) return failure(unknownWebhook);
    const deliveries = await outboxes(webhook.id).deliveries({
      ...(state === undefined ? {} : { state }),
      ...(before.value === null ? {} : { before: before.value[0] }),
      limit: limit + 1,
    });
    const endsAt = ({ position }: Delivery) => [position];
    return replyPage(c, pageFrom(deliveries, { limit, show: deliveryOf, cursors, position: endsAt }));
  },
);

const ping = route(
  {
    method: "post",
    path: "/v1/webhooks/:webhookId/ping",
    id: "pingWebhook",
    summary: "Send a test message, `webhook.ping`; its delivery shows the result",
    tag,
    auth,
    params: webhookParams,
    responses: { 202: { description: "Will be sent, once", content: { schema: z.object({ id: z.string() }) } } },
    failures: ["not_found"],
  },
  async ({ params: { webhookId } }, c) => {
    const { database, clock, randomBytes, outboxes } = c.var.runtime;
    const webhook = await readWebhook(database, webhookId);
    if (webhook === undefined) return failure(unknownWebhook);
    const id = newIdentifier("msg", randomBytes);
    const taken = await outboxes(webhook.id).enqueue([pingMessage(webhook.id, id, printTime(clock()))]);
    return taken.ok ? reply({ id }, { status: 202 }) : refused("unavailable", taken.error.message);
  },
);

const replayOne = route(
  {
    method: "post",
    path: "/v1/webhooks/:webhookId/deliveries/:deliveryId/replay",
    id: "replayWebhookDelivery",
    summary: "Send a message again with the same id, or try a waiting one at once",
    tag,
    auth,
    params: webhookParams.extend({ deliveryId: z.string() }),
    responses: { 202: { description: "Will be sent", content: { schema: replayed } } },
    failures: ["not_found"],
  },
  async ({ params: { webhookId, deliveryId } }, c) => {
    const count = await replay(c, webhookId, [deliveryId]);
    if (!count.ok) return count;
    if (count.value === 0) return refused("not_found", "The webhook has no such delivery");
    return reply({ replayed: count.value }, { status: 202 });
  },
);

const replayDead = route(
  {
    method: "post",
    path: "/v1/webhooks/:webhookId/replay",
    id: "replayWebhookDeadLetters",
    summary: "Send all dead letters again",
    tag,
    auth,
    params: webhookParams,
    responses: { 202: { description: "The number of messages that will be sent", content: { schema: replayed } } },
    failures: ["not_found"],
  },
  async ({ params: { webhookId } }, c) => {
    const count = await replay(c, webhookId, "dead");
    return count.ok ? reply({ replayed: count.value }, { status: 202 }) : count;
  },
);

async function replay(c: RegistryContext, webhookId: string, ids: readonly string[] | "dead"): Promise<Result<number>> {
  const { database, outboxes } = c.var.runtime;
  const webhook = await readWebhook(database, webhookId);
  if (webhook === undefined) return failure(unknownWebhook);
  const count = await outboxes(webhook.id).replay(ids);
  noteChange(c, { after: { replayed: count } });
  c.env.log.info("webhook-replayed", { webhook: webhook.id, count, by: c.var.caller.keyId });
  return success(count);
}

export const webhookDeliveryRoutes = [list, ping, replayOne, replayDead];
