/**
 * The gateway's routes over HTTP (contract/ussd.md sections 1, 2, 8, 9 and 12.3): forms of requests and refusals, limits,
 * who may reach what, providers, operators.
 */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countRows, newCaller, newCustomer, testAccounts } from "../../support/ussd-accounts.ts";
import { CODE, createUssdEdge, OPERATOR_TOKEN } from "../../support/ussd-edge.ts";
import { SCREENS } from "../../support/ussd-flows.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const INVALID = "END Invalid input. Please try again.";
const UNAVAILABLE = "END Service temporarily unavailable. Please try again later.";
const edge = createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });
const json = { "Content-Type": "application/json" };
const operator = { Authorization: `Bearer ${OPERATOR_TOKEN}` };

/** A request of section 12.3 that has nothing wrong. */
function good(more: object = {}) {
  const { phoneNumber, sessionId } = newCaller();
  return { sessionId, phoneNumber, serviceCode: CODE, text: "", ...more };
}

test("JSON and form bodies are answered alike, as plain text that no cache keeps", async () => {
  const form = new URLSearchParams(good()).toString().replaceAll("%2B", "+");
  const calls = [
    { headers: json, body: JSON.stringify(good({ networkCode: "64501" })) },
    { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: form },
    { headers: {}, body: JSON.stringify(good()) },
  ];
  for (const call of calls) {
    const response = await edge.call("POST", "/api/ussd", call);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("X-Request-Id")).toMatch(/./);
    expect(response.headers.get("X-RateLimit-Limit")).toBe("100000");
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(await response.text()).toBe(SCREENS.W);
  }
});

const bad: readonly [string, object][] = [
  ...["abc", "0971234567", "1234", "260971234567", "+0971234567", "+12345", "+1234567890123456", 260971234567].map(
    (phoneNumber): [string, object] => [`phone ${phoneNumber}`, { phoneNumber }],
  ),
  ...["2233", "*2233", "2233#", "*abc#", "#2233*", "*1**2#", "*1*#", "*123*#456#", ""].map(
    (serviceCode): [string, object] => [`code ${serviceCode}`, { serviceCode }],
  ),
  ...["x".repeat(183), 1, null, undefined].map((text): [string, object] => [
    `text ${String(text).slice(0, 9)}`,
    { text },
  ]),
  ...["", "x".repeat(101), "  ", undefined].map((sessionId): [string, object] => [
    `session ${String(sessionId).slice(0, 9)}`,
    { sessionId },
  ]),
];

test("every bad field gets the spec's END, and nothing is written", async () => {
  const before = await countRows(env.DATABASE, "phones");
  for (const [name, more] of bad) {
    const response = await edge.step(good(more));
    expect([name, response.status, await response.text()]).toEqual([name, 200, INVALID]);
  }
  for (const body of ["{}", "[]", "null", '"x"', "{", "", "<xml/>", `{"text":"${"x".repeat(9_000)}"}`]) {
    const response = await edge.call("POST", "/api/ussd", { headers: json, body });
    expect([body.slice(0, 9), response.status, await response.text()]).toEqual([body.slice(0, 9), 200, INVALID]);
  }
  expect(await countRows(env.DATABASE, "phones")).toBe(before);
});

test.each([
  [{ sessionId: `${crypto.randomUUID()}${"x".repeat(64)}` }],
  [{ text: "😀".repeat(182) }],
  [{ serviceCode: "*123#" }],
  [{ serviceCode: "*144*1*1#" }],
])("what is odd but allowed passes: %o", async (more) => {
  const response = await edge.step(good(more));
  expect(await response.text()).toMatch(/^CON /);
});

test("whatever bytes are sent, the answer is CON or END with 200", { timeout: 120_000 }, async () => {
  const bytes = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 182 }).map((text) => JSON.stringify(good({ text }))),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const response = await edge.call("POST", "/api/ussd", { headers: json, body: body.toWellFormed() });
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/^(?:CON|END) /);
    }),
    { numRuns },
  );
});

