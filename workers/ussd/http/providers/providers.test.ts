/**
 * The adapters against the examples of each provider's public documentation. What they hand on still has to pass the
 * validation of request.ts, so each example is put through it too.
 */
import { describe, expect, test } from "vitest";
import { validateFields } from "../request.ts";
import type { PhoneReply } from "../../../platform/phone-reply.ts";
import type { ProviderAdapter, ProviderInput } from "./adapter.ts";
import { africasTalking } from "./africas-talking.ts";
import { airtel } from "./airtel.ts";
import { hubtel } from "./hubtel.ts";
import { infobip } from "./infobip.ts";

const menu: PhoneReply = { kind: "CON", body: "Welcome\n1. Know More" };
const goodbye: PhoneReply = { kind: "END", body: "Goodbye!" };

function parse(adapter: ProviderAdapter, input: Partial<ProviderInput>, serviceCodes: readonly string[] = []) {
  const call = adapter.parse({ path: "", query: "", body: "", ...input }, serviceCodes);
  const isStep = call !== undefined && call.event !== "end";
  if (isStep && !validateFields(call, { serviceCodes, phonePlusOptional: false }).ok) throw new Error("not valid");
  return call;
}

function printed(adapter: ProviderAdapter, reply: PhoneReply, call?: Parameters<ProviderAdapter["print"]>[1]) {
  return adapter.print(reply, call);
}

describe("Africa's Talking", () => {
  const dial = {
    sessionId: "ATUid_abc123",
    phoneNumber: "+254711000111",
    networkCode: "63902",
    serviceCode: "*384*1234#",
    text: "",
  };
  const call = { sessionId: dial.sessionId, phoneNumber: dial.phoneNumber, serviceCode: dial.serviceCode };
  const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields).toString() });

  test("a dial and a later step", () => {
    expect(parse(africasTalking, form(dial))).toEqual({ ...call, event: "start", text: "", mode: "cumulative" });
    const step = parse(africasTalking, form({ ...dial, text: "1*John Doe" }));
    expect(step).toEqual({ ...call, event: "input", text: "1*John Doe", mode: "cumulative" });
  });

  test("a plus that was not encoded", () => {
    const body = "sessionId=ATUid_abc123&serviceCode=*384*1234#&phoneNumber=+254711000111&text=";
    expect(parse(africasTalking, { body })).toMatchObject(call);
  });

  test("the notice at the end, whose input is not looked at", () => {
    const notice = {
      date: "2026-11-21 09:00:00",
      sessionId: dial.sessionId,
      serviceCode: dial.serviceCode,
      networkCode: "63902",
      phoneNumber: dial.phoneNumber,
      status: "Success",
      cost: "1.50",
      durationInMillis: "12000",
      hopsCount: "4",
      input: "2*1*C1*43219",
      lastAppResponse: "END Goodbye",
    };
    const { sessionId, phoneNumber } = dial;
    expect(parse(africasTalking, form(notice))).toEqual({ event: "end", sessionId, phoneNumber });
    const { phoneNumber: _, ...anybodys } = notice;
    expect(parse(africasTalking, form(anybodys))).toBeUndefined();
  });

  test("a reply is plain text that begins with CON or END", () => {
    expect(printed(africasTalking, menu)).toEqual({
      headers: { "Content-Type": "text/plain; charset=utf-8" },
      body: "CON Welcome\n1. Know More",
    });
    expect(printed(africasTalking, goodbye).body).toBe("END Goodbye!");
    expect(africasTalking.printEnded().body).toBe("");
  });

  test.each(["", "sessionId=1", "sessionId=1&sessionId=2&serviceCode=*1%23&phoneNumber=%2B254711000111"])(
    "%j is none",
    (body) => {
      expect(parse(africasTalking, { body })).toBeUndefined();
    },
  );
});

