/** Webhooks over their routes, with real outboxes and a scripted receiver. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { isSignedBy, receivedAt, scriptedReceiver } from "../../support/registry/scripted-webhook-receiver.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";
import { webhooksForTests } from "../../support/registry/webhooks-for-tests.ts";

const hooks = webhooksForTests();
const { DATABASE, settings, edge, ask, answer, newWebhook, newDomain } = hooks;

async function patch(id: string, body: object): Promise<void> {
  const { status } = await edge.ask("PATCH", `/v1/domains/${id}`, {
    key: hooks.key,
    headers: { "If-Match": "*" },
    body,
  });
  expect(status).toBe(200);
}

const newest = async () => (await DATABASE.prepare("SELECT max(seq) AS seq FROM changes").first<number>("seq")) ?? 0;

test("one that is created disabled reports since when and why", async () => {
  const { id, created } = await newWebhook({ enabled: false });
  const off = { enabled: false, disabledReason: "operator", disabledAt: expect.any(String) };
  expect(created.body).toMatchObject(off);
  const read = await ask("GET", `/${id}`);
  expect(read.body).toMatchObject({ ...off, disabledAt: created.body.disabledAt });
  const on = await ask("PATCH", `/${id}`, { enabled: true });
  expect(on.body).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null });
});

describe("notifying of changes", () => {
  test("each change from now on, signed, in the form of the scheme, without waiting for the minute [RG-148]", async () => {
    await newDomain();
    const { url, secret, receivedMessages } = await newWebhook();
    const seq = await newest();
    const id = await newDomain();
    await patch(id, { metadata: { name: "B" } });
    await expect.poll(receivedMessages).toEqual([`${seq + 1}:domain.created`, `${seq + 2}:domain.updated`]);
    const [first, second] = receivedAt(url);
    expect(first !== undefined && isSignedBy(secret, first)).toBe(true);
    const feed = (await edge.ask("GET", `/v1/changes?after=${seq}`, { key: hooks.key })).body.data;
    expect(first?.body).toEqual({ type: "domain.created", timestamp: feed[0].at, data: feed[0] });
    expect(second?.body.data).toEqual(feed[1]);
    expect(first?.headers["webhook-id"]).toMatch(/^msg_[0-9A-Za-z]{22}_\d+$/);
  });

  test("only the requested actions [RG-148]", async () => {
    const { receivedMessages } = await newWebhook({ actions: ["suspended", "reactivated", "suspended"] });
    const id = await newDomain();
    await patch(id, { status: "suspended" });
    await patch(id, { metadata: { a: 1 } });
    await patch(id, { status: "active" });
    const seq = await newest();
    await expect.poll(receivedMessages).toEqual([`${seq - 2}:domain.suspended`, `${seq}:domain.reactivated`]);
  });

  test("only the requested domains and classes, including a change away from such a class [RG-219]", async () => {
    const [wanted, other] = ["did:ixo:protocol/wanted", "did:ixo:protocol/other"];
    const create = async (protocol: string) =>
      String((await edge.ask("POST", "/v1/domains", { key: hooks.key, body: { type: "Project", protocol } })).body.id);
    const [first, second] = [await create(wanted), await create(other)];
    const byDomain = await newWebhook({ domains: [second, second], actions: ["updated"] });
    const byClass = await newWebhook({ classes: [wanted] });
    expect(byDomain.created.body).toMatchObject({ domains: [second], classes: [], actions: ["updated"] });
    const patch = (id: string, body: object) =>
      edge.ask("PATCH", `/v1/domains/${id}`, { key: hooks.key, headers: { "If-Match": "*" }, body });
    for (const id of [first, second]) expect((await patch(id, { metadata: { name: "a" } })).status).toBe(200);
    await patch(first, { class: other });
    await patch(first, { metadata: { name: "b" } });
    await patch(second, { class: wanted });
    await edge.settled();
    const receivedBy = async ({ hurry, url }: typeof byClass) => {
      await hurry();
      // Messages of two domains have no order.
      return receivedAt(url)
        .map(({ body }) => `${body.data.domainId === first ? "first" : "second"} ${body.data.version}`)
        .toSorted();
    };
    expect(await receivedBy(byDomain)).toEqual(["second 2", "second 3"]);
    expect(await receivedBy(byClass)).toEqual(["first 2", "first 3", "second 3"]);
    const changed = await ask("PATCH", `/${byClass.id}`, { classes: [other] });
    expect(changed.body).toMatchObject({ domains: [], classes: [other] });
    expect((await ask("PATCH", `/${byClass.id}`, { description: "x" })).body.classes).toEqual([other]);
  });

  test("accepts fifty domains and fifty classes, and no more [RG-219]", async () => {
    const domains = Array.from({ length: 51 }, (_, at) => `did:ixo:entity:${String(at).padStart(32, "0")}`);
    const classes = Array.from({ length: 51 }, (_, at) => `did:ixo:protocol/${at}`);
    for (const filter of [{ domains }, { classes }, { domains: ["did:web:a.test"] }, { classes: ["no DID"] }]) {
      expect((await ask("POST", "", { url: "https://hooks.test/filters", ...filter })).status).toBe(400);
    }
    await newWebhook({ domains: domains.slice(1), classes: classes.slice(1) });
  });

  test("changes without a trigger are sent by the minute's job; the process may have ended after the commit [RG-149]", async () => {
    const { receivedMessages } = await newWebhook();
    const deaf = registryEdge({ ...settings, OUTBOX: undefined }, Date.now());
    const body = { type: "Project", class: "did:ixo:protocol/cooking" };
    await deaf.ask("POST", "/v1/domains", { key: hooks.key, body });
    await deaf.settled();
    expect(deaf.log.some((line) => line.includes("webhooks-not-woken"))).toBe(true);
    expect(receivedMessages()).toEqual([]);
    const complete = { ENVIRONMENT: "test", ...settings } as unknown as Env;
    await edge.registry.scheduled(complete, { waitUntil: () => undefined }, Date.now());
    await expect.poll(receivedMessages).toEqual([`${await newest()}:domain.created`]);
  });

  test("failures are retried in order, across evictions and losses of the object [RG-149, RG-150]", async () => {
    const webhook = await newWebhook();
    scriptedReceiver.answers.set(webhook.url, answer(503));
    const seq = await newest();
    const id = await newDomain();
    await expect.poll(webhook.receivedMessages).toEqual([`${seq + 1}:domain.created`]);
    await patch(id, { metadata: { name: "B" } });
    await patch(id, { metadata: { name: "C" } });
    await edge.settled();
    await runDurableObjectAlarm(webhook.stub);
    await expect
      .poll(() => webhook.deliveries())
      .toMatchObject([
        { attempts: 0 },
        { attempts: 0 },
        { attempts: 1, state: "pending", lastStatus: 503, lastReason: "status", type: "domain.created" },
      ]);
    await evictDurableObject(webhook.stub);
    await webhook.hurry();
    await abortAllDurableObjects();
    scriptedReceiver.answers.set(webhook.url, answer(200));
    await webhook.hurry();
    const messages = [1, 1, 1, 2, 3].map((n) => `${seq + n}:domain.${n === 1 ? "created" : "updated"}`);
    await expect.poll(webhook.receivedMessages).toEqual(messages);
    const ids = receivedAt(webhook.url).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(3);
    expect((await ask("GET", `/${webhook.id}`)).body.queue).toEqual({
      pending: 0,
      backlog: 0,
      dead: 0,
      cursor: seq + 3,
      nextAttemptAt: null,
    });
  });

  test("a message that the receiver refuses blocks neither its domain nor others [RG-149, RG-211]", async () => {
    const webhook = await newWebhook();
    const seq = await newest();
    const status = (message: { body: { data: { seq: number } } }) => (message.body.data.seq === seq + 1 ? 422 : 200);
    scriptedReceiver.answers.set(webhook.url, (message) => new Response(null, { status: status(message) }));
    const refused = await newDomain();
    await patch(refused, { metadata: { name: "B" } });
    await newDomain();
    await edge.settled();
    await runDurableObjectAlarm(webhook.stub);
    const all = [`${seq + 1}:domain.created`, `${seq + 2}:domain.updated`, `${seq + 3}:domain.created`];
    await expect.poll(() => webhook.receivedMessages().toSorted()).toEqual(all);
    await expect.poll(async () => (await webhook.deliveries("?state=delivered")).length).toBe(2);
    expect(await webhook.deliveries("?state=dead")).toMatchObject([{ attempts: 1, lastStatus: 422 }]);
    expect((await ask("GET", `/${webhook.id}`)).body).toMatchObject({ enabled: true, queue: { pending: 0, dead: 1 } });
  });

  test("changes that are not collected yet are the backlog [RG-212]", async () => {
    const webhook = await newWebhook({ enabled: false });
    const seq = await newest();
    for (const _ of [1, 2, 3]) await newDomain();
    expect((await ask("GET", `/${webhook.id}`)).body.queue).toMatchObject({ pending: 0, backlog: 3, cursor: seq });
  });

  test("410 disables it; changes wait until it is enabled again [RG-151]", async () => {
    const webhook = await newWebhook();
    scriptedReceiver.answers.set(webhook.url, answer(410));
    const seq = await newest();
    await newDomain();
    const read = async () => (await ask("GET", `/${webhook.id}`)).body;
    await expect.poll(read).toMatchObject({ enabled: false, disabledReason: "gone", disabledAt: expect.any(String) });
    await newDomain();
    await edge.settled();
    expect(webhook.receivedMessages()).toEqual([`${seq + 1}:domain.created`]);
    scriptedReceiver.answers.set(webhook.url, answer(200));
    expect((await ask("PATCH", `/${webhook.id}`, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabledReason: null,
      disabledAt: null,
    });
    await expect.poll(webhook.receivedMessages).toEqual([1, 1, 2].map((n) => `${seq + n}:domain.created`));
  });
});
