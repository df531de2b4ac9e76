/**
 * One session id, several telecom gateways: each has its own session (docs/decisions/007-phone-sessions.md). Real
 * objects, real D1.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sessionName } from "../../../platform/object-names.ts";
import { countRows, newCaller } from "../../support/ussd/accounts.ts";
import { createUssdEdge, JSON_BODY } from "../../support/ussd/edge.ts";
import { SCREENS } from "../../support/ussd/screens.ts";

const edge = createUssdEdge(env, { USSD_SERVICE_CODES: "*2233#" });

/** One input by Hubtel, by Infobip and by the plain endpoint; each returns the text that the caller reads. */
function gateways(sessionId: string) {
  const post = async (path: string, body: object) =>
    (await edge.call("POST", path, { headers: JSON_BODY, body: JSON.stringify(body) })).json<Record<string, string>>();
  let sequence = 0;
  return {
    hubtel: async (phoneNumber: string, Message: string, Type = "Response") => {
      sequence += 1;
      const push = {
        Type,
        Sequence: sequence,
        SessionId: sessionId,
        ServiceCode: "2233",
        Mobile: phoneNumber.slice(1),
        Message,
      };
      return (await post("/api/ussd/providers/hubtel", push))["Message"] ?? "";
    },
    infobip: async (phoneNumber: string, text: string, method = "response") => {
      const call = { msisdn: phoneNumber.slice(1), text, shortCode: "*2233#" };
      return (await post(`/api/ussd/providers/infobip/session/${sessionId}/${method}`, call))["ussdMenu"] ?? "";
    },
    plain: async (phoneNumber: string, text: string) => (await edge.step({ sessionId, phoneNumber, text })).text(),
  };
}

async function debugRecord(sessionId: string, query = "") {
  const response = await edge.call("GET", `/api/ussd/debug/${sessionId}${query}`);
  return { status: response.status, record: await response.json<Record<string, unknown>>() };
}

test("three gateways use one session id: no caller is rejected, and each has their own menu [PH-22]", async () => {
  const sessionId = crypto.randomUUID();
  const { hubtel, infobip, plain } = gateways(sessionId);
  const [one, two, three] = [newCaller().phoneNumber, newCaller().phoneNumber, newCaller().phoneNumber];
  expect(await hubtel(one, "*2233#", "Initiation")).toContain("1. Know More");
  expect(await infobip(two, "*2233#", "start")).toContain("1. Know More");
  expect(await plain(three, "")).toContain("1. Know More");
  expect(await hubtel(one, "1")).toContain(SCREENS.I);
  expect(await infobip(two, "2")).toContain("existing account");
  expect(await plain(three, "2")).toContain("existing account");
  expect(await plain(three, "2*2")).toContain("Enter your full name");
});

test("operators find each session of a shared id, in the list and by its id [PH-99]", async () => {
  const sessionId = crypto.randomUUID();
  const { hubtel, infobip, plain } = gateways(sessionId);
  const [one, two, three] = [newCaller().phoneNumber, newCaller().phoneNumber, newCaller().phoneNumber];
  await hubtel(one, "*2233#", "Initiation");
  await infobip(two, "*2233#", "start");
  const first = await debugRecord(sessionId);
  expect(first.record).toMatchObject({
    sessionId,
    debugInfo: { context: { phoneNumber: one, provider: "hubtel" } },
    otherProviders: ["infobip"],
  });
  expect((await debugRecord(sessionId, "?provider=infobip")).record).toMatchObject({
    debugInfo: { context: { phoneNumber: two, provider: "infobip" } },
  });
  expect((await debugRecord(sessionId, "?provider=airtel")).status).toBe(404);
  await plain(three, "");
  const plainFirst = await debugRecord(sessionId);
  expect(plainFirst.record).toMatchObject({
    debugInfo: { context: { phoneNumber: three } },
    otherProviders: ["hubtel", "infobip"],
  });
  expect(JSON.stringify(plainFirst.record["debugInfo"])).not.toContain("provider");
  const list = await (await edge.call("GET", "/api/ussd/sessions")).json<{ activeSessions: string[]; count: number }>();
  expect(list.activeSessions.filter((id) => id === sessionId)).toHaveLength(3);
  expect(list.count).toBeGreaterThanOrEqual(3);
});

test("a draft of one gateway's call is offered to the next call by another [PH-79]", async () => {
  const sessionId = crypto.randomUUID();
  const { hubtel, plain } = gateways(sessionId);
  const { phoneNumber } = newCaller();
  await hubtel(phoneNumber, "*2233#", "Initiation");
  for (const input of ["2", "2", "John Doe"]) await hubtel(phoneNumber, input);
  // The index gets the draft after the reply.
  const name = sessionName({ provider: "hubtel", sessionId });
  const resumable = "ussd_sessions WHERE session_id = ? AND resume_until IS NOT NULL";
  await expect.poll(() => countRows(env.DATABASE, resumable, name)).toBe(1);
  expect(await plain(phoneNumber, "")).toContain("9. Continue where you left off");
  expect(await plain(phoneNumber, "9")).toContain("Enter your email address");
});

