/** The routes over HTTP: formats of requests and errors, an invalid configuration, providers. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countRows, newCaller } from "../../support/ussd/accounts.ts";
import { createUssdEdge, goodRequest, JSON_BODY, OPERATOR_TOKEN } from "../../support/ussd/edge.ts";
import { SCREENS } from "../../support/ussd/screens.ts";
import { NEW_REQUEST_ID } from "../../support/server/request-ids.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const INVALID = "END Invalid input. Please try again.";
const UNAVAILABLE = "END Service temporarily unavailable. Please try again later.";
const edge = createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });

test("JSON and form bodies get equal replies, as plain text that is not cached [PH-1, PH-2, PH-3, PH-4]", async () => {
  const form = new URLSearchParams(goodRequest()).toString().replaceAll("%2B", "+");
  const calls = [
    { headers: JSON_BODY, body: JSON.stringify(goodRequest({ networkCode: "64501" })) },
    { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: form },
    { headers: {}, body: JSON.stringify(goodRequest()) },
  ];
  for (const call of calls) {
    const response = await edge.call("POST", "/api/ussd", call);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("X-Request-Id")).toMatch(NEW_REQUEST_ID);
    expect(response.headers.get("X-RateLimit-Limit")).toBe("100000");
    expect(response.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(await response.text()).toBe(SCREENS.W);
  }
});

const invalid: readonly object[] = [
  { phoneNumber: "260971230001" },
  { serviceCode: "2233" },
  { text: "x".repeat(183) },
  { sessionId: "  " },
];

test("an invalid field or body gets END with 200, and nothing is stored [PH-2, PH-10, PH-11]", async () => {
  const before = await countRows(env.DATABASE, "phones");
  for (const fields of invalid) {
    const response = await edge.step(goodRequest(fields));
    expect([fields, response.status, await response.text()]).toEqual([fields, 200, INVALID]);
  }
  for (const body of ["{}", "[]", "null", '"x"', "{", "", "<xml/>", `{"text":"${"x".repeat(9_000)}"}`]) {
    const response = await edge.call("POST", "/api/ussd", { headers: JSON_BODY, body });
    expect([body.slice(0, 9), response.status, await response.text()]).toEqual([body.slice(0, 9), 200, INVALID]);
  }
  expect(await countRows(env.DATABASE, "phones")).toBe(before);
});

test("whatever bytes are sent, the reply is CON or END with 200 [PH-2]", async () => {
  const bytes = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 182 }).map((text) => JSON.stringify(goodRequest({ text }))),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const response = await edge.call("POST", "/api/ussd", { headers: JSON_BODY, body: body.toWellFormed() });
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/^(?:CON|END) /);
    }),
    { numRuns },
  );
});

test("wrong methods and unknown paths; HEAD works wherever GET does [PH-1]", async () => {
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
  for (const path of ["/api/ussd/nothing", "/api/ussd/g/secret", "/api/ussd/providers/unknown"]) {
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

test.each(["sw", "fr", "pt"])(
  "the texts for invalid input and an unavailable service are English in %s [PH-67]",
  async (language) => {
    const variables = { USSD_DEFAULT_LANGUAGE: language };
    const invalidRequest = goodRequest({ phoneNumber: "abc" });
    expect(await (await createUssdEdge(env, variables).step(invalidRequest)).text()).toBe(INVALID);
    const lost = { getByName: () => ({ handle: () => Promise.reject(new Error("lost")) }) };
    const broken = createUssdEdge({ ...env, USSD_SESSION: lost }, variables);
    expect(await (await broken.step(goodRequest())).text()).toBe(UNAVAILABLE);
  },
);

test("with an invalid configuration an invalid request still gets its text, everything else is unavailable [PH-12, PH-93]", async () => {
  const broken = createUssdEdge(env, { PIN_ENCRYPTION_KEY: "short" });
  expect(await (await broken.step(goodRequest({ phoneNumber: "abc" }))).text()).toBe(INVALID);
  expect(await (await broken.step(goodRequest())).text()).toBe(UNAVAILABLE);
  expect((await broken.call("GET", "/api/ussd/sessions")).status).toBe(503);
});

test("a provider's own format reaches these sessions; its hang-up ends one [PH-17, PH-20, PH-21]", async () => {
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
      headers: JSON_BODY,
      body: JSON.stringify(body),
    });
    return JSON.parse(await response.text());
  };
  expect(await push("Initiation", "*713*1#")).toMatchObject({
    Type: "response",
    Message: expect.stringContaining(SCREENS.I),
  });
  expect(await push("Response", "3")).toMatchObject({ Message: expect.stringContaining("Delivery depends") });
  // A hang-up that contains only the session's id ends nothing, by this adapter or another.
  const others: [string, string][] = [
    ["hubtel", JSON.stringify({ Type: "Release", SessionId: sessionId, ServiceCode: "713", Mobile: "260970000000" })],
    [`infobip/session/${sessionId}/end`, "{}"],
    ["africas-talking", `sessionId=${sessionId}&status=Success&durationInMillis=1`],
  ];
  for (const [path, body] of others) await edge.call("POST", `/api/ussd/providers/${path}`, { body });
  await edge.settled();
  expect((await edge.call("GET", `/api/ussd/debug/${sessionId}`)).status).toBe(200);
  await push("Release", "");
  await edge.settled();
  expect((await edge.call("GET", `/api/ussd/debug/${sessionId}`)).status).toBe(404);
});

test("without credentials no menu offers an SMS [PH-105]", async () => {
  const reply = await edge.phone(newCaller().phoneNumber).send("1*2");
  expect(reply).toContain(SCREENS.Sprice);
  expect(reply).not.toContain("SMS");
});

test("180 characters of a call are a step, 183 are invalid; the draft is offered to the next call [PH-8, PH-11, PH-82]", async () => {
  const { phoneNumber } = newCaller();
  const phone = edge.phone(phoneNumber);
  for (const text of ["", "2", "2*2", "2*2*John Doe"]) await phone.send(text);
  const typed = (length: number) => `2*2*John Doe*${"x".repeat(length)}`.slice(0, length);
  expect(await phone.send(typed(180))).toMatch(/^CON (?:Too long\.|That email is not valid\.)\n/);
  expect(await phone.send(typed(183))).toBe(INVALID);
  await edge.settled();
  const { sessionId } = phone;
  expect((await edge.call("GET", `/api/ussd/debug/${sessionId}`)).status).toBe(404);
  phone.redial();
  expect(await phone.send("")).toBe(SCREENS.W9);
});
