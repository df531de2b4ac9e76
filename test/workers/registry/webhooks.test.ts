/** Webhooks over their routes, with real outboxes and a scripted receiver. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isSignedBy, receivedAt, scriptedReceiver } from "../../support/registry/scripted-webhook-receiver.ts";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE, SCRIPTED_OUTBOX } = env;
const settings = { DATABASE, OUTBOX: SCRIPTED_OUTBOX, REGISTRY_WEBHOOK_HOSTS: "Hooks.test" };
// The signatures are checked against the machine's clock.
const edge = registryEdge(settings, Date.now());
let key = "";
let admin = "";
let last = 0;

beforeAll(async () => {
  key = await edge.keyOf("did:web:hooks-writer.test", ["domains:write"]);
  admin = await edge.keyOf("did:web:hooks-admin.test", ["registry:admin"]);
});
beforeEach(() => {
  scriptedReceiver.received.length = 0;
});
// The number of webhooks is limited, and another test's webhooks would receive this one's domains.
afterEach(async () => {
  for (const { id } of (await ask("GET", "?limit=100")).body.data) await ask("DELETE", `/${id}`);
  await edge.settled();
});

const ask = (method: string, path: string, body?: object) =>
  edge.ask(method, `/v1/webhooks${path}`, { key: admin, ...(body === undefined ? {} : { body }) });
const answer = (status: number) => () => new Response(null, { status });

async function newWebhook(more: object = {}) {
  const url = `https://hooks.test/${(last += 1)}`;
  const created = await ask("POST", "", { url, ...more });
  expect(created.status).toBe(201);
  const { id, secret } = created.body;
  return {
    id: String(id),
    secret: String(secret),
    url,
    created,
    get stub() {
      return SCRIPTED_OUTBOX.getByName(`webhook:${id}`);
    },
    receivedMessages: () => receivedAt(url).map(({ body }) => `${body.data.seq}:${body.type}`),
    async deliveries(query = "") {
      return (await ask("GET", `/${id}/deliveries${query}`)).body.data;
    },
    /** Makes the next attempt due. */
    async hurry() {
      const stub = SCRIPTED_OUTBOX.getByName(`webhook:${id}`);
      await runInDurableObject(stub, (_, { storage }) =>
        storage.sql.exec("UPDATE deliveries SET next_attempt_at = 0 WHERE state = 'pending'"),
      );
      await runDurableObjectAlarm(stub);
    },
  };
}

async function newDomain(): Promise<string> {
  const body = { type: "Project", class: "did:ixo:protocol/cooking", metadata: { name: "A" } };
  return (await edge.ask("POST", "/v1/domains", { key, body })).body.id;
}

async function patch(id: string, body: object): Promise<void> {
  const { status } = await edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body });
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
    const feed = (await edge.ask("GET", `/v1/changes?after=${seq}`, { key })).body.data;
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
      String((await edge.ask("POST", "/v1/domains", { key, body: { type: "Project", protocol } })).body.id);
    const [first, second] = [await create(wanted), await create(other)];
    const byDomain = await newWebhook({ domains: [second, second], actions: ["updated"] });
    const byClass = await newWebhook({ classes: [wanted] });
    expect(byDomain.created.body).toMatchObject({ domains: [second], classes: [], actions: ["updated"] });
    const patch = (id: string, body: object) =>
      edge.ask("PATCH", `/v1/domains/${id}`, { key, headers: { "If-Match": "*" }, body });
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
    await deaf.ask("POST", "/v1/domains", { key, body });
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