test("wrong methods and unknown paths are told in this surface's form; HEAD goes where GET goes", async () => {
  for (const [method, path, allow] of [
    ["GET", "/api/ussd", "POST"],
    ["OPTIONS", "/api/ussd", "POST"],
    ["POST", "/api/ussd/sessions", "GET, HEAD"],
    ["DELETE", "/api/ussd/debug/x", "GET, HEAD"],
    ["GET", "/api/ussd/ops/pins/rotate", "POST"],
    ["GET", "/api/ussd/providers/hubtel", "POST"],
  ] as const) {
    const response = await edge.call(method, path);
    expect([method, path, response.status]).toEqual([method, path, 405]);
    expect(response.headers.get("Allow")).toBe(allow);
    expect(await response.json()).toEqual({ error: "Method Not Allowed" });
  }
  for (const path of ["/api/ussd/nothing", "/api/ussd/g/secret", "/api/ussd/providers/nobody"]) {
    const response = await edge.call("POST", path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: `Route POST:${path} not found`,
      error: "Not Found",
      statusCode: 404,
    });
  }
  const head = await edge.call("HEAD", "/api/ussd/sessions");
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("the 101st request of an address in a minute gets 429, over all routes; only a trusted proxy names another", async () => {
  const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
  const limited = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "" });
  const from = (headers: Record<string, string>) => ({ headers: { ...json, "CF-Connecting-IP": address, ...headers } });
  const answers = await Promise.all(
    Array.from({ length: 110 }, (_, index) =>
      limited.call("GET", index % 2 === 0 ? "/api/ussd/debug/x" : "/api/ussd/unknown", from({})),
    ),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  const body = JSON.stringify(good());
  const post = await limited.call("POST", "/api/ussd", { ...from({ "X-Forwarded-For": "203.0.113.9" }), body });
  expect(post.status).toBe(429);
  expect(post.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect(Number(post.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
  expect(await post.text()).toBe("END Too many requests. Please try again later.");
  const read = await limited.call("GET", "/api/ussd/sessions", from({}));
  expect(await read.json()).toMatchObject({ error: "Rate Limit Exceeded", code: "RATE_LIMIT_EXCEEDED" });

  const trusting = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "", TRUST_PROXY_ENABLED: "true" });
  const proxied = (chain: string) =>
    trusting.call("POST", "/api/ussd", { ...from({ "X-Forwarded-For": chain }), body: JSON.stringify(good()) });
  expect((await proxied(`203.0.113.1, ${crypto.randomUUID()}`)).status).toBe(200);
  expect((await proxied(`203.0.113.1, ${address}`)).status).toBe(429);

  const gateway = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "", USSD_GATEWAY_IPS: "198.51.100.0/24" });
  expect((await gateway.call("POST", "/api/ussd", { ...from({}), body })).status).toBe(200);
});

test("with a path secret the endpoint is only beneath it, providers too; with listed addresses only for those", async () => {
  const secret = "a-secret-of-the-path";
  const gated = createUssdEdge(env, { USSD_PATH_SECRET: secret });
  const send = (path: string, e = gated) => e.call("POST", path, { headers: json, body: JSON.stringify(good()) });
  expect((await send("/api/ussd")).status).toBe(404);
  expect((await send("/api/ussd/g/another-secret-xx")).status).toBe(404);
  expect((await send("/api/ussd/providers/hubtel")).status).toBe(404);
  expect(await (await send(`/api/ussd/g/${secret}`)).text()).toBe(SCREENS.W);
  expect((await send(`/api/ussd/g/${secret}/providers/hubtel`)).status).toBe(200);
  expect(gated.log.join("")).not.toContain(secret);
  const listed = createUssdEdge(env, { USSD_ALLOWED_IPS: "192.0.2.0/24" });
  expect((await send("/api/ussd", listed)).status).toBe(404);
  const inside = { headers: { ...json, "CF-Connecting-IP": "192.0.2.7" }, body: JSON.stringify(good()) };
  expect((await listed.call("POST", "/api/ussd", inside)).status).toBe(200);
});

test("a wrong configuration: nonsense is still told so, everything else is unavailable", async () => {
  const broken = createUssdEdge(env, { PIN_ENCRYPTION_KEY: "short" });
  expect(await (await broken.step(good({ phoneNumber: "abc" }))).text()).toBe(INVALID);
  expect(await (await broken.step(good())).text()).toBe(UNAVAILABLE);
  expect((await broken.call("GET", "/api/ussd/sessions")).status).toBe(503);
});

test("outside development debug routes need the operator's token, and are not there without one", async () => {
  const production = createUssdEdge(env, { ENVIRONMENT: "production", USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });
  const unset = createUssdEdge(env, { ENVIRONMENT: "production" });
  for (const path of ["/api/ussd/sessions", "/api/ussd/debug/x"]) {
    expect((await production.call("GET", path)).status).toBe(404);
    expect((await unset.call("GET", path, { headers: operator })).status).toBe(404);
    const wrong = await production.call("GET", path, { headers: { Authorization: "Bearer wrong" } });
    expect([wrong.status, await wrong.json()]).toEqual([401, { error: "Unauthorized" }]);
  }
  expect((await production.call("GET", "/api/ussd/sessions", { headers: operator })).status).toBe(200);
  await production.settled();
  expect(await countRows(env.DATABASE, "audit_log WHERE event = 'OPS_READ'")).toBeGreaterThan(0);
});

test("debug records are masked when the deployment says so", async () => {
  const masking = createUssdEdge(env, { USSD_DEBUG_MASK: "true" });
  const phone = masking.phone("+260971234567");
  await phone.send("");
  const record = JSON.parse(await (await masking.call("GET", `/api/ussd/debug/${phone.sessionId}`)).text());
  expect(record.debugInfo.context.phoneNumber).toBe("+260******567");
});

