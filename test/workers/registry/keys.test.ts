/** API keys over their routes. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge, type RegistryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
let lastDid = 0;
const freshDid = (): string => `did:web:keys-${(lastDid += 1)}.test`;
const edgeOf = (more: object = {}): RegistryEdge => registryEdge({ DATABASE, ...more });
const bodyOf = (more: object = {}) => ({ label: "Field app", did: freshDid(), scopes: ["domains:read"], ...more });

const operator = { key: ADMIN_TOKEN };
const issue = (edge: RegistryEdge, more: object = {}) =>
  edge.ask("POST", "/v1/api-keys", { ...operator, body: bodyOf(more) });
/** The status that the key gets now. */
const statusOf = async (edge: RegistryEdge, key: string) =>
  (await edge.ask("GET", "/v1/api-keys/current", { key })).status;

describe("issuing", () => {
  test("returns the whole key once, and stores only its digest [RG-7, RG-10]", async () => {
    const edge = edgeOf();
    const { status, headers, body } = await issue(edge, { did: "did:web:issued.test", role: "program" });
    expect(status).toBe(201);
    expect(headers.get("Location")).toBe(`/v1/api-keys/${body.id}`);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(body).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      label: "Field app",
      environment: "test",
      start: body.key.slice(0, 13),
      did: "did:web:issued.test",
      role: "program",
      scopes: ["domains:read"],
      createdAt: "2026-11-21T09:00:00Z",
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      replacedBy: null,
      key: expect.stringMatching(/^twe_test_[0-9A-Za-z]{49}$/),
    });
    const read = await edge.ask("GET", `/v1/api-keys/${body.id}`, operator);
    const { key, ...record } = body;
    expect(read.body).toEqual(record);
    const row = await DATABASE.prepare("SELECT * FROM api_keys WHERE id = ?").bind(body.id).first();
    expect(JSON.stringify(row)).not.toContain(key);
    expect(edge.log.join("\n")).not.toContain(key);
  });

  test.each<[string, object, string, string]>([
    ["no label", { label: undefined }, "/label", "required"],
    ["a blank label", { label: "  " }, "/label", "length"],
    ["a label of 201 characters", { label: "x".repeat(201) }, "/label", "length"],
    ["no DID", { did: undefined }, "/did", "required"],
    ["an invalid DID", { did: "alice" }, "/did", "invalid_did"],
    ["no scopes", { scopes: undefined }, "/scopes", "required"],
    ["an empty list of scopes", { scopes: [] }, "/scopes", "length"],
    ["an unknown scope", { scopes: ["domains:read", "all"] }, "/scopes/1", "range"],
    ["an unknown role", { role: "king" }, "/role", "range"],
    ["propose without a role", { scopes: ["verification:propose"] }, "/role", "required"],
    ["an end that is not a time", { expiresAt: "tomorrow" }, "/expiresAt", "format"],
    ["an end that is now", { expiresAt: "2026-11-21T09:00:00Z" }, "/expiresAt", "range"],
    ["an unknown member", { expires: "2027-01-01" }, "/expires", "unknown_field"],
  ])("refuses %s [RG-10, RG-11]", async (_, more, pointer, code) => {
    const { status, body } = await issue(edgeOf(), more);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer, code }]);
    expect(body.code).toBe(["invalid_did", "unknown_field"].includes(code) ? code : "validation_failed");
  });

  test("accepts a label of 200 characters and an expiry one second ahead; scopes are listed once each, in their order", async () => {
    const scopes = ["verification:vote", "domains:read", "verification:vote"];
    const more = { label: "x".repeat(200), expiresAt: "2026-11-21T09:00:01Z", scopes };
    const { status, body } = await issue(edgeOf(), more);
    expect([status, body.scopes]).toEqual([201, ["domains:read", "verification:vote"]]);
  });

  test("Idempotency-Key is refused on every route of keys [RG-74]", async () => {
    const edge = edgeOf();
    const headers = { "Idempotency-Key": "k" };
    const { body: key } = await issue(edge);
    for (const [method, path, credential] of [
      ["POST", "/v1/api-keys", ADMIN_TOKEN],
      ["POST", `/v1/api-keys/${key.id}/rotate`, ADMIN_TOKEN],
      ["DELETE", `/v1/api-keys/${key.id}`, ADMIN_TOKEN],
      ["GET", "/v1/api-keys/current", key.key],
    ] as const) {
      const { status, body } = await edge.ask(method, path, { key: credential, headers });
      expect([path, status, body.code]).toEqual([path, 400, "idempotency_not_supported"]);
    }
    expect(await statusOf(edge, key.key)).toBe(200);
  });
});