test("a session of the plain endpoint is named by its id", async () => {
  const { phoneNumber } = newCaller();
  const sessionId = crypto.randomUUID();
  const { plain } = gateways(sessionId);
  await plain(phoneNumber, "");
  const stored = await runInDurableObject(env.USSD_SESSION.getByName(sessionId), (_, state) =>
    state.storage.sql.exec<{ record: string }>("SELECT record FROM session").one(),
  );
  expect(stored.record).toContain(phoneNumber);
  expect(await plain(phoneNumber, "1")).toContain(SCREENS.I);
});

test("Africa's Talking's notice ends a session of the plain endpoint and a session that its provider route opened [PH-16]", async () => {
  for (const path of ["/api/ussd", "/api/ussd/providers/africas-talking"]) {
    const { phoneNumber, sessionId } = newCaller();
    const fields = { sessionId, serviceCode: "*2233#", phoneNumber, text: "" };
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    await edge.call("POST", path, { headers, body: new URLSearchParams(fields).toString() });
    expect((await debugRecord(sessionId)).status).toBe(200);
    const notice = { sessionId, serviceCode: "*2233#", phoneNumber, status: "Success", durationInMillis: "1" };
    const body = new URLSearchParams(notice).toString();
    await edge.call("POST", "/api/ussd/providers/africas-talking", { headers, body });
    await edge.settled();
    expect((await debugRecord(sessionId)).status).toBe(404);
  }
});

test("Infobip without a short code, with several codes served; its status request [PH-18]", async () => {
  const several = createUssdEdge(env, { USSD_SERVICE_CODES: "*99#,*2233#" });
  const { phoneNumber, sessionId } = newCaller();
  const send = async (method: string, text: string) => {
    const path = `/api/ussd/providers/infobip/session/${sessionId}/${method}`;
    const body = JSON.stringify({ msisdn: phoneNumber.slice(1), text });
    const response = await several.call("POST", path, { headers: JSON_BODY, body });
    return (await response.json<{ ussdMenu: string }>()).ussdMenu;
  };
  expect(await send("start", "*2233*1#")).toContain(SCREENS.I);
  expect(await send("response", "3")).toContain("Delivery depends");
  const status = await several.call("GET", "/api/ussd/providers/infobip/status");
  expect([status.status, await status.json()]).toEqual([200, { responseExitCode: 200, responseMessage: "" }]);
  expect((await several.call("POST", "/api/ussd/providers/infobip/status")).status).toBe(200);
});

test("a rejected request is logged with the name of its first invalid field, never its value [PH-115]", async () => {
  const logging = createUssdEdge(env);
  const good = { ...newCaller(), serviceCode: "*2233#", text: "" };
  const wrong = { sessionId: " ", serviceCode: "2233", phoneNumber: "0971234567", text: "x".repeat(183) };
  for (const [part, value] of Object.entries(wrong)) await logging.step({ ...good, [part]: value });
  await logging.call("POST", "/api/ussd", { headers: JSON_BODY, body: "{" });
  await logging.call("POST", "/api/ussd/providers/hubtel", { headers: JSON_BODY, body: "{}" });
  const refused = logging.log.filter((line) => line.includes("ussd-request-rejected"));
  expect(refused.map((line) => JSON.parse(line).field)).toEqual([...Object.keys(wrong), "body", "body"]);
  expect(logging.log.join("")).not.toMatch(/0971234567|xxx/);
});

test("the name of another gateway's session is not a session id: neither a hang-up nor a debug record reaches it [PH-20, PH-22]", async () => {
  const { phoneNumber, sessionId } = newCaller();
  await gateways(sessionId).infobip(phoneNumber, "*2233#", "start");
  const name = sessionName({ provider: "infobip", sessionId });
  const query = new URLSearchParams({ SessionID: name, MSISDN: phoneNumber.slice(1), clean: "clean-session" });
  const notice = await edge.call("GET", `/api/ussd/providers/airtel?${query.toString()}`);
  expect([notice.status, notice.headers.get("Freeflow"), await notice.text()]).toEqual([200, "FB", ""]);
  await edge.settled();
  expect((await debugRecord(sessionId)).record).toMatchObject({ debugInfo: { context: { provider: "infobip" } } });
  expect((await debugRecord(encodeURIComponent(name))).status).toBe(404);
});
