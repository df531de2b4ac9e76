/** The edge of the oracle over in-memory objects: what every request passes through, whoever answers it. */
import { describe, expect, test } from "vitest";
import { createInMemoryObjects } from "../../test/support/in-memory-objects.ts";
import { createEdge, type Call, type Edge } from "../../test/support/oracle-edge.ts";
import { mintDelegation, signer } from "../../test/support/ucan.ts";
import { INVALID_INVOCATION, MISSING_AUTHENTICATION } from "../platform/auth/authenticator.ts";
import { fault } from "../platform/errors.ts";
import { failure, success } from "../platform/result.ts";
import type { OracleAppOptions } from "./create-oracle-app.ts";
import { DELEGATION_BODY_BYTES, SMALL_BODY_BYTES, TURN_BODY_BYTES } from "./limits.ts";
import { ownOperations } from "./openapi.ts";
import type { OracleSurfacePlugin } from "./plugins/route-plugin.ts";

const alice = 1;
const bob = 2;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";

async function setUp(env: object = {}, options?: Partial<OracleAppOptions>) {
  const objects = createInMemoryObjects();
  const edge = await createEdge({ ...objects.bindings, ...env }, options);
  return { objects, edge };
}

async function openSession(edge: Edge, as = alice): Promise<string> {
  const { sessionId } = await json(await edge.call("POST", "/sessions", { as }));
  return String(sessionId);
}

async function json(response: Response): Promise<Record<string, unknown>> {
  return response.json();
}

/** JSON of exactly that many bytes. */
const bodyOfBytes = (members: object, bytes: number): string => {
  const empty = JSON.stringify({ ...members, pad: "" }).length;
  return JSON.stringify({ ...members, pad: "a".repeat(bytes - empty) });
};

describe("who calls", () => {
  test("a protected route without tokens tells how to authenticate", async () => {
    const { edge, objects } = await setUp();
    const response = await edge.call("GET", "/sessions", { headers: { "X-Request-Id": "req-42" } });
    expect(response.status).toBe(401);
    expect(await json(response)).toEqual({
      statusCode: 401,
      message: MISSING_AUTHENTICATION,
      error: "Unauthorized",
      requestId: "req-42",
    });
    expect(objects.calls).toEqual([]);
  });

  test("a bad invocation is refused even beside a good delegation", async () => {
    const { edge } = await setUp();
    const delegation = await mintDelegation(await signer(alice), edge.oracleDid, null);
    const headers = { Authorization: "Bearer x", "X-Auth-Type": "ucan", "x-ucan-delegation": delegation };
    const response = await edge.call("GET", "/sessions", { headers });
    expect([response.status, (await json(response))["message"]]).toEqual([401, INVALID_INVOCATION]);
  });

  test("public routes do not look at tokens", async () => {
    const { edge } = await setUp();
    const headers = { Authorization: "Bearer x", "X-Auth-Type": "ucan" };
    for (const path of ["/models", "/.well-known/did.json", "/", "/health", "/docs", "/openapi.json"]) {
      expect((await edge.call("GET", path, { headers })).status, path).toBe(200);
    }
  });

  test("the header's delegation goes with the turn", async () => {
    const { edge, objects } = await setUp();
    const token = await mintDelegation(await signer(alice), edge.oracleDid, null);
    const sessionId = await openSession(edge);
    const call = { as: alice, headers: { "x-ucan-delegation": token }, body: { message: "hi" } };
    expect((await edge.call("POST", `/messages/${sessionId}`, call)).status).toBe(200);
    expect(objects.turns[0]?.delegation).toMatchObject({ token, expiration: null });
  });
});

/** Every route that names a session or a run, with a body where it takes one. */
const sessionRoutes: readonly [string, (id: string) => string, string, ((id: string) => unknown)?][] = [
  ["DELETE", (id) => `/sessions/${id}`, "Session not found"],
  ["GET", (id) => `/sessions/${id}/messages`, "Session not found"],
  ["GET", (id) => `/sessions/${id}/run`, "Session not found"],
  ["GET", (id) => `/runs/${id}.${unknownId}`, "Run not found"],
  ["GET", (id) => `/messages/${id}`, "Session not found"],
  ["POST", (id) => `/messages/${id}`, "Session not found", () => ({ message: "hi" })],
  ["POST", (id) => `/messages/${id}`, "Session not found", () => ({ message: "hi", stream: true })],
  ["POST", () => "/messages/abort", "Session not found", (id) => ({ sessionId: id })],
];