test("the operator's token is accepted only as a bearer [RG-9]", async () => {
  const edge = edgeOf();
  const asKey = { "X-API-Key": ADMIN_TOKEN };
  expect((await edge.ask("GET", "/v1/api-keys", { headers: asKey })).status).toBe(401);
  expect((await edge.ask("GET", "/v1/api-keys", operator)).status).toBe(200);
});

describe("the life of a key", () => {
  test("it expires exactly at its end [RG-4]", async () => {
    const edge = edgeOf();
    const { body } = await issue(edge, { expiresAt: "2026-11-21T10:00:00Z" });
    edge.clock.now += 60 * MINUTE - 1;
    expect(await statusOf(edge, body.key)).toBe(200);
    edge.clock.now += 1;
    expect(await statusOf(edge, body.key)).toBe(401);
  });

  test("revoking applies to the next request, is idempotent, and keeps the record [RG-13]", async () => {
    const edge = edgeOf();
    const { body } = await issue(edge);
    expect(await statusOf(edge, body.key)).toBe(200);
    const path = `/v1/api-keys/${body.id}`;
    expect((await edge.ask("DELETE", path, operator)).status).toBe(204);
    expect(await statusOf(edge, body.key)).toBe(401);
    edge.clock.now += MINUTE;
    expect((await edge.ask("DELETE", path, operator)).status).toBe(204);
    expect((await edge.ask("GET", path, operator)).body.revokedAt).toBe("2026-11-21T09:00:00Z");
  });

  test("the last use is written at most once a minute [RG-12]", async () => {
    const edge = edgeOf();
    const { body } = await issue(edge);
    const lastUse = async () => {
      await edge.settled();
      return (await edge.ask("GET", `/v1/api-keys/${body.id}`, operator)).body.lastUsedAt;
    };
    await statusOf(edge, body.key);
    expect(await lastUse()).toBe("2026-11-21T09:00:00Z");
    edge.clock.now += MINUTE - 1;
    await statusOf(edge, body.key);
    expect(await lastUse()).toBe("2026-11-21T09:00:00Z");
    edge.clock.now += 1;
    await statusOf(edge, body.key);
    expect(await lastUse()).toBe("2026-11-21T09:01:00Z");
  });

  test("a key of the other environment is unknown [RG-8]", async () => {
    const { body } = await issue(edgeOf());
    expect(await statusOf(edgeOf(), body.key)).toBe(200);
    expect(await statusOf(edgeOf({ REGISTRY_KEY_ENVIRONMENT: "live" }), body.key)).toBe(401);
    const live = await issue(edgeOf({ REGISTRY_KEY_ENVIRONMENT: "live" }));
    expect([live.body.environment, live.body.key.slice(0, 9)]).toEqual(["live", "twe_live_"]);
  });
});

