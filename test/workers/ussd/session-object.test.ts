/**
 * Phone sessions inside workerd, over HTTP, D1 and real objects: flows with the object evicted between any two steps,
 * expiry by alarm, resumption across objects, and the operators' view. All flows are in
 * durable-objects/ussd-session/session/flows.test.ts.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { domainEnding, replaceDomains } from "../../support/registry/slowed-domains.ts";
import { scriptPhoneOracle, ussdStandIns } from "../../support/ussd/scripted-session.ts";
import { newCaller, newCustomer, testAccounts } from "../../support/ussd/accounts.ts";
import { createUssdEdge, OPERATOR_TOKEN } from "../../support/ussd/edge.ts";
import { runFlow } from "../../support/ussd/flow-run.ts";
import { ANSWER, DOMAIN_DIGITS, FLOWS, type Flow } from "../../support/ussd/flows.ts";
import { SCREENS } from "../../support/ussd/screens.ts";

const UNAVAILABLE = "END Service temporarily unavailable. Please try again later.";
const edge = createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN });

afterEach(() => {
  vi.useRealTimers();
  ussdStandIns.isDatabaseDown = false;
});

async function callerOf(flow: Pick<Flow, "customer">) {
  const { phoneNumber, sessionId } = newCaller();
  const phone = edge.phone(phoneNumber);
  scriptPhoneOracle({ state: "answered", text: ANSWER });
  if (flow.customer === undefined) return { phone, phoneNumber, customerId: "" };
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, { phoneNumber, sessionId });
  const keyDid = await env.DATABASE.prepare("SELECT key_did FROM customers WHERE customer_id = ?")
    .bind(customerId)
    .first("key_did");
  await replaceDomains(env.DATABASE, [domainEnding(DOMAIN_DIGITS, [String(keyDid)])]);
  return { phone, phoneNumber, customerId };
}

function objectOf(sessionId: string) {
  return env.USSD_SESSION.getByName(sessionId);
}

/** Covers each effect, and each kind of stored data, at least once. */
const EVICTED = new Set([
  "know more",
  "create an account, mismatch",
  "services",
  "change the PIN",
  "drop and resume",
  "a question that is answered after the line dropped",
]);

test.each(FLOWS.filter(({ name }) => EVICTED.has(name)))(
  "$name, the object evicted between any two steps [PH-76]",
  async (flow) => {
    const { phone, customerId } = await callerOf(flow);
    const faults = await runFlow(flow, phone, {
      customerId,
      afterStep: async () => evictDurableObject(objectOf(phone.sessionId)),
    });
    expect(faults).toEqual([]);
  },
);

test("an alarm ends an idle session, and a later one erases its data [PH-77, PH-86]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const { phone } = await callerOf({});
  await phone.send("");
  await phone.send("2");
  await phone.send("2*2");
  await phone.send("2*2*John Doe");
  const stub = objectOf(phone.sessionId);
  const rows = () =>
    runInDurableObject(
      stub,
      (_, state) => state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'session'").toArray().length,
    );
  vi.setSystemTime(Date.now() + 180_000);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect((await edge.call("GET", `/api/ussd/debug/${phone.sessionId}`)).status).toBe(404);
  expect(await rows()).toBe(1);
  vi.setSystemTime(Date.now() + 900_000);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await rows()).toBe(0);
});