describe("a session that is not the caller's", () => {
  test.each(sessionRoutes)("%s %s: foreign, unknown and ill-formed look alike", async (method, path, message, body) => {
    const { edge, objects } = await setUp();
    const foreign = await openSession(edge, bob);
    for (const id of [foreign, unknownId, "nobody", unknownId.toUpperCase(), "0b7c2c1e-5a0e-1d0c-9a55-6d1f6f6a8e10"]) {
      const before = objects.calls.length;
      const response = await edge.call(method, path(id), { as: alice, body: body?.(id) });
      expect([response.status, (await json(response))["message"]], id).toEqual([404, message]);
      expect(response.headers.get("X-Request-Id")).toMatch(/./);
      const touched = objects.calls.slice(before).filter((call) => call.startsWith("session."));
      expect(touched.length, id).toBe(id === foreign || id === unknownId ? 1 : 0);
    }
  });
});

describe("sessions", () => {
  test("a new one is made in its object, then listed; a body is ignored", async () => {
    const { edge, objects } = await setUp({ ORACLE_ENTITY_DID: "did:ixo:entity:0a" });
    const response = await edge.call("POST", "/sessions", { as: alice, body: '{"not json' });
    expect(response.status).toBe(201);
    expect(await json(response)).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      title: "Untitled",
      createdAt: expect.stringMatching(/Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
      oracleName: "Test oracle",
      oracleDid: edge.oracleDid,
      oracleEntityDid: "did:ixo:entity:0a",
    });
    expect(objects.calls).toEqual(["vault.admit", "session.create", "vault.putSession"]);
  });

  test("deleting takes it from the list first", async () => {
    const { edge, objects } = await setUp();
    const sessionId = await openSession(edge);
    objects.calls.length = 0;
    const response = await edge.call("DELETE", `/sessions/${sessionId}`, { as: alice });
    expect(await json(response)).toEqual({ message: "Session deleted successfully" });
    expect(objects.calls).toEqual(["vault.admit", "session.describe", "vault.removeSession", "session.destroy"]);
  });

  test.each([
    ["limit=0", "limit must be a whole number of at least 1"],
    ["limit=x", "limit must be a whole number of at least 1"],
    ["offset=-1", "offset must be a whole number of at least 0"],
  ])("?%s is a 400", async (query, message) => {
    const { edge } = await setUp();
    const response = await edge.call("GET", `/sessions?${query}`, { as: alice });
    expect([response.status, (await json(response))["message"]]).toEqual([400, message]);
  });
});