describe("Hubtel", () => {
  const initiation = {
    Type: "Initiation",
    Mobile: "233200585542",
    SessionId: "3c796dac28174f739de4262d08409c51",
    ServiceCode: "713",
    Message: "*713#",
    Operator: "vodafone",
    Sequence: 1,
    ClientState: "",
    Platform: "USSD",
  };
  const call = {
    sessionId: initiation.SessionId,
    serviceCode: "*713#",
    phoneNumber: "+233200585542",
    mode: "latest",
    requestId: "1",
  };
  const push = (change: object) => parse(hubtel, { body: JSON.stringify({ ...initiation, ...change }) });

  test.each([
    [{}, { ...call, event: "start", text: "" }],
    [{ Message: "*713*2*1#" }, { ...call, event: "start", text: "2*1" }],
    [
      { ServiceCode: "711*2", Message: "*711*2#" },
      { ...call, serviceCode: "*711*2#", event: "start", text: "" },
    ],
    [
      { Type: "initiation", Message: "" },
      { ...call, event: "start", text: "" },
    ],
    [
      { Type: "Response", Message: "1", Sequence: 2 },
      { ...call, requestId: "2", event: "input", text: "1" },
    ],
    [
      { Type: "Response", Message: "1", Sequence: "2" },
      { ...call, requestId: "2", event: "input", text: "1" },
    ],
    [
      { Type: "response", Message: "*713#" },
      { ...call, event: "input", text: "*713#" },
    ],
    [
      { Type: "Timeout", Message: null },
      { event: "end", sessionId: initiation.SessionId, phoneNumber: `+${initiation.Mobile}` },
    ],
    [{ Type: "release" }, { event: "end", sessionId: initiation.SessionId, phoneNumber: `+${initiation.Mobile}` }],
    [{ Type: "AddToCart" }, undefined],
    [{ Mobile: 233_200_585_542 }, undefined],
  ])("%j", (change, expected) => {
    expect(push(change)).toEqual(expected);
  });

  test("a reply", () => {
    expect(JSON.parse(printed(hubtel, menu, push({})).body)).toEqual({
      SessionId: initiation.SessionId,
      Type: "response",
      Message: menu.body,
      Label: "Welcome",
      ClientState: "",
      DataType: "input",
      FieldType: "text",
    });
    expect(JSON.parse(printed(hubtel, goodbye).body)).toMatchObject({ Type: "release", DataType: "display" });
    expect(hubtel.printEnded()).toEqual({ headers: { "Content-Type": "application/json" }, body: "{}" });
  });
});