test("the debug record has the published names, in their order; an unknown id stores nothing [PH-96, PH-98, PH-100]", async () => {
  const { phone, phoneNumber } = await callerOf({});
  await phone.send("");
  const { sessionId } = phone;
  const response = await edge.call("GET", `/api/ussd/debug/${sessionId}`);
  const record = JSON.parse(await response.text());
  expect(response.status).toBe(200);
  expect(record).toMatchObject({
    sessionId,
    debugInfo: {
      sessionId,
      state: "preMenu",
      path: "preMenu",
      context: {
        sessionId,
        phoneNumber,
        serviceCode: "*2233#",
        isAuthenticated: false,
        message: SCREENS.W.slice("CON ".length),
      },
      status: "active",
    },
  });
  expect(record.activeSessions).toContain(sessionId);
  const list = JSON.parse(await (await edge.call("GET", "/api/ussd/sessions")).text());
  expect(list.activeSessions).toContain(sessionId);
  expect(list.count).toBe(list.activeSessions.length);

  await phone.send("*");
  const after = JSON.parse(await (await edge.call("GET", "/api/ussd/sessions")).text());
  expect(after.activeSessions).not.toContain(sessionId);
  const gone = await edge.call("GET", `/api/ussd/debug/${sessionId}`);
  expect(gone.status).toBe(404);
  expect(await gone.json()).toMatchObject({ sessionId, debugInfo: { error: "session not found" } });

  const odd = await edge.call("GET", "/api/ussd/debug/no%2Fbody%20%C3%A9");
  expect(await odd.json()).toMatchObject({ sessionId: "no/body é", debugInfo: { error: "session not found" } });
  const tables = await runInDurableObject(objectOf("no/body é"), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'session'").toArray(),
  );
  expect(tables).toEqual([]);
});

test("with the database down a dial ENDs, a live session's menus respond, and it works again without a restart [PH-13]", async () => {
  const { phone } = await callerOf({});
  await phone.send("");
  ussdStandIns.isDatabaseDown = true;
  const other = edge.phone(newCaller().phoneNumber);
  expect(await other.send("")).toBe(UNAVAILABLE);
  expect(await phone.send("1")).toContain(SCREENS.I);
  ussdStandIns.isDatabaseDown = false;
  expect(await other.send("")).toBe(SCREENS.W);
  expect(await phone.send("1*0")).toBe(SCREENS.W);
});

test("fifty copies of one request are one effect, and get equal replies [PH-25, PH-53]", async () => {
  const { phone, phoneNumber } = await callerOf({});
  for (const text of ["", "2", "2*2", "2*2*John Doe", "2*2*John Doe*00", "2*2*John Doe*00*43219"])
    await phone.send(text);
  const replies = await Promise.all(Array.from({ length: 50 }, () => phone.send("2*2*John Doe*00*43219*43219")));
  expect(new Set(replies).size).toBe(1);
  expect(replies[0]).toContain(SCREENS.K);
  const { count } = (await env.DATABASE.prepare(
    "SELECT count(*) AS count FROM customer_phones JOIN phones ON phones.id = phone_id WHERE phone_e164 = ?",
  )
    .bind(phoneNumber)
    .first<{ count: number }>()) ?? { count: 0 };
  expect(count).toBe(1);
});

test("statistics are counted once per session and read by operators [PH-103]", async () => {
  const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  const read = async () => {
    const response = await edge.call("GET", "/api/ussd/ops/stats", { headers });
    const { days } = await response.json<{ days: { counters: Record<string, number> }[] }>();
    return days[0]?.counters ?? {};
  };
  const before = await read();
  const { phone } = await callerOf({});
  for (const text of ["", "1", "1*7", "1*7**"]) await phone.send(text);
  await runInDurableObject(objectOf(phone.sessionId), () => undefined);
  await expect.poll(async () => (await read())["sessions"] ?? 0).toBe((before["sessions"] ?? 0) + 1);
  const after = await read();
  expect((after["steps"] ?? 0) - (before["steps"] ?? 0)).toBe(4);
  const metrics = await (await edge.call("GET", "/api/ussd/ops/metrics", { headers })).text();
  expect(metrics).toMatch(/^# HELP ussd_sessions_total /);
  expect(metrics).toMatch(/^ussd_inputs_refused_total\{screen="I",language="en"\} \d+$/m);
  expect(metrics).toMatch(/^ussd_reply_seconds_bucket\{le="\+Inf"\} \d+$/m);
});