describe("turns", () => {
  test("a streamed one answers with the stream's headers", async () => {
    const { edge } = await setUp();
    const sessionId = await openSession(edge);
    const call: Call = { as: alice, headers: { "x-request-id": "req-42" }, body: { message: "hi", stream: true } };
    const response = await edge.call("POST", `/messages/${sessionId}`, call);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": "req-42",
      "x-run-id": `${sessionId}.00000000-0000-4000-8000-000000000000`,
      "x-ratelimit-limit": "120",
      "x-ratelimit-remaining": "118",
      "access-control-expose-headers": "X-Request-Id, x-run-id",
    });
    expect(await response.text()).toBe("event: run\nid: 1\ndata: {}\n\n");
  });

  test("a joined one carries the turn's request id, not the caller's", async () => {
    const { edge } = await setUp();
    const sessionId = await openSession(edge);
    const runId = `${sessionId}.${unknownId}`;
    const response = await edge.call("GET", `/runs/${runId}?after=4294967297`, {
      as: alice,
      headers: { "x-request-id": "mine" },
    });
    expect([response.headers.get("X-Request-Id"), response.headers.get("x-run-id")]).toEqual(["turn-1", runId]);
    const bad = await edge.call("GET", `/runs/${runId}?after=-1`, { as: alice });
    expect([bad.status, (await json(bad))["message"]]).toEqual([400, "after must be a whole number of at least 0"]);
  });

  test("a waited-for one answers the whole text", async () => {
    const { edge, objects } = await setUp();
    const sessionId = await openSession(edge);
    objects.reply = success({ status: "finished", content: "Hello", messageId: "m-1", delegationRequired: true });
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(await json(response)).toEqual({
      message: { type: "ai", content: "Hello", id: "m-1" },
      sessionId,
      delegationRequired: true,
    });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
    objects.reply = success({ status: "aborted", content: "Hel", messageId: "m-2" });
    const aborted = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(await json(aborted)).toMatchObject({ aborted: true, message: { content: "Hel" } });
  });

  test("a failed one is a 502 with its kind", async () => {
    const { edge, objects } = await setUp();
    const sessionId = await openSession(edge);
    const failed = { kind: "rate_limit", message: "The model is busy" };
    objects.reply = success({ status: "failed", content: "", failure: failed });
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(response.status).toBe(502);
    expect(await json(response)).toMatchObject({ statusCode: 502, error: "Bad Gateway", ...failed });
    expect(response.headers.get("x-run-id")).toContain(sessionId);
  });

  test("one that has to be paid for is a 402 with both lists", async () => {
    const { edge, objects } = await setUp();
    const sessionId = await openSession(edge);
    const lists = { claims: ["claim_0f"], outstandingClaims: ["claim_0f"] };
    objects.reply = failure(fault("payment_required", "10 credits or fewer left", { members: lists }));
    const response = await edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: "hi" } });
    expect(response.status).toBe(402);
    expect(await json(response)).toMatchObject({ statusCode: 402, error: "Payment Required", ...lists });
  });

  test("both cursors at once are a 400", async () => {
    const { edge } = await setUp();
    const sessionId = await openSession(edge);
    const response = await edge.call("GET", `/sessions/${sessionId}/messages?before=a&after=b`, { as: alice });
    expect([response.status, (await json(response))["message"]]).toEqual([
      400,
      "before and after cannot be used together",
    ]);
  });
});

describe("bodies", () => {
  test.each([
    ["/messages/abort", SMALL_BODY_BYTES, { sessionId: unknownId }, 404],
    ["/delegation", DELEGATION_BODY_BYTES, { raw: "x" }, 400],
    [`/messages/${unknownId}`, TURN_BODY_BYTES, { message: "hi" }, 404],
    ["/sessions", SMALL_BODY_BYTES, {}, 201],
  ])("POST %s takes %d bytes and not one more", async (path, limit, members, otherwise) => {
    const { edge } = await setUp();
    const fits = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit) });
    expect(fits.status).toBe(otherwise);
    const exceeds = await edge.call("POST", path, { as: alice, body: bodyOfBytes(members, limit + 1) });
    expect([exceeds.status, (await json(exceeds))["message"]]).toEqual([413, "Request body too large"]);
  });

  test.each(["", "{", '"text"', "null"])("%j is not a JSON body", async (body) => {
    const { edge } = await setUp();
    const response = await edge.call("POST", "/messages/abort", { as: alice, body });
    expect([response.status, (await json(response))["message"]]).toEqual([400, "Request body is not valid JSON"]);
  });

  test("a JSON content type without a body is fine where none is needed", async () => {
    const { edge } = await setUp();
    const headers = { "Content-Type": "application/json" };
    expect((await edge.call("POST", "/sessions", { as: alice, headers })).status).toBe(201);
    expect((await edge.call("GET", "/sessions", { as: alice, headers })).status).toBe(200);
    expect((await edge.call("DELETE", "/delegation", { as: alice, headers })).status).toBe(200);
  });
});

