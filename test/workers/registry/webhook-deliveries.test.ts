/** Secrets, deliveries and administration of webhooks, over their routes. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { isSignedBy, receivedAt, scriptedReceiver } from "../../support/registry/scripted-webhook-receiver.ts";
import { webhooksForTests } from "../../support/registry/webhooks-for-tests.ts";

const hooks = webhooksForTests();
const { DATABASE, edge, ask, answer, newWebhook, newDomain } = hooks;

describe("secrets [RG-146, RG-152]", () => {
  test("after a rotation both sign until the overlap is over, and the old one never again", async () => {
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
  test("a ping is sent once, beside what waits", async () => {
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

  test("are paged, and a cursor is for its list alone", async () => {
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
  test("what is not named stays; off is the operator's doing [RG-152]", async () => {
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

  test("one that is removed receives nothing more, and forgets its secret", async () => {
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
    expect(await edge.ask("GET", "/v1/webhooks", { key: hooks.key })).toMatchObject({ status: 403 });
    expect(await edge.ask("POST", "/v1/webhooks", { key: hooks.key, body: {} })).toMatchObject({ status: 403 });
  });

  test("no more than fifty [RG-146]", async () => {
    for (let count = 0; count < 50; count += 1) await newWebhook({ enabled: false });
    expect(await ask("POST", "", { url: "https://hooks.test/" })).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});