test("operators unlock, reset and link with the token in every environment", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const id = await newCustomer(port, newCaller());
  const act = (path: string, body: unknown, headers: Record<string, string> = operator) =>
    edge.call("POST", `/api/ussd/ops/customers/${path}`, {
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  expect((await act(`${id}/unlock`, {}, {})).status).toBe(401);
  expect(await (await act(`${id}/unlock`, {})).json()).toEqual({ customerId: id, locked: false });
  const reset = JSON.parse(await (await act(`${id}/reset-pin`, {})).text());
  expect(reset).toMatchObject({ customerId: id, temporaryPin: expect.stringMatching(/^\d{5}$/) });
  expect(edge.log.join("")).not.toContain(reset.temporaryPin);
  const did = `did:ixo:entity:${crypto.randomUUID().replaceAll("-", "")}`;
  expect(await (await act(`${id}/did`, { did })).json()).toEqual({ customerId: id, did });
  const other = await newCustomer(port, newCaller());
  expect((await act(`${other}/did`, { did })).status).toBe(409);
  expect((await act(`${id}/did`, { did: "nonsense" })).status).toBe(400);
  expect((await act(`${id}/did`, [])).status).toBe(400);
  const unknown = await act("C00000000X/unlock", {});
  expect([unknown.status, await unknown.json()]).toEqual([404, { error: "Not Found" }]);
  const rotated = await edge.call("POST", "/api/ussd/ops/pins/rotate", { headers: operator });
  expect(await rotated.json()).toMatchObject({ unreadable: 0, next: null });
});

test("a provider's own form leads to the same sessions; its end of a session ends it", async () => {
  const { phoneNumber } = newCaller();
  const sessionId = crypto.randomUUID();
  const push = async (type: string, message: string) => {
    const body = {
      Type: type,
      SessionId: sessionId,
      ServiceCode: "713",
      Mobile: phoneNumber.slice(1),
      Message: message,
    };
    const response = await edge.call("POST", "/api/ussd/providers/hubtel", {
      headers: json,
      body: JSON.stringify(body),
    });
    return JSON.parse(await response.text());
  };
  expect(await push("Initiation", "*713*1#")).toMatchObject({
    Type: "response",
    Message: expect.stringContaining("Information Center"),
  });
  expect(await push("Response", "3")).toMatchObject({ Message: expect.stringContaining("Delivery depends") });
  await push("Release", "");
  await edge.settled();
  expect((await edge.call("GET", `/api/ussd/debug/${sessionId}`)).status).toBe(404);
});

test("logs name neither the phone nor what was typed nor what was answered", async () => {
  const logged = createUssdEdge(env);
  const phone = logged.phone("+260971234567");
  await phone.send("");
  await phone.send("2*2*Wilhelmina*00*86420");
  const lines = logged.log.join("\n");
  expect(lines).toContain("+260******567");
  for (const secret of ["260971234567", "Wilhelmina", "86420", "Welcome", phone.sessionId])
    expect(lines).not.toContain(secret);
  const { sessionKey } = await testAccounts(env.DATABASE);
  const key = await sessionKey(phone.sessionId);
  expect(logged.log.map((line) => JSON.parse(line).sessionKey)).toEqual([key, key]);
});

test("LOG_LEVEL: debug adds timings, warn leaves out what went well", async () => {
  const levels = ["debug", "info", "warn"].map((LOG_LEVEL) => createUssdEdge(env, { LOG_LEVEL }));
  for (const each of levels) await each.phone(newCaller().phoneNumber).send("");
  const [debug = [], info = [], warn = []] = levels.map(({ log }) => log.map((line) => JSON.parse(line)));
  expect(debug).toMatchObject([{ event: "ussd-request-answered", sessionMilliseconds: expect.any(Number) }]);
  expect(info).toMatchObject([{ event: "ussd-request-answered", milliseconds: expect.any(Number) }]);
  expect(info[0]).not.toHaveProperty("sessionMilliseconds");
  expect(warn).toEqual([]);
});

test("on a host of this surface alone `/` and `/health` count too; elsewhere they do not", async () => {
  const hosts = JSON.stringify({ "ussd.test": ["ussd"] });
  const address = `192.0.2.${Math.floor(Math.random() * 250)}`;
  const from = { headers: { "CF-Connecting-IP": address } };
  const alone = createUssdEdge(env, { SURFACE_HOSTS: hosts, USSD_RATE_LIMIT_PER_MINUTE: "3" });
  const root = await alone.call("GET", "/", from);
  expect([root.status, root.headers.get("X-RateLimit-Remaining")]).toEqual([200, "2"]);
  expect((await alone.call("GET", "/health", from)).status).toBe(200);
  expect((await alone.call("GET", "/api/ussd/sessions", from)).status).toBe(200);
  const refused = await alone.call("GET", "/health", from);
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(await refused.json()).toMatchObject({ error: "Rate Limit Exceeded", code: "RATE_LIMIT_EXCEEDED" });
  const shared = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "3" });
  for (let asked = 0; asked < 4; asked += 1) {
    const response = await shared.call("GET", "/", from);
    expect([response.status, response.headers.has("X-RateLimit-Limit")]).toEqual([200, false]);
  }
});

test("without credentials no menu offers an SMS", async () => {
  const reply = await edge.phone(newCaller().phoneNumber).send("1*2");
  expect(reply).toContain(SCREENS.Sprice);
  expect(reply).not.toContain("SMS");
});