describe("delegation", () => {
  test("is stored, told and forgotten; hints that disagree are ignored", async () => {
    const { edge } = await setUp();
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    const raw = await mintDelegation(await signer(alice), edge.oracleDid, expiration);
    const status = async () => json(await edge.call("GET", "/delegation", { as: alice }));
    expect(await status()).toEqual({ authorized: false });
    const body = { raw, issuer: "did:key:zOther", expiration: "soon" };
    expect(await json(await edge.call("POST", "/delegation", { as: alice, body }))).toEqual({ ok: true, expiration });
    expect(await status()).toEqual({ authorized: true, expiration });
    expect(await json(await edge.call("DELETE", "/delegation", { as: alice }))).toEqual({ ok: true });
    expect(await status()).toEqual({ authorized: false });
  });

  test("that never expires has no expiration", async () => {
    const { edge } = await setUp();
    const raw = await mintDelegation(await signer(alice), edge.oracleDid, null);
    expect(await json(await edge.call("POST", "/delegation", { as: alice, body: { raw } }))).toEqual({ ok: true });
    expect(await json(await edge.call("GET", "/delegation", { as: alice }))).toEqual({ authorized: true });
  });

  test("of another user, malformed or missing is a 400 with the reason", async () => {
    const { edge, objects } = await setUp();
    const foreign = await mintDelegation(await signer(bob), edge.oracleDid, null);
    for (const [raw, message] of [
      [foreign, "Invalid delegation: issuer"],
      ["x", "Invalid delegation: malformed CAR"],
      ["", "raw must be a non-empty string"],
      [5, "raw must be a non-empty string"],
    ]) {
      const response = await edge.call("POST", "/delegation", { as: alice, body: { raw } });
      expect([response.status, (await json(response))["message"]]).toEqual([400, message]);
    }
    expect(objects.calls).toEqual([]);
  });
});

describe("the rate limit", () => {
  test("counts each user by himself and tells when to come back", async () => {
    const { edge, objects } = await setUp({ ORACLE_RATE_LIMIT_PER_MINUTE: "3" });
    const sessionId = await openSession(edge);
    const first = await edge.call("GET", "/sessions", { as: alice });
    expect([first.headers.get("X-RateLimit-Limit"), first.headers.get("X-RateLimit-Remaining")]).toEqual(["3", "1"]);
    expect((await edge.call("GET", `/messages/${sessionId}`, { as: alice })).status).toBe(200);
    objects.calls.length = 0;
    const refused: [string, string, unknown?][] = [
      ["GET", "/sessions"],
      ["GET", `/messages/${sessionId}`],
      ["POST", "/sessions"],
      ["POST", `/messages/${sessionId}`, { message: "hi" }],
      ["GET", `/runs/${sessionId}.${unknownId}`],
      ["GET", "/user-preferences"],
    ];
    for (const [method, path, body] of refused) {
      const response = await edge.call(method, path, { as: alice, body });
      expect([response.status, response.headers.get("Retry-After")], path).toEqual([429, "42"]);
      expect(response.headers.get("X-RateLimit-Remaining")).toBe("0");
      expect(await json(response)).toMatchObject({ statusCode: 429, message: "Too many requests" });
    }
    expect(objects.calls.filter((call) => /create|startTurn|completeTurn|followRun/.test(call))).toEqual([]);
    expect((await edge.call("GET", "/sessions", { as: bob })).status).toBe(200);
  });

  test("public routes and preflights never count", async () => {
    const { edge, objects } = await setUp();
    await edge.call("GET", "/models", { as: alice });
    await edge.call("OPTIONS", "/sessions", { as: alice });
    expect(objects.calls).toEqual([]);
  });
});

