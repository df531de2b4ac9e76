/** The middleware of every request, over the real objects in Node. */
import { describe, expect, test } from "vitest";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession } from "../../test/support/oracle/oracle-edge.ts";
import { forge, issue, mintDelegation, mintInvocation, signer, tokenOf } from "../../test/support/auth/ucan.ts";
import { INVALID_INVOCATION, INVOCATION_REQUIRED, MISSING_AUTHENTICATION } from "../../platform/auth/authenticator.ts";
import { errorCodes, runErrorCodes } from "../../protocol/errors.ts";
import { REFUSAL_REASONS } from "../../platform/auth/token-issue.ts";
import { ownRoutes } from "./router.ts";
import { NEW_REQUEST_ID } from "../../test/support/server/request-ids.ts";

const alice = 1;
const bob = 2;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
describe("authentication", () => {
  test("a request without tokens is a 401 that says how to authenticate [OR-26, OR-27]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const response = await edge.call("GET", "/sessions", { headers: { "X-Request-Id": "req-42" } });
    expect(response.status).toBe(401);
    expect(await jsonOf(response)).toEqual({
      statusCode: 401,
      message: MISSING_AUTHENTICATION,
      error: "Unauthorized",
      requestId: "req-42",
      code: "missing_authentication",
      retryable: true,
    });
    expect(objects.calls).toEqual([]);
  });

  test("where a delegation alone does not sign in, it is a 401 that says what to send [OR-194]", async () => {
    const { edge, objects } = await edgeOverObjects({ UCAN_ALLOW_BARE_DELEGATION_AUTH: "false" });
    const headers = { "x-ucan-delegation": await mintDelegation(await signer(alice), edge.oracleDid, null) };
    const response = await edge.call("GET", "/sessions", { headers });
    expect([response.status, await jsonOf(response)]).toMatchObject([
      401,
      { message: INVOCATION_REQUIRED, code: "missing_authentication", reason: "invocation_required", retryable: true },
    ]);
    expect(objects.calls).toEqual([]);
    expect((await edge.call("GET", "/sessions", { as: alice })).status).toBe(200);
    const { edge: lenient } = await edgeOverObjects();
    expect((await lenient.call("GET", "/sessions", { headers })).status).toBe(200);
  });

  test("an invalid invocation is a 401, even with a valid delegation [OR-24]", async () => {
    const { edge } = await edgeOverObjects();
    const delegation = await mintDelegation(await signer(alice), edge.oracleDid, null);
    const headers = { Authorization: "Bearer x", "X-Auth-Type": "ucan", "x-ucan-delegation": delegation };
    const response = await edge.call("GET", "/sessions", { headers });
    expect([response.status, await jsonOf(response)]).toMatchObject([
      401,
      { message: INVALID_INVOCATION, code: "invalid_invocation", reason: "malformed" },
    ]);
  });

  test("an invalid delegation alone is invalid, not missing [OR-25, OR-27]", async () => {
    const { edge } = await edgeOverObjects();
    const response = await edge.call("GET", "/sessions", { headers: { "x-ucan-delegation": "nonsense" } });
    expect([response.status, await jsonOf(response)]).toMatchObject([
      401,
      { message: "Invalid UCAN delegation", error: "Unauthorized", code: "invalid_delegation", reason: "malformed" },
    ]);
  });

  test("a 401 states what is wrong with the token [OR-17, OR-18, OR-19, OR-27]", async () => {
    const { edge } = await edgeOverObjects({ UCAN_AUTH_MAX_TTL_SECONDS: "900" });
    const now = Math.floor(Date.now() / 1000);
    const user = await signer(alice);
    const good = await issue({ issuer: user, audience: edge.oracleDid, expiration: now + 600 });
    const notBefore = now + 300;
    const early = await issue({ issuer: user, audience: edge.oracleDid, expiration: now + 600, notBefore });
    const tokens = {
      expired: await mintInvocation(user, edge.oracleDid, now - 1),
      not_yet_valid: await tokenOf(early),
      wrong_audience: await mintInvocation(user, "did:ixo:ixo1another", now + 600),
      malformed: "nonsense",
      bad_signature: await forge(good, { exp: now + 601 }),
      capability: await mintDelegation(user, edge.oracleDid, now + 600),
      too_long: await mintInvocation(user, edge.oracleDid, now + 1200),
    };
    for (const [reason, token] of Object.entries(tokens)) {
      const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
      const response = await edge.call("GET", "/sessions", { headers });
      expect([response.status, await jsonOf(response)]).toMatchObject([401, { message: INVALID_INVOCATION, reason }]);
    }
  });

  test("the API document has the messages of errors, and the members of a 401 [OR-184, OR-191]", async () => {
    const { edge } = await edgeOverObjects();
    const document = await jsonOf(await edge.call("GET", "/openapi/oracle.json"));
    expect(document).toMatchObject({
      paths: {
        "/sessions": {
          get: { responses: { 401: { content: { "application/json": { example: { reason: "expired" } } } } } },
        },
      },
      components: {
        schemas: {
          OracleError: { properties: { code: { enum: [...errorCodes] }, retryable: { type: "boolean" } } },
          ErrorFrame: { properties: { data: { properties: { code: { enum: [...runErrorCodes, "unknown"] } } } } },
          OracleUnauthorized: { properties: { reason: { enum: REFUSAL_REASONS } } },
          FrontendTools: { required: ["protocolVersion", "execution", "timeoutOutcome"] },
        },
      },
    });
  });

  test("open routes ignore tokens [OR-1]", async () => {
    const { edge } = await edgeOverObjects();
    const headers = { Authorization: "Bearer x", "X-Auth-Type": "ucan" };
    for (const path of ["/models", "/.well-known/did.json", "/", "/health", "/openapi.json"]) {
      expect([path, (await edge.call("GET", path, { headers })).status]).toEqual([path, 200]);
    }
  });

  test("responses to a signed-in caller, errors included, are not cached", async () => {
    const { edge } = await edgeOverObjects();
    for (const path of ["/sessions", `/messages/${await openSession(edge, alice)}`, `/messages/${unknownId}`]) {
      expect((await edge.call("GET", path, { as: alice })).headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("the header's delegation is part of the run [OR-23, OR-33]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const token = await mintDelegation(await signer(alice), edge.oracleDid, null);
    const sessionId = await openSession(edge, alice);
    const call = { as: alice, headers: { "x-ucan-delegation": token }, body: { message: "hi" } };
    expect((await edge.call("POST", `/messages/${sessionId}`, call)).status).toBe(200);
    expect(objects.turns[0]?.delegation).toMatchObject({ token, expiration: null });
  });
});

/** Every route that names a session or a run, with a body if it takes one. */

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

describe("another user's session", () => {
  test.each(sessionRoutes)(
    "%s %s: another user's, an unknown and a malformed id look alike [OR-38, OR-39]",
    async (method, path, message, body) => {
      const { edge, objects } = await edgeOverObjects();
      const foreign = await openSession(edge, bob);
      for (const id of [foreign, unknownId, "no-id", unknownId.toUpperCase(), "0b7c2c1e-5a0e-1d0c-9a55-6d1f6f6a8e10"]) {
        const before = objects.calls.length;
        const response = await edge.call(method, path(id), { as: alice, body: body?.(id) });
        expect([id, response.status, (await jsonOf(response))["message"]]).toEqual([id, 404, message]);
        expect(response.headers.get("X-Request-Id")).toMatch(NEW_REQUEST_ID);
        const touched = objects.calls.slice(before).filter((call) => call.startsWith("session."));
        expect([id, touched.length]).toEqual([id, id === foreign || id === unknownId ? 1 : 0]);
      }
    },
  );
});

describe("the rate limit", () => {
  test("counts each user separately and states when to retry [OR-138]", async () => {
    const { edge, objects } = await edgeOverObjects({ ORACLE_RATE_LIMIT_PER_MINUTE: "3" });
    const sessionId = await openSession(edge, alice);
    const first = await edge.call("GET", "/sessions", { as: alice });
    expect([first.headers.get("X-RateLimit-Limit"), first.headers.get("X-RateLimit-Remaining")]).toEqual(["3", "1"]);
    expect((await edge.call("GET", `/messages/${sessionId}`, { as: alice })).status).toBe(200);
    objects.calls.length = 0;
    const refused: [string, string, unknown?][] = [
      ["GET", "/sessions"],
      ["GET", `/messages/${sessionId}`],
      ["GET", `/sessions/${sessionId}/messages`],
      ["POST", "/sessions"],
      ["POST", `/messages/${sessionId}`, { message: "hi" }],
      ["GET", `/runs/${sessionId}.${unknownId}`],
      ["GET", "/user-preferences"],
    ];
    for (const [method, path, body] of refused) {
      const response = await edge.call(method, path, { as: alice, body });
      expect([path, response.status]).toEqual([path, 429]);
      expect(response.headers.get("Retry-After")).toMatch(/^(60|[1-5]?\d)$/);
      expect(response.headers.get("X-RateLimit-Remaining")).toBe("0");
      expect(await jsonOf(response)).toMatchObject({ statusCode: 429, message: "Too many requests" });
    }
    expect(objects.calls.filter((call) => /create|startRun|completeRun|followRun|session\.message/.test(call))).toEqual(
      [],
    );
    expect((await edge.call("GET", "/sessions", { as: bob })).status).toBe(200);
  });

  test("open routes and preflights never count [OR-138]", async () => {
    const { edge, objects } = await edgeOverObjects();
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
  ])("%s %s is unknown [OR-4, OR-5]", async (method, path) => {
    const { edge } = await edgeOverObjects();
    const response = await edge.call(method, path);
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([404, `Cannot ${method} ${path}`]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("a trailing slash is ignored [OR-4]", async () => {
    const { edge } = await edgeOverObjects();
    const sessionId = await openSession(edge, alice);
    for (const path of ["/sessions/", `/messages/${sessionId}/`, "/models/", "/delegation/"]) {
      expect([path, (await edge.call("GET", path, { as: alice })).status]).toEqual([path, 200]);
    }
  });

  test("every described operation is routed", async () => {
    const { edge } = await edgeOverObjects({ ADMIN_TOKEN: "operator-token-of-32-characters!" });
    const { paths } = await jsonOf(await edge.call("GET", "/openapi.json"));
    const described = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
    expect(described.length).toBe(ownRoutes.length + 5); // user-preferences, root, health, and two of the sockets.
    for (const [method, template] of described) {
      const path = template.replace("{sessionId}", unknownId).replace("{runId}", `${unknownId}.${unknownId}`);
      const response = await edge.call(method, path, { as: alice });
      const text = await response.text();
      expect([method, path, text.includes(`Cannot ${method}`)]).toEqual([method, path, false]);
    }
  });

  test("a preflight is answered on every path, before authentication [ALL-7, ALL-10]", async () => {
    const { edge } = await edgeOverObjects();
    for (const path of ["/sessions", "/messages/abort", "/calls/x", "/health", "/docs/nothing"]) {
      const response = await edge.call("OPTIONS", path, {
        headers: { Origin: "https://app.test", "Access-Control-Request-Method": "POST", "X-Request-Id": "req-42" },
      });
      expect([path, response.status, response.headers.get("X-Request-Id")]).toEqual([path, 204, "req-42"]);
    }
  });

  test("errors have the same cross-origin headers as other responses [ALL-9, ALL-11]", async () => {
    const { edge } = await edgeOverObjects({ CORS_ORIGIN: "https://app.test" });
    for (const call of [{ as: alice }, {}]) {
      const response = await edge.call("GET", "/sessions", { ...call, headers: { Origin: "https://app.test" } });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("https://app.test");
      expect(response.headers.get("Access-Control-Allow-Credentials")).toBe("true");
    }
  });
});

describe("exceptions", () => {
  test.each([
    [{}, 500, "Internal server error"],
    [{ overloaded: true }, 503, "The service is busy; please try again"],
    [{ retryable: true }, 503, "The service is busy; please try again"],
  ])("of an object with %j are a %d [OR-132, OR-146]", async (properties, status, message) => {
    const seen: unknown[] = [];
    const { edge, objects } = await edgeOverObjects({}, { hooks: { onError: (error) => void seen.push(error) } });
    const sessionId = await openSession(edge, alice);
    objects.breakage = Object.assign(new Error("secret detail"), properties);
    const response = await edge.call("GET", `/messages/${sessionId}`, { as: alice });
    expect([response.status, (await jsonOf(response))["message"]]).toEqual([status, message]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(seen).toEqual([objects.breakage]);
  });
});
