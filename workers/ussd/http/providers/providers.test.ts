/** Requests from the providers' documentation, and how the adapters read them and print replies. */
import { describe, expect, test } from "vitest";
import type { PhoneReply } from "../../../../platform/phone-reply.ts";
import { validateFields } from "../request.ts";
import type { ProviderAdapter, ProviderInput } from "./adapter.ts";
import { africasTalking } from "./africas-talking.ts";
import { airtel } from "./airtel.ts";
import { hubtel } from "./hubtel.ts";
import { infobip } from "./infobip.ts";

const menu: PhoneReply = { kind: "CON", body: "Welcome\n1. Know More" };
const goodbye: PhoneReply = { kind: "END", body: "Goodbye!" };

/** An adapter's result always passes the validation of the session endpoint. */
function parse(adapter: ProviderAdapter, input: Partial<ProviderInput>, serviceCodes: readonly string[] = []) {
  const call = adapter.parse({ path: "", query: "", body: "", ...input }, serviceCodes);
  const isStep = call !== undefined && call.event !== "end";
  if (isStep && !validateFields(call, { serviceCodes, phonePlusOptional: false }).ok) throw new Error("not valid");
  return call;
}

describe("Africa's Talking [PH-16, PH-21]", () => {
  const call = { sessionId: "ATUid_abc123", serviceCode: "*384*1234#", phoneNumber: "+254711000111" };
  const dial = { ...call, event: "start", text: "", mode: "cumulative" };
  const form = (fields: Record<string, string>) =>
    parse(africasTalking, { body: new URLSearchParams({ ...call, networkCode: "63902", ...fields }).toString() });
  const notice = {
    date: "2026-11-21 09:00:00",
    status: "Success",
    cost: "1.50",
    durationInMillis: "12000",
    hopsCount: "4",
    input: "2*1*C1*43219",
    lastAppResponse: "END Goodbye",
  };

  test.each([
    [{ text: "" }, dial],
    [{ text: "1*John Doe" }, { ...call, event: "input", text: "1*John Doe", mode: "cumulative" }],
    [notice, { event: "end", sessionId: call.sessionId, phoneNumber: call.phoneNumber }],
  ])("%j", (fields, expected) => {
    expect(form(fields)).toEqual(expected);
  });

  test.each([
    ["sessionId=ATUid_abc123&serviceCode=*384*1234#&phoneNumber=+254711000111&text=", dial],
    ["sessionId=ATUid_abc123&serviceCode=*384*1234#&status=Success&durationInMillis=1", undefined],
    ["sessionId=1&sessionId=2&serviceCode=*1%23&phoneNumber=%2B254711000111", undefined],
    ["", undefined],
  ])("%j", (body, expected) => {
    expect(parse(africasTalking, { body })).toEqual(expected);
  });

  test("replies", () => {
    const headers = { "Content-Type": "text/plain; charset=utf-8" };
    expect(africasTalking.print(menu, undefined, "")).toEqual({ headers, body: "CON Welcome\n1. Know More" });
    expect(africasTalking.print(goodbye, undefined, "").body).toBe("END Goodbye!");
    expect(africasTalking.printEnded().body).toBe("");
  });
});