describe("secrets [RG-146, RG-152]", () => {
  test("after a rotation both sign until the overlap ends, then only the new one", async () => {
    const { id, url, secret } = await newWebhook();
    const rotated = await ask("POST", `/${id}/rotate`, { overlapSeconds: 3_600 });
    expect([rotated.status, rotated.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    await newDomain();
    await expect.poll(() => receivedAt(url).length).toBe(1);
    const verified = () =>
      [secret, rotated.body.secret].map((each) => receivedAt(url).map((one) => isSignedBy(each, one)));
    expect(verified()).toEqual([[true], [true]]);
    const third = await ask("POST", `/${id}/rotate`, { overlapSeconds: 0 });
    await newDomain();
    await expect.poll(() => receivedAt(url).length).toBe(2);
    expect(verified()).toEqual([
      [true, false],
      [true, false],
    ]);
    const [, newer] = receivedAt(url);
    expect(newer !== undefined && isSignedBy(third.body.secret, newer)).toBe(true);
  });

  test("are shown once and are nowhere in the database", async () => {
    const { id, secret, created } = await newWebhook();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created.headers.get("Cache-Control")).toBe("no-store");
    expect(created.headers.get("Location")).toBe(`/v1/webhooks/${id}`);
    for (const path of ["", `/${id}`]) {
      expect(JSON.stringify((await ask("GET", path)).body)).not.toContain("whsec_");
    }
    const { results } = await DATABASE.prepare("SELECT * FROM webhooks").all();
    expect(JSON.stringify(results)).not.toContain("whsec_");
    expect(edge.log.join("\n")).not.toContain("whsec_");
  });
});

describe("deliveries [RG-152]", () => {
  test("a ping is sent once, in addition to waiting messages", async () => {
    const webhook = await newWebhook();
    scriptedReceiver.answers.set(webhook.url, answer(500));
    await newDomain();
    await expect.poll(() => webhook.receivedMessages().length).toBe(1);
    const { status, body } = await ask("POST", `/${webhook.id}/ping`);
    expect(status).toBe(202);
    await expect
      .poll(() => webhook.deliveries("?state=dead"))
      .toMatchObject([{ id: body.id, type: "webhook.ping", attempts: 1, lastStatus: 500 }]);
    const message = receivedAt(webhook.url).at(-1);
    expect(message?.body).toMatchObject({ type: "webhook.ping", data: { webhookId: webhook.id } });
    expect(message !== undefined && isSignedBy(webhook.secret, message)).toBe(true);
  });

  test("dead letters are listed and replayed under their ids, one or all", async () => {
    const webhook = await newWebhook();
    scriptedReceiver.answers.set(webhook.url, answer(500));
    const pings: string[] = [];
    for (const _ of [1, 2, 3]) pings.push((await ask("POST", `/${webhook.id}/ping`)).body.id);
    await expect.poll(async () => (await webhook.deliveries("?state=dead")).length).toBe(3);
    scriptedReceiver.answers.set(webhook.url, answer(200));
    expect(await ask("POST", `/${webhook.id}/deliveries/${pings[0]}/replay`)).toMatchObject({
      status: 202,
      body: { replayed: 1 },
    });
    await expect.poll(async () => (await webhook.deliveries("?state=delivered")).length).toBe(1);
    expect((await ask("POST", `/${webhook.id}/replay`)).body).toEqual({ replayed: 2 });
    await expect.poll(async () => (await webhook.deliveries("?state=delivered")).length).toBe(3);
    const ids = receivedAt(webhook.url).map(({ headers }) => headers["webhook-id"]);
    for (const ping of pings) expect(ids.filter((id) => id === ping)).toHaveLength(2);
    expect(await ask("POST", `/${webhook.id}/deliveries/msg_none/replay`)).toMatchObject({ status: 404 });
  });

  test("are paged, and a cursor is valid only for its list", async () => {
    const webhook = await newWebhook();
    for (const _ of [1, 2, 3]) await ask("POST", `/${webhook.id}/ping`);
    await expect.poll(async () => (await webhook.deliveries("?state=delivered")).length).toBe(3);
    const first = (await ask("GET", `/${webhook.id}/deliveries?limit=2`)).body;
    expect([first.data.length, first.page.hasMore]).toEqual([2, true]);
    const next = (await ask("GET", `/${webhook.id}/deliveries?limit=2&cursor=${first.page.nextCursor}`)).body;
    expect([next.data.length, next.page.hasMore]).toEqual([1, false]);
    const foreign = await ask("GET", `/${webhook.id}/deliveries?state=dead&cursor=${first.page.nextCursor}`);
    expect(foreign).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    expect(await ask("GET", `/${webhook.id}/deliveries?state=lost`)).toMatchObject({ status: 400 });
  });
});

describe("managing", () => {
  test("omitted members are unchanged; disabling is attributed to the operator [RG-152]", async () => {
    const { id } = await newWebhook({ description: "first", actions: ["verified"] });
    const off = (await ask("PATCH", `/${id}`, { enabled: false })).body;
    expect(off).toMatchObject({
      description: "first",
      actions: ["verified"],
      enabled: false,
      disabledReason: "operator",
    });
    const changed = (await ask("PATCH", `/${id}`, { description: null, actions: [], url: "https://hooks.test/x" }))
      .body;
    expect(changed).toMatchObject({ description: null, actions: [], url: "https://hooks.test/x", enabled: false });
    expect(changed.disabledReason).toBe("operator");
    expect((await ask("GET", "")).body.data).toEqual([changed]);
  });

  test("a removed one receives nothing more, and its secret is erased", async () => {
    const { id, stub, receivedMessages } = await newWebhook();
    expect((await ask("DELETE", `/${id}`)).status).toBe(204);
    const tables = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
    await newDomain();
    await edge.settled();
    expect(receivedMessages()).toEqual([]);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
      ["POST", "/ping"],
      ["POST", "/replay"],
      ["GET", "/deliveries"],
    ] as const) {
      const answered = await ask(method, `/${id}${path}`, method === "PATCH" ? {} : undefined);
      expect([path, answered.status]).toEqual([path, 404]);
    }
  });

  test.each([
    [{ url: "https://evil.test/" }, "/url"],
    [{ url: "http://hooks.test/" }, "/url"],
    [{ url: "https://hooks.test/", actions: ["exploded"] }, "/actions/0"],
    [{ url: "https://hooks.test/", secret: "mine" }, "/secret"],
    [{ actions: [] }, "/url"],
  ])("%j is refused [RG-147, RG-11]", async (body, pointer) => {
    expect(await ask("POST", "", body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  test("is for administrators", async () => {
    expect(await edge.ask("GET", "/v1/webhooks", { key })).toMatchObject({ status: 403 });
    expect(await edge.ask("POST", "/v1/webhooks", { key, body: {} })).toMatchObject({ status: 403 });
  });

  test("at most fifty [RG-146]", async () => {
    for (let count = 0; count < 50; count += 1) await newWebhook({ enabled: false });
    expect(await ask("POST", "", { url: "https://hooks.test/" })).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});
