/** What became of a webhook's messages: deliveries and dead letters, replay, and a ping to try it out. */
import { Hono } from "hono";
import * as z from "zod";
import type { Delivery } from "../../../durable-objects/outbox/rpc.ts";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { printTime } from "../domain/time.ts";
import { newIdentifier } from "../identifier.ts";
import { keyed } from "../middleware/keyed.ts";
import { cursorOf } from "../lists/cursor.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf, withoutParameters } from "../middleware/query.ts";
import { registryFailure, refused } from "../failures.ts";
import { readWebhook } from "../store/webhook-store.ts";
import { pingMessage } from "../webhooks/message.ts";
import { deliveryOf, deliveryRecord, deliveryStates } from "./webhooks/records.ts";
import { namedWebhook, unknownWebhook, webhookParams } from "./webhooks.ts";

export const webhookDeliveryRoutes = new Hono<RegistryHono>();
const tag = "Changes";
const admin = keyed("registry:admin");
const replayed = z.object({ replayed: z.int() });

const list: Operation = {
  method: "get",
  path: "/v1/webhooks/:webhookId/deliveries",
  id: "listWebhookDeliveries",
  summary: "Deliveries of a webhook, newest first; dead letters with state=dead",
  description: "The newest 200 delivered ones, the newest 1,000 dead letters, and all that wait.",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  query: z.object({ ...pageParameters, state: z.enum(deliveryStates).optional() }),
  responses: {
    200: { description: "One page", content: { schema: pageOf(deliveryRecord) }, headers: { Link: "The next page" } },
    ...keyedProblems("validation_failed", "not_found", "invalid_cursor", "invalid_page_size"),
  },
};

webhookDeliveryRoutes.get(list.path, admin, async (c) => {
  const query = queryOf(c, ["state", "limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const state = stateOf(query.value);
  if (!state.ok) return refuse(c, state.error);
  const filter = state.value ?? "all";
  const cursor = cursorOf(["deliveries", namedWebhook(c), filter]);
  const before = cursor.read(query.value.get("cursor"), z.tuple([z.int()]));
  if (!before.ok) return refuse(c, before.error);
  const { database, outboxes } = c.var.runtime;
  const webhook = await readWebhook(database, namedWebhook(c));
  if (webhook === undefined) return refuse(c, unknownWebhook);
  const deliveries = await outboxes(webhook.id).deliveries({
    ...(state.value === undefined ? {} : { state: state.value }),
    ...(before.value === null ? {} : { before: before.value[0] }),
    limit: limit.value + 1,
  });
  const position = (last: Delivery) => [last.position];
  return answerPage(c, pageFrom(deliveries, { limit: limit.value, show: deliveryOf, cursor, position }));
});

const ping: Operation = {
  method: "post",
  path: "/v1/webhooks/:webhookId/ping",
  id: "pingWebhook",
  summary: "Send a test message, `webhook.ping`; its delivery tells how it went",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  responses: {
    202: { description: "Will be sent, once", content: { schema: z.object({ id: z.string() }) } },
    ...keyedProblems("not_found"),
  },
};

webhookDeliveryRoutes.post(ping.path, admin, withoutParameters, async (c) => {
  const { database, clock, randomBytes, outboxes } = c.var.runtime;
  const webhook = await readWebhook(database, namedWebhook(c));
  if (webhook === undefined) return refuse(c, unknownWebhook);
  const id = newIdentifier("msg", randomBytes);
  const taken = await outboxes(webhook.id).enqueue([pingMessage(webhook.id, id, printTime(clock()))]);
  if (!taken.ok) return refuse(c, registryFailure("unavailable", taken.error.message));
  return c.json({ id }, 202);
});

const replayOne: Operation = {
  method: "post",
  path: "/v1/webhooks/:webhookId/deliveries/:deliveryId/replay",
  id: "replayWebhookDelivery",
  summary: "Send one message again, under the same id; one that waits is tried at once",
  tag,
  security: keyedSecurity,
  params: webhookParams.extend({ deliveryId: z.string() }),
  responses: {
    202: { description: "Will be sent", content: { schema: replayed } },
    ...keyedProblems("not_found"),
  },
};

webhookDeliveryRoutes.post(replayOne.path, admin, withoutParameters, async (c) => {
  const count = await replay(c, [c.req.param("deliveryId") ?? ""]);
  if (!count.ok) return refuse(c, count.error);
  if (count.value === 0) return refuse(c, registryFailure("not_found", "The webhook has no such delivery"));
  return c.json({ replayed: count.value }, 202);
});

const replayDead: Operation = {
  method: "post",
  path: "/v1/webhooks/:webhookId/replay",
  id: "replayWebhookDeadLetters",
  summary: "Send every dead letter again",
  tag,
  security: keyedSecurity,
  params: webhookParams,
  responses: {
    202: { description: "So many will be sent", content: { schema: replayed } },
    ...keyedProblems("not_found"),
  },
};

webhookDeliveryRoutes.post(replayDead.path, admin, withoutParameters, async (c) => {
  const count = await replay(c, "dead");
  return count.ok ? c.json({ replayed: count.value }, 202) : refuse(c, count.error);
});

export const webhookDeliveryOperations: readonly Operation[] = [list, ping, replayOne, replayDead];

async function replay(c: RegistryContext, ids: readonly string[] | "dead"): Promise<Result<number>> {
  const { database, outboxes } = c.var.runtime;
  const webhook = await readWebhook(database, namedWebhook(c));
  if (webhook === undefined) return failure(unknownWebhook);
  const count = await outboxes(webhook.id).replay(ids);
  c.env.log.info("webhook-replayed", { webhook: webhook.id, count, by: c.var.caller.keyId });
  return success(count);
}

function stateOf(query: URLSearchParams): Result<(typeof deliveryStates)[number] | undefined> {
  const text = query.get("state");
  const state = deliveryStates.find((each) => each === text);
  if (text === null || state !== undefined) return success(state);
  const message = `state must be one of ${deliveryStates.join(", ")}`;
  return refused("validation_failed", message, { details: [{ parameter: "state", reason: "range", message }] });
}