describe("Hubtel [PH-17, PH-21]", () => {
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
  const caller = { sessionId: initiation.SessionId, phoneNumber: "+233200585542" };
  const call = { ...caller, serviceCode: "*713#", mode: "latest", requestId: "1" };
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
      { Type: "Response", Message: "1", Sequence: "2" },
      { ...call, requestId: "2", event: "input", text: "1" },
    ],
    [
      { Type: "response", Message: "*713#" },
      { ...call, event: "input", text: "*713#" },
    ],
    [
      { Type: "Timeout", Message: null },
      { event: "end", ...caller },
    ],
    [{ Type: "release" }, { event: "end", ...caller }],
    [{ Type: "HijackSession" }, { event: "end", ...caller }],
    [{ Type: "AddToCart" }, undefined],
    [{ Mobile: 233_200_585_542 }, undefined],
  ])("%j", (change, expected) => {
    expect(push(change)).toEqual(expected);
  });

  test("replies", () => {
    expect(JSON.parse(hubtel.print(menu, push({}), "").body)).toEqual({
      SessionId: initiation.SessionId,
      Type: "response",
      Message: menu.body,
      Label: "Welcome",
      ClientState: "",
      DataType: "input",
      FieldType: "text",
    });
    const long = JSON.parse(hubtel.print({ kind: "CON", body: "x".repeat(41) }, push({}), "").body) as {
      Label: string;
    };
    expect(long.Label).toBe("x".repeat(40));
    expect(JSON.parse(hubtel.print(goodbye, undefined, "").body)).toMatchObject({
      Type: "release",
      DataType: "display",
    });
    expect(hubtel.printEnded()).toEqual({ headers: { "Content-Type": "application/json" }, body: "{}" });
  });
});

describe("Infobip [PH-18, PH-21]", () => {
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
  const unnamed = { ...call, codeUnknown: true, event: "input", text: "1" };
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
    ["/session/1/response", { shortCode: null, text: "1" }, { ...unnamed, serviceCode: "*0#" }],
  ])("%s %j", (path, change, expected) => {
    expect(post(path, change)).toEqual(expected);
  });

  test.each([
    ["/session/1/response", "2", ["*123#"], { ...call, event: "input", text: "2" }],
    ["/session/1/start", "*123*4#", ["*122#", "*123#"], { ...call, event: "start", text: "4" }],
    ["/session/1/start", "*99#", ["*122#", "*123#"], undefined],
    ["/session/1/response", "1", ["*122#", "*123#"], { ...unnamed, serviceCode: "*122#" }],
  ])("%s without a short code: %j, served %j", (path, text, codes, expected) => {
    expect(post(path, { shortCode: null, text }, codes)).toEqual(expected);
  });

  test("replies: a first one never closes, a later one does", () => {
    // Whether or not the request could be read: its path identifies its kind.
    const closes = (reply: PhoneReply, path: string) =>
      JSON.parse(infobip.print(reply, undefined, path).body) as object;
    const [first, later] = ["/session/1/start", "/session/1/response"];
    const exit = { responseExitCode: 200, responseMessage: "" };
    expect(closes(menu, first)).toEqual({ shouldClose: false, ussdMenu: menu.body, ...exit });
    expect(closes(goodbye, first)).toMatchObject({ shouldClose: false });
    expect(closes(goodbye, later)).toMatchObject({ shouldClose: true });
    expect(JSON.parse(infobip.printEnded().body)).toEqual(exit);
  });
});

describe("Airtel [PH-19, PH-21]", () => {
  const call = { sessionId: "13697502734175597", serviceCode: "*121#", phoneNumber: "+254100000000", mode: "latest" };
  const pull = (fields: Record<string, string>, codes = ["*121#"]) => {
    const base = { MSISDN: "254100000000", MSC: "farfaraway", SessionID: call.sessionId };
    return parse(airtel, { query: new URLSearchParams({ ...base, ...fields }).toString() }, codes);
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
    expect(pull(fields)).toEqual(expected);
  });

  test("the code comes from the URL if several are served", () => {
    const codes = ["*121#", "*122#"];
    expect(pull({ input: "121" }, codes)).toBeUndefined();
    expect(pull({ input: "121", serviceCode: "121" }, codes)).toEqual({ ...call, event: "start", text: "" });
  });

  test("replies state in a header whether the session continues", () => {
    const headers = { "Content-Type": "text/plain; charset=utf-8", charge: "N", amount: "0" };
    expect(airtel.print(menu, undefined, "")).toEqual({ headers: { ...headers, Freeflow: "FC" }, body: menu.body });
    expect(airtel.print(goodbye, undefined, "")).toEqual({ headers: { ...headers, Freeflow: "FB" }, body: "Goodbye!" });
    expect(airtel.printEnded().body).toBe("");
  });
});
