/** Outbox inside workerd: alarm, storage and eviction are real; the receiver is scripted. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { OutboxRpc } from "../../durable-objects/outbox/rpc.ts";
import { insertWebhook, removeWebhook } from "../../workers/registry/store/webhook-store.ts";
import { isSignedBy, receivedAt, scriptedReceiver } from "../support/registry/scripted-webhook-receiver.ts";

const { DATABASE } = env;
const SECRET = `whsec_${btoa("a secret of 32 bytes for the test")}`;
const ping = (id: string) => ({ id, topic: "ping", body: JSON.stringify({ id }), ordered: true });

beforeEach(() => {
  scriptedReceiver.received.length = 0;
});

/** An outbox with its webhook; `stub` is new each time, because a stub whose object was lost stays broken. */
async function newOutbox(enabled = true) {
  const id = crypto.randomUUID();
  const url = `https://hooks.test/${id}`;
  const outbox = {
    id,
    url,
    get stub() {
      return env.SCRIPTED_OUTBOX.getByName(`webhook:${id}`);
    },
    get rpc() {
      return env.SCRIPTED_OUTBOX.getByName(`webhook:${id}`) as unknown as OutboxRpc;
    },
    ids: () => receivedAt(url).map(({ headers }) => headers["webhook-id"]),
  };
  await outbox.rpc.open(1_000_000, SECRET);
  const filters = { actions: [], domains: [], classes: [] };
  const webhook = { id, url, description: null, ...filters, enabled, disabledReason: null, disabledAt: null };
  await insertWebhook(DATABASE, { ...webhook, createdBy: "did:web:test", createdAt: 0, updatedAt: 0 }, 1_000);
  return outbox;
}

const answer = (status: number) => () => new Response(null, { status });

test("the alarm sends accepted messages, signed", async () => {
  const { rpc, ids, url } = await newOutbox();
  expect(await rpc.enqueue([ping("a"), ping("b")])).toEqual({ ok: true, value: 2 });
  await expect.poll(ids).toEqual(["a", "b"]);
  expect(receivedAt(url).every((message) => isSignedBy(SECRET, message))).toBe(true);
});

test("an eviction between two attempts changes nothing", async () => {
  const { stub, rpc, ids, url } = await newOutbox();
  scriptedReceiver.answers.set(url, answer(500));
  await rpc.enqueue([ping("a"), ping("b")]);
  await expect.poll(ids).toEqual(["a"]);
  await expect.poll(() => rpc.deliveries({ limit: 9 })).toMatchObject([{ id: "b" }, { id: "a", lastStatus: 500 }]);
  const due = (time: number) =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec("UPDATE deliveries SET next_attempt_at = ?", time));
  // Until the test changes it, because the alarm may run at any time.
  await due(Number.MAX_SAFE_INTEGER);
  const before = await rpc.deliveries({ limit: 9 });
  await evictDurableObject(stub);
  expect(await rpc.deliveries({ limit: 9 })).toEqual(before);
  expect(before).toMatchObject([{ attempts: 0 }, { attempts: 1, state: "pending" }]);

  scriptedReceiver.answers.set(url, answer(200));
  await due(0);
  await runDurableObjectAlarm(stub);
  await expect.poll(ids).toEqual(["a", "a", "b"]);
  await expect.poll(() => rpc.summary()).toMatchObject({ pending: 0, dead: 0, nextAttemptAt: null });
  await evictDurableObject(stub);
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBeNull();
});

test("an object that is lost during an attempt retries", async () => {
  const outbox = await newOutbox();
  scriptedReceiver.answers.set(outbox.url, () => new Promise<Response>(() => {}));
  await outbox.rpc.enqueue([ping("a")]);
  await expect.poll(outbox.ids).toEqual(["a"]);
  await abortAllDurableObjects();
  scriptedReceiver.answers.set(outbox.url, answer(200));
  // The attempt was counted before it was made, and there is an alarm for the next one.
  expect(await outbox.rpc.deliveries({ limit: 1 })).toMatchObject([{ state: "pending", attempts: 1 }]);
  await runInDurableObject(outbox.stub, (_, { storage }) =>
    storage.sql.exec("UPDATE deliveries SET next_attempt_at = 0"),
  );
  await runDurableObjectAlarm(outbox.stub);
  await expect.poll(outbox.ids).toEqual(["a", "a"]);
  await expect.poll(() => outbox.rpc.deliveries({ limit: 1 })).toMatchObject([{ state: "delivered", attempts: 2 }]);
});

test("an outbox whose webhook is gone erases itself; reading an unused one leaves no trace", async () => {
  const { stub, rpc, id } = await newOutbox();
  await removeWebhook(DATABASE, id);
  await rpc.wake();
  const tables = (of: DurableObjectStub) =>
    runInDurableObject(of, (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray(),
    );
  await expect.poll(() => tables(stub)).toEqual([]);
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBeNull();
  expect(await rpc.summary()).toEqual({ pending: 0, dead: 0, cursor: 0, nextAttemptAt: null });

  const untouched = env.SCRIPTED_OUTBOX.getByName("webhook:nobody");
  await (untouched as unknown as OutboxRpc).wake();
  await (untouched as unknown as OutboxRpc).deliveries({ limit: 1 });
  expect(await tables(untouched)).toEqual([]);
});

test("the deployed class refuses messages of a kind without a sender", async () => {
  const fax = env.OUTBOX.getByName("fax") as unknown as OutboxRpc;
  expect(await fax.enqueue([ping("a")])).toMatchObject({ ok: false, error: { code: "unavailable" } });
});
