/** Access: rate limits, path secret, listed addresses, operators, debug records, and the log. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { countRows, newCaller, newCustomer, testAccounts } from "../../support/ussd/accounts.ts";
import { createUssdEdge, goodRequest, JSON_BODY, OPERATOR, OPERATOR_TOKEN } from "../../support/ussd/edge.ts";
import { SCREENS } from "../../support/ussd/screens.ts";

const edge = createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });

test("the 101st request of an address in a minute gets 429, over all routes; only a trusted proxy can name another [PH-87, PH-88, PH-89, PH-90]", async () => {
  const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
  const limited = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "" });
  const from = (headers: Record<string, string>) => ({
    headers: { ...JSON_BODY, "CF-Connecting-IP": address, ...headers },
  });
  const answers = await Promise.all(
    Array.from({ length: 110 }, (_, index) =>
      limited.call("GET", index % 2 === 0 ? "/api/ussd/debug/x" : "/api/ussd/unknown", from({})),
    ),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  const body = JSON.stringify(goodRequest());
  const post = await limited.call("POST", "/api/ussd", { ...from({ "X-Forwarded-For": "203.0.113.9" }), body });
  expect(post.status).toBe(429);
  expect(post.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  const wait = Number(post.headers.get("Retry-After"));
  expect([wait >= 1, wait <= 60, Number.isInteger(wait)]).toEqual([true, true, true]);
  const limits = ["Limit", "Remaining", "Reset"].map((name) => post.headers.get(`X-RateLimit-${name}`));
  expect(limits).toEqual(["100", "0", String(wait)]);
  expect(await post.text()).toBe("END Too many requests. Please try again later.");
  const read = await limited.call("GET", "/api/ussd/sessions", from({}));
  expect(await read.json()).toMatchObject({ error: "Rate Limit Exceeded", code: "RATE_LIMIT_EXCEEDED" });

  const trusting = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "", TRUST_PROXY_ENABLED: "true" });
  const proxied = (chain: string) =>
    trusting.call("POST", "/api/ussd", { ...from({ "X-Forwarded-For": chain }), body: JSON.stringify(goodRequest()) });
  expect((await proxied(`203.0.113.1, 2001:db8::${crypto.randomUUID().slice(0, 4)}`)).status).toBe(200);
  expect((await proxied(`203.0.113.1, ${crypto.randomUUID()}`)).status).toBe(429);
  expect((await proxied(`203.0.113.1, ${address}`)).status).toBe(429);

  const gateway = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: "", USSD_GATEWAY_IPS: "198.51.100.0/24" });
  const allowed = await gateway.call("POST", "/api/ussd", { ...from({}), body });
  expect([allowed.status, allowed.headers.get("X-RateLimit-Limit")]).toEqual([200, "6000"]);
});

test("a telecom gateway without a limit is not counted; other addresses are [PH-90]", async () => {
  const address = "203.0.113.77";
  const variables = {
    USSD_GATEWAY_IPS: "203.0.113.0/24",
    USSD_GATEWAY_RATE_PER_MINUTE: "0",
    USSD_RATE_LIMIT_PER_MINUTE: "1",
  };
  const unlimited = createUssdEdge(env, variables);
  const ask = (from: string) => unlimited.call("GET", "/api/ussd/unknown", { headers: { "CF-Connecting-IP": from } });
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(address)));
  expect(answers.map(({ status, headers }) => [status, headers.get("X-RateLimit-Limit")])).toEqual(
    answers.map(() => [404, null]),
  );
  const other = "192.0.2.201";
  expect([(await ask(other)).status, (await ask(other)).status]).toEqual([404, 429]);
  // The limiter of the gateway's address has counted none of its requests.
  const admission = await env.RATE_LIMITER.getByName(`ussd:${address}`).take(100, 60);
  expect(admission.remaining).toBe(99);
});

test("with a path secret the endpoint and the providers exist only below it; with listed addresses only for those [PH-92]", async () => {
  const secret = "a-secret-of-the-path";
  const gated = createUssdEdge(env, { USSD_PATH_SECRET: secret });
  const send = (path: string, e = gated) =>
    e.call("POST", path, { headers: JSON_BODY, body: JSON.stringify(goodRequest()) });
  expect((await send("/api/ussd")).status).toBe(404);
  expect((await send("/api/ussd/g/another-secret-xx")).status).toBe(404);
  expect((await send("/api/ussd/providers/hubtel")).status).toBe(404);
  expect(await (await send(`/api/ussd/g/${secret}`)).text()).toBe(SCREENS.W);
  expect((await send(`/api/ussd/g/${secret}/providers/hubtel`)).status).toBe(200);
  expect(gated.log.join("")).not.toContain(secret);
  const listed = createUssdEdge(env, { USSD_ALLOWED_IPS: "192.0.2.0/24" });
  expect((await send("/api/ussd", listed)).status).toBe(404);
  const inside = { headers: { ...JSON_BODY, "CF-Connecting-IP": "192.0.2.7" }, body: JSON.stringify(goodRequest()) };
  expect((await listed.call("POST", "/api/ussd", inside)).status).toBe(200);
});

test("outside development debug routes require the operator's token, and do not exist without one [PH-94, PH-95]", async () => {
  const production = createUssdEdge(env, { ENVIRONMENT: "production", USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });
  const unset = createUssdEdge(env, { ENVIRONMENT: "production" });
  const reads = () => countRows(env.DATABASE, "audit_log WHERE event = 'OPS_READ'");
  const before = await reads();
  for (const path of ["/api/ussd/sessions", "/api/ussd/debug/x"]) {
    expect((await production.call("GET", path)).status).toBe(404);
    expect((await unset.call("GET", path, { headers: OPERATOR })).status).toBe(404);
    for (const Authorization of ["", OPERATOR_TOKEN, `Basic ${OPERATOR_TOKEN}`, `Bearer ${OPERATOR_TOKEN}x`]) {
      const wrong = await production.call("GET", path, { headers: { Authorization } });
      expect([wrong.status, await wrong.json()]).toEqual([401, { error: "Unauthorized" }]);
    }
  }
  expect((await production.call("GET", "/api/ussd/sessions", { headers: OPERATOR })).status).toBe(200);
  await production.settled();
  expect(await reads()).toBe(before + 1);
});

test("wrong tokens of an address never block the operator, who has a separate limit [PH-140]", async () => {
  const headers = { "CF-Connecting-IP": `203.0.113.${crypto.randomUUID()}` };
  const limited = createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN, USSD_RATE_LIMIT_PER_MINUTE: "20" });
  const read = (more: Record<string, string>) =>
    limited.call("GET", "/api/ussd/ops/stats", { headers: { ...headers, ...more } });
  const refused = { Authorization: "Bearer wrong" };
  const wrong = await Promise.all(Array.from({ length: 25 }, () => read(refused)));
  const right = await Promise.all(Array.from({ length: 21 }, () => read(OPERATOR)));
  const among = (answers: readonly Response[], status: number) =>
    answers.filter((answer) => answer.status === status).length;
  expect([among(wrong, 401), among(wrong, 429)]).toEqual([20, 5]);
  expect([among(right, 200), among(right, 429)]).toEqual([20, 1]);
  expect((await read(refused)).status).toBe(429);
});

test("debug records are masked with USSD_DEBUG_MASK [PH-97]", async () => {
  const masking = createUssdEdge(env, { USSD_DEBUG_MASK: "true" });
  const phone = masking.phone("+260971234567");
  await phone.send("");
  const record = JSON.parse(await (await masking.call("GET", `/api/ussd/debug/${phone.sessionId}`)).text());
  expect(record.debugInfo.context.phoneNumber).toBe("+260******567");
});

test("operators unlock, reset and link with the token in every environment [PH-94, PH-95, PH-101, PH-128]", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const id = await newCustomer(port, newCaller());
  const act = (path: string, body: unknown, headers: Record<string, string> = OPERATOR) =>
    edge.call("POST", `/api/ussd/ops/customers/${path}`, {
      headers: { ...JSON_BODY, ...headers },
      body: JSON.stringify(body),
    });
  expect((await act(`${id}/unlock`, {}, {})).status).toBe(401);
  expect(await (await act(`${id}/unlock`, {})).json()).toEqual({ customerId: id, locked: false });
  const phoneNumber = newCaller().phoneNumber;
  expect(await (await act(`${id}/unlock`, { phoneNumber })).json()).toEqual({ customerId: id, locked: false });
  expect(await (await act(`${id}/phone`, { phoneNumber })).json()).toEqual({ customerId: id, linked: true });
  expect(await (await act(`${id}/phone`, { phoneNumber: null })).json()).toEqual({ customerId: id, linked: false });
  expect((await act(`${id}/phone`, { phoneNumber: "0971234567" })).status).toBe(400);
  expect((await act(`${id}/phone`, {})).status).toBe(400);
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
  const rotated = await edge.call("POST", "/api/ussd/ops/pins/rotate", { headers: OPERATOR });
  expect(await rotated.json()).toMatchObject({ unreadable: 0, next: null });
});

test("logs contain neither the phone nor an input nor a screen [PH-115]", async () => {
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

test("LOG_LEVEL: debug adds times, warn omits successful requests [PH-116]", async () => {
  const levels = ["debug", "info", "warn"].map((LOG_LEVEL) => createUssdEdge(env, { LOG_LEVEL }));
  for (const each of levels) await each.phone(newCaller().phoneNumber).send("");
  const [debug = [], info = [], warn = []] = levels.map(({ log }) => log.map((line) => JSON.parse(line)));
  expect(debug).toMatchObject([{ event: "ussd-request-answered", sessionMilliseconds: expect.any(Number) }]);
  expect(info).toMatchObject([{ event: "ussd-request-answered", milliseconds: expect.any(Number) }]);
  expect(info[0]).not.toHaveProperty("sessionMilliseconds");
  expect(warn).toEqual([]);
});

test("on a host for this surface alone `/` and `/health` count too; elsewhere they do not [PH-87]", async () => {
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

test("with the database down the index of sessions is a 503; if the limiter fails, requests are allowed [PH-89, PH-100]", async () => {
  const lost = () => {
    throw new Error("lost");
  };
  const down = createUssdEdge({ ...env, DATABASE: { prepare: lost, batch: lost } });
  for (const path of ["/api/ussd/sessions", "/api/ussd/debug/x"]) {
    const response = await down.call("GET", path);
    expect([response.status, await response.json()]).toEqual([503, { error: "Service temporarily unavailable" }]);
  }
  const uncounted = createUssdEdge({ ...env, RATE_LIMITER: { getByName: lost } });
  const response = await uncounted.step(goodRequest());
  expect([response.status, await response.text()]).toEqual([200, SCREENS.W]);
  expect(uncounted.log.join()).toContain("rate-limiter-failed");
});