describe("paths and methods", () => {
  test.each([
    ["GET", "/sessions/x/y/z"],
    ["PUT", "/sessions"],
    ["PATCH", "/delegation"],
    ["GET", "/messages/abort/x"],
    ["POST", "/models"],
    ["GET", "/sessions//"],
    ["GET", "/messages//x"],
    ["GET", "/calls/x"],
    ["POST", "/docs"],
    ["GET", "/openapi/ussd.json"],
    ["GET", "/openapi/nothing.json"],
  ])("%s %s is unknown", async (method, path) => {
    const { edge } = await setUp();
    const response = await edge.call(method, path);
    expect([response.status, (await json(response))["message"]]).toEqual([404, `Cannot ${method} ${path}`]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("a slash at the end means nothing", async () => {
    const { edge } = await setUp();
    const sessionId = await openSession(edge);
    for (const path of ["/sessions/", `/messages/${sessionId}/`, "/models/", "/delegation/"]) {
      expect((await edge.call("GET", path, { as: alice })).status, path).toBe(200);
    }
  });

  test("every described operation is routed", async () => {
    const { edge } = await setUp();
    const { paths } = await json(await edge.call("GET", "/openapi.json"));
    const described = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
    expect(described.length).toBe(ownOperations.length + 3); // user-preferences, root, health
    for (const [method, template] of described) {
      const path = template.replace("{sessionId}", unknownId).replace("{runId}", `${unknownId}.${unknownId}`);
      const response = await edge.call(method, path, { as: alice });
      expect((await response.text()).includes(`Cannot ${method}`), `${method} ${path}`).toBe(false);
    }
  });

  test("a preflight is answered on any path, before authentication", async () => {
    const { edge } = await setUp();
    for (const path of ["/sessions", "/messages/abort", "/calls/x", "/health", "/docs/nothing"]) {
      const response = await edge.call("OPTIONS", path, {
        headers: { Origin: "https://app.test", "Access-Control-Request-Method": "POST", "X-Request-Id": "req-42" },
      });
      expect([response.status, response.headers.get("X-Request-Id")], path).toEqual([204, "req-42"]);
    }
  });

  test("errors carry the same cross-origin headers as successes", async () => {
    const { edge } = await setUp({ CORS_ORIGIN: "https://app.test" });
    for (const call of [{ as: alice }, {}]) {
      const response = await edge.call("GET", "/sessions", { ...call, headers: { Origin: "https://app.test" } });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("https://app.test");
      expect(response.headers.get("Access-Control-Allow-Credentials")).toBe("true");
    }
  });
});

describe("what is thrown", () => {
  test.each([
    [{}, 500, "Internal server error"],
    [{ overloaded: true }, 503, "The service is busy; please try again"],
    [{ retryable: true }, 503, "The service is busy; please try again"],
  ])("by an object with %j is a %d", async (properties, status, message) => {
    const seen: unknown[] = [];
    const { edge, objects } = await setUp({}, { hooks: { onError: (error) => void seen.push(error) } });
    const sessionId = await openSession(edge);
    objects.breakage = Object.assign(new Error("secret detail"), properties);
    const response = await edge.call("GET", `/messages/${sessionId}`, { as: alice });
    expect([response.status, (await json(response))["message"]]).toEqual([status, message]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(seen).toEqual([objects.breakage]);
  });
});

describe("the DID document", () => {
  test("names the key and the services at the request's own origin", async () => {
    const { edge } = await setUp();
    const document = await json(await edge.call("GET", "/.well-known/did.json"));
    const key = edge.oracleDid.slice("did:key:".length);
    expect(document).toEqual({
      "@context": expect.any(Array),
      id: edge.oracleDid,
      verificationMethod: [
        {
          id: `${edge.oracleDid}#${key}`,
          type: "Ed25519VerificationKey2020",
          controller: edge.oracleDid,
          publicKeyMultibase: key,
        },
      ],
      assertionMethod: [`${edge.oracleDid}#${key}`],
      service: [
        { id: `${edge.oracleDid}#api`, type: "oracleService", serviceEndpoint: "https://oracle.test" },
        { id: `${edge.oracleDid}#ws`, type: "wsService", serviceEndpoint: "https://oracle.test" },
      ],
    });
  });

  test("PUBLIC_URL replaces the origin; without a key there is no document", async () => {
    const { edge } = await setUp({ PUBLIC_URL: "https://public.test/" });
    expect(await json(await edge.call("GET", "/.well-known/did.json"))).toMatchObject({
      service: [{ serviceEndpoint: "https://public.test" }, { serviceEndpoint: "https://public.test" }],
    });
    const keyless = await setUp({ ORACLE_SIGNING_SEED: "", ORACLE_DID: "did:ixo:ixo1oracle" });
    expect((await keyless.edge.call("GET", "/.well-known/did.json")).status).toBe(404);
  });
});

test("the models' list has its default", async () => {
  const { edge } = await setUp();
  expect(await json(await edge.call("GET", "/models"))).toMatchObject({
    models: [{ id: "local", isDefault: true }],
    default: "local",
  });
});

describe("plugins", () => {
  const manifest = {
    title: "Echo",
    summary: "",
    whenToUse: [],
    whenNotToUse: [],
    examples: [],
    tags: [],
    category: "test",
    visibility: "silent",
    stability: "stable",
  } as const;
  const echo: OracleSurfacePlugin = {
    name: "echo",
    version: "1",
    manifest,
    getRoutes: () => [
      {
        operation: { method: "post", path: "/calls/:callId/echo", id: "echo", summary: "Echo", tag: "Echo", responses: {} },
        handle: async ({ params, caller }) => Response.json({ callId: params["callId"], did: caller?.did ?? null }),
      },
    ],
  };

  test("bring routes that need a caller, and decode their parameters once", async () => {
    const { edge } = await setUp({}, { plugins: [echo] });
    expect((await edge.call("POST", "/calls/a/echo")).status).toBe(401);
    const response = await edge.call("POST", "/calls/%24a%40b%253A/echo", { as: alice });
    expect(await json(response)).toEqual({ callId: "$a@b%3A", did: (await signer(alice)).did() });
  });

  test("routes can be excluded from authentication by the plugin or by an option", async () => {
    const byOption = await setUp({}, { plugins: [echo], authExcludedRoutes: [{ path: "/calls/(.*)", method: "POST" }] });
    const byPlugin = await setUp({}, { plugins: [{ ...echo, getAuthExcludedRoutes: () => [{ path: "/calls/:callId/echo" }] }] });
    for (const { edge, objects } of [byOption, byPlugin]) {
      expect(await json(await edge.call("POST", "/calls/a/echo"))).toEqual({ callId: "a", did: null });
      expect(objects.calls).toEqual([]);
    }
  });

  test("preferences are read with the caller's DID, and answer 404 when the plugin is off", async () => {
    const on = await setUp();
    expect(await json(await on.edge.call("GET", "/user-preferences", { as: alice }))).toEqual({});
    const off = await setUp({}, { features: { "user-preferences": false } });
    expect((await off.edge.call("GET", "/user-preferences", { as: alice })).status).toBe(404);
    const { paths } = await json(await off.edge.call("GET", "/openapi/oracle.json"));
    expect(paths).not.toHaveProperty(["/user-preferences"]);
  });

  test("a boot error answers every route but the root and health", async () => {
    const { edge } = await setUp({}, { plugins: [{ ...echo, autoDetect: () => false }], features: { echo: true } });
    for (const path of ["/sessions", "/models", "/.well-known/did.json"]) {
      const response = await edge.call("GET", path, { as: alice });
      expect([response.status, (await json(response))["message"]]).toEqual([500, "boot.plugin.env_missing"]);
    }
    expect((await edge.call("GET", "/")).status).toBe(200);
    expect(await json(await edge.call("GET", "/health"))).toMatchObject({
      plugins: { loaded: [], excluded: [{ plugin: "echo", reason: "boot.plugin.env_missing" }] },
    });
  });
});

test("a wrong setting fails the oracle in its own form and shows in health by name alone", async () => {
  const { edge } = await setUp({ ORACLE_SIGNING_SEED: "secret" });
  const response = await edge.call("GET", "/models");
  expect(response.status).toBe(500);
  expect(await json(response)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
  const health = await edge.call("GET", "/health");
  expect(health.status).toBe(503);
  const record = await json(health);
  expect(record).toMatchObject({ status: "error", misconfigured: { oracle: ["ORACLE_SIGNING_SEED"] } });
  expect(JSON.stringify(record)).not.toContain("secret");
});