describe("rotation [RG-14]", () => {
  const rotate = (edge: RegistryEdge, id: string, body?: object) =>
    edge.ask("POST", `/v1/api-keys/${id}/rotate`, { ...operator, ...(body === undefined ? {} : { body }) });

  test("the successor has equal rights; the old one works for a day by default", async () => {
    const edge = edgeOf();
    const { body: old } = await issue(edge, { role: "compliance", scopes: ["verification:propose"] });
    const { status, headers, body } = await rotate(edge, old.id);
    expect(status).toBe(201);
    expect(headers.get("Location")).toBe(`/v1/api-keys/${body.id}`);
    expect(body).toMatchObject({
      did: old.did,
      role: "compliance",
      scopes: old.scopes,
      label: old.label,
      expiresAt: null,
    });
    expect(body.key).not.toBe(old.key);
    const replaced = (await edge.ask("GET", `/v1/api-keys/${old.id}`, operator)).body;
    expect(replaced).toMatchObject({ replacedBy: body.id, expiresAt: "2026-11-22T09:00:00Z" });
    edge.clock.now += DAY - 1;
    expect([await statusOf(edge, old.key), await statusOf(edge, body.key)]).toEqual([200, 200]);
    edge.clock.now += 1;
    expect([await statusOf(edge, old.key), await statusOf(edge, body.key)]).toEqual([401, 200]);
  });

  test("without overlap the old key stops working at once", async () => {
    const edge = edgeOf();
    const { body: old } = await issue(edge);
    const { body } = await rotate(edge, old.id, { overlapSeconds: 0 });
    expect([await statusOf(edge, old.key), await statusOf(edge, body.key)]).toEqual([401, 200]);
  });

  test("an overlap never extends a lifetime, and the successor gets its predecessor's lifetime", async () => {
    const edge = edgeOf();
    const { body: old } = await issue(edge, { expiresAt: "2026-11-21T10:00:00Z" });
    edge.clock.now += 30 * MINUTE;
    const { body } = await rotate(edge, old.id, { overlapSeconds: 3600 });
    expect(body.expiresAt).toBe("2026-11-21T10:30:00Z");
    const replaced = (await edge.ask("GET", `/v1/api-keys/${old.id}`, operator)).body;
    expect(replaced.expiresAt).toBe("2026-11-21T10:00:00Z");
  });

  test.each([
    [0, 201],
    [604_800, 201],
    [-1, 400],
    [604_801, 400],
    [1.5, 400],
    ["60", 400],
  ])("an overlap of %j is a %i", async (overlapSeconds, status) => {
    const edge = edgeOf();
    const { body: old } = await issue(edge);
    expect((await rotate(edge, old.id, { overlapSeconds })).status).toBe(status);
  });

  test("a revoked, a replaced and an expired key cannot be rotated, an unknown one is not found [RG-15]", async () => {
    const edge = edgeOf();
    const [revoked, replaced, expired] = [
      await issue(edge),
      await issue(edge),
      await issue(edge, { expiresAt: "2026-11-21T09:00:01Z" }),
    ];
    await edge.ask("DELETE", `/v1/api-keys/${revoked.body.id}`, operator);
    await rotate(edge, replaced.body.id);
    edge.clock.now += SECOND;
    for (const { body } of [revoked, replaced, expired]) {
      const refused = await rotate(edge, body.id);
      expect([refused.status, refused.body.code]).toEqual([409, "key_not_rotatable"]);
    }
    expect((await rotate(edge, "key_0000000000000000000000")).status).toBe(404);
  });

  test("of many concurrent rotations one creates a successor [RG-15]", async () => {
    const edge = edgeOf();
    const did = freshDid();
    const { body: old } = await issue(edge, { did });
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(edge, old.id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    expect((await edge.ask("GET", `/v1/api-keys?did=${did}`, operator)).body.data).toHaveLength(2);
  });
});

describe("the list", () => {
  test("newest first, filtered by DID and state, walked page by page without duplicates or gaps [RG-12]", async () => {
    const edge = edgeOf();
    const did = freshDid();
    const ids: string[] = [];
    for (let each = 0; each < 5; each += 1) {
      // Two have one creation time, so the id decides between them.
      edge.clock.now += each % 2 === 0 ? SECOND : 0;
      ids.push((await issue(edge, { did, ...(each === 4 ? { expiresAt: "2026-11-21T09:30:00Z" } : {}) })).body.id);
    }
    await edge.ask("DELETE", `/v1/api-keys/${ids[0]}`, operator);
    edge.clock.now += 60 * MINUTE;
    const list = async (query: string) => (await edge.ask("GET", `/v1/api-keys?did=${did}${query}`, operator)).body;
    const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
    expect(idsOf(await list("")).toSorted()).toEqual(ids.toSorted());
    expect(idsOf(await list("&state=revoked"))).toEqual([ids[0]]);
    expect(idsOf(await list("&state=expired"))).toEqual([ids[4]]);
    expect(idsOf(await list("&state=active"))).toHaveLength(3);
    expect(idsOf(await list("&state=revoked,expired"))).toEqual([ids[4], ids[0]]);
    expect(idsOf(await list("&state=revoked&state=expired"))).toEqual([ids[4], ids[0]]);
    expect(JSON.stringify(await list(""))).not.toMatch(/twe_test_\w{43}/);

    const walked: string[] = [];
    let query = "&limit=2";
    for (let page = await list(query); ; page = await list(query)) {
      walked.push(...idsOf(page));
      if (!page.page.hasMore) break;
      query = `&limit=2&cursor=${page.page.nextCursor}`;
    }
    expect(walked).toEqual(idsOf(await list("")));
  });

  test("a cursor of other filters, an unknown state, DID or parameter are refused", async () => {
    const edge = edgeOf();
    const did = freshDid();
    await issue(edge, { did });
    await issue(edge, { did });
    const { body } = await edge.ask("GET", `/v1/api-keys?did=${did}&limit=1`, operator);
    const cursor = body.page.nextCursor;
    for (const [query, code] of [
      [`cursor=${cursor}`, "invalid_cursor"],
      [`did=${did}&state=active&cursor=${cursor}`, "invalid_cursor"],
      ["cursor=x", "invalid_cursor"],
      ["state=dead", "validation_failed"],
      ["did=alice", "invalid_did"],
      ["limit=0", "invalid_page_size"],
      ["limit=101", "invalid_page_size"],
      ["status=active", "unknown_parameter"],
    ]) {
      const refused = await edge.ask("GET", `/v1/api-keys?${query}`, operator);
      expect([query, refused.status, refused.body.code]).toEqual([query, 400, code]);
    }
  });
});

test("a key sees itself without its secret", async () => {
  const edge = edgeOf();
  const { body: key } = await issue(edge);
  const { status, headers, body } = await edge.ask("GET", "/v1/api-keys/current", { key: key.key });
  expect([status, headers.get("Cache-Control")]).toEqual([200, "no-store"]);
  expect(body).toMatchObject({ id: key.id, did: key.did, scopes: ["domains:read"], start: key.start });
  expect(JSON.stringify(body)).not.toContain(key.key);
});

test("a request without the operator's token gets an error that names this token, not an API key", async () => {
  const edge = edgeOf();
  const apiKey = await edge.keyOf("did:key:z6MkNoOperator", ["registry:admin"]);
  for (const call of [{}, { headers: { "X-API-Key": apiKey } }]) {
    const { status, body } = await edge.ask("GET", "/v1/api-keys", call);
    expect([status, body.code, body.detail]).toEqual([
      401,
      "unauthenticated",
      "Send the operator's token: Authorization: Bearer <ADMIN_TOKEN>. API keys are not accepted here",
    ]);
  }
  for (const key of [apiKey, "x".repeat(32)]) {
    const { status, body } = await edge.ask("GET", "/v1/api-keys", { key });
    expect([status, body.code]).toEqual([401, "invalid_token"]);
    expect(body.detail).toMatch(/not the operator's ADMIN_TOKEN.*API keys are not accepted/);
  }
});