describe("Infobip", () => {
  const start = {
    msisdn: "385955363443",
    imsi: "429011234567890",
    shortCode: "*123#1#",
    text: "*123#",
    ussdGwId: "11",
    language: null,
    optional: "o=1",
  };
  const call = { sessionId: "1", serviceCode: "*123#", phoneNumber: "+385955363443", mode: "latest" };
  const post = (path: string, change: object, serviceCodes?: readonly string[]) =>
    parse(infobip, { path, body: JSON.stringify({ ...start, ...change }) }, serviceCodes);

  test.each([
    ["/session/1/start", {}, { ...call, event: "start", text: "" }],
    ["/session/1/start", { text: "*123*4#" }, { ...call, event: "start", text: "4" }],
    ["/session/1/response", { text: "1" }, { ...call, event: "input", text: "1" }],
    ["/session/a%20b/response", { text: "1" }, { ...call, sessionId: "a b", event: "input", text: "1" }],
    ["/session/1/end", {}, { event: "end", sessionId: "1" }],
    ["/session/1/status", {}, undefined],
    ["/session//start", {}, undefined],
    ["/session/%FF/start", {}, undefined],
    ["/start", {}, undefined],
    ["/session/1/start", { text: undefined }, undefined],
    ["/session/1/start", { msisdn: undefined }, undefined],
    ["/session/1/start", { shortCode: null }, { ...call, event: "start", text: "" }],
    ["/session/1/start", { shortCode: null, text: "hello" }, undefined],
    [
      "/session/1/response",
      { shortCode: null, text: "1" },
      { ...call, serviceCode: "*0#", codeUnknown: true, event: "input", text: "1" },
    ],
  ])("%s %j", (path, change, expected) => {
    expect(post(path, change)).toEqual(expected);
  });

  test("without a short code the only served one stands in", () => {
    expect(post("/session/1/response", { shortCode: null, text: "2" }, ["*123#"])).toEqual({
      ...call,
      event: "input",
      text: "2",
    });
    // With several, what was dialled tells at the start; later the session knows.
    const codes = ["*122#", "*123#"];
    expect(post("/session/1/start", { shortCode: null, text: "*123*4#" }, codes)).toMatchObject({
      serviceCode: "*123#",
      text: "4",
    });
    expect(post("/session/1/start", { shortCode: null, text: "*99#" }, codes)).toBeUndefined();
    expect(post("/session/1/response", { shortCode: null, text: "1" }, codes)).toMatchObject({
      serviceCode: "*122#",
      codeUnknown: true,
    });
  });

  test("a first reply never closes, a later one does", () => {
    const first = post("/session/1/start", {});
    const later = post("/session/1/response", { text: "1" });
    expect(JSON.parse(printed(infobip, menu, first).body)).toEqual({
      shouldClose: false,
      ussdMenu: menu.body,
      responseExitCode: 200,
      responseMessage: "",
    });
    expect(JSON.parse(printed(infobip, goodbye, first).body)).toMatchObject({ shouldClose: false });
    expect(JSON.parse(printed(infobip, goodbye, later).body)).toMatchObject({ shouldClose: true });
    expect(JSON.parse(infobip.printEnded().body)).toEqual({ responseExitCode: 200, responseMessage: "" });
  });
});

describe("Airtel", () => {
  const codes = ["*121#"];
  const call = { sessionId: "13697502734175597", serviceCode: "*121#", phoneNumber: "+254100000000", mode: "latest" };
  const query = (fields: Record<string, string>) => {
    const base = { MSISDN: "254100000000", MSC: "farfaraway", SessionID: call.sessionId };
    return { query: new URLSearchParams({ ...base, ...fields }).toString() };
  };

  test.each([
    [{ input: "121" }, { ...call, event: "start", text: "" }],
    [{ input: "*121#" }, { ...call, event: "start", text: "" }],
    [{ input: "121*2*1" }, { ...call, event: "start", text: "2*1" }],
    [{ input: "1" }, { ...call, event: "input", text: "1" }],
    [{ input: "*" }, { ...call, event: "input", text: "*" }],
    [{ input: "" }, { ...call, event: "input", text: "" }],
    [
      { clean: "clean-session", error: "522" },
      { event: "end", sessionId: call.sessionId, phoneNumber: call.phoneNumber },
    ],
    [{}, undefined],
  ])("%j", (fields, expected) => {
    expect(parse(airtel, query(fields), codes)).toEqual(expected);
  });

  test("the code comes from the URL when several are served", () => {
    expect(parse(airtel, query({ input: "121" }), ["*121#", "*122#"])).toBeUndefined();
    const named = parse(airtel, query({ input: "121", serviceCode: "121" }), ["*121#", "*122#"]);
    expect(named).toEqual({ ...call, event: "start", text: "" });
  });

  test("a reply tells by its header whether the session goes on", () => {
    const { headers, body } = printed(airtel, menu);
    expect(headers).toEqual({ "Content-Type": "text/plain; charset=utf-8", Freeflow: "FC", charge: "N", amount: "0" });
    expect(body).toBe(menu.body);
    expect(printed(airtel, goodbye)).toMatchObject({ headers: { Freeflow: "FB" }, body: "Goodbye!" });
    expect(airtel.printEnded().body).toBe("");
  });
});
