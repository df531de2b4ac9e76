/**
 * Requests that a telecom gateway sends twice, in each provider's format (docs/decisions/007-phone-sessions.md). Real
 * objects, real D1.
 */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { newCaller } from "../../support/ussd/accounts.ts";
import { createUssdEdge, JSON_BODY } from "../../support/ussd/edge.ts";

const edge = createUssdEdge(env, { USSD_SERVICE_CODES: "*2233#" });
const INPUTS = ["2", "2", "John Doe", "00", "43219", "43219"];

afterEach(() => {
  vi.useRealTimers();
});

function hubtelPhone() {
  const { phoneNumber, sessionId } = newCaller();
  return async (Sequence: number, Message: string, Type = "Response") => {
    const push = { Type, Sequence, SessionId: sessionId, ServiceCode: "2233", Mobile: phoneNumber.slice(1), Message };
    const response = await edge.call("POST", "/api/ussd/providers/hubtel", {
      headers: JSON_BODY,
      body: JSON.stringify(push),
    });
    return (await response.json<{ Message: string }>()).Message;
  };
}

function infobipPhone() {
  const { phoneNumber, sessionId } = newCaller();
  return async (text: string, method = "response") => {
    const body = JSON.stringify({ msisdn: phoneNumber.slice(1), text, shortCode: "*2233#" });
    const path = `/api/ussd/providers/infobip/session/${sessionId}/${method}`;
    return (await (await edge.call("POST", path, { headers: JSON_BODY, body })).json<{ ussdMenu: string }>()).ussdMenu;
  };
}

function airtelPhone() {
  const { phoneNumber, sessionId } = newCaller();
  return async (input: string) => {
    const query = new URLSearchParams({
      SessionID: sessionId,
      MSISDN: phoneNumber.slice(1),
      input,
      serviceCode: "*2233#",
    });
    return (await edge.call("GET", `/api/ussd/providers/airtel?${query.toString()}`)).text();
  };
}

test("Hubtel: a repeated Sequence is a repeated request, and the Customer ID stays on the screen [PH-30]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const send = hubtelPhone();
  await send(1, "*2233#", "Initiation");
  let shown = "";
  // Two equal keys within 2 s, each with its own Sequence: both take a step.
  for (const [index, input] of INPUTS.entries()) shown = await send(index + 2, input);
  expect(shown).toContain("Your Customer ID: C");
  vi.setSystemTime(Date.now() + 3_000);
  expect(await send(7, "43219")).toBe(shown);
  // An older request that arrives late takes no step either.
  expect(await send(4, "John Doe")).toBe(shown);
  expect(await send(8, "1")).toContain("existing account");
});

test.each([
  ["Infobip", infobipPhone, (send: (text: string, method?: string) => Promise<string>) => send("*2233#", "start")],
  ["Airtel", airtelPhone, (send: (text: string) => Promise<string>) => send("2233")],
])("%s: the confirmed PIN repeated 3 s later leaves the Customer ID on the screen [PH-29]", async (_, phone, dial) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const send = phone();
  await dial(send);
  let shown = "";
  for (const input of INPUTS) {
    // Only time distinguishes equal keys here; no caller reads and answers a screen in less.
    vi.setSystemTime(Date.now() + 3_000);
    shown = await send(input);
    if (input !== "2") continue;
    vi.setSystemTime(Date.now() + 2_600);
    expect(await send(input)).toBe(shown);
    vi.setSystemTime(Date.now() - 2_600);
  }
  expect(shown).toContain("Your Customer ID: C");
  expect(await send("43219")).toBe(shown);
  vi.setSystemTime(Date.now() + 3_000);
  expect(await send("43219")).toBe(shown);
  expect(await send("1")).toContain("existing account");
});

test.each([
  ["Infobip", infobipPhone, (send: (text: string, method?: string) => Promise<string>) => send("*2233#", "start")],
  ["Airtel", airtelPhone, (send: (text: string) => Promise<string>) => send("2233")],
])("%s: a PIN is confirmed as soon as its screen was shown [PH-131]", async (_, phone, dial) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const send = phone();
  await dial(send);
  for (const input of INPUTS.slice(0, -1)) {
    vi.setSystemTime(Date.now() + 3_000);
    await send(input);
  }
  vi.setSystemTime(Date.now() + 1_000);
  expect(await send("43219")).toContain("Your Customer ID: C");
});

test.each([
  ["Infobip", infobipPhone, (send: (text: string, method?: string) => Promise<string>) => send("*2233*2#", "start")],
  ["Airtel", airtelPhone, (send: (text: string) => Promise<string>) => send("2233*2")],
])(
  "%s: a code with an input, dialled under the id of the previous call, begins a new call [PH-143]",
  async (_, phone, dial) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const send = phone();
    const opened = await dial(send);
    expect(opened).toContain("existing account");
    vi.setSystemTime(Date.now() + 10_000);
    expect(await dial(send)).toBe(opened);
    expect(await send("2")).toContain("Enter your full name");
    expect(await dial(send)).toContain("Enter your full name");
    vi.setSystemTime(Date.now() + 10_000);
    // The previous call was in the middle of a form, and this input is not its next step.
    expect(await dial(send)).toBe(opened);
    await send("*");
    expect(await dial(send)).toContain("Thank you");
    vi.setSystemTime(Date.now() + 10_000);
    expect(await dial(send)).toBe(opened);
  },
);

/** A gateway of the plain endpoint with its own address. */
function plainGateway(address: string) {
  return () => {
    const { phoneNumber, sessionId } = newCaller();
    return async (text: string) => {
      const body = JSON.stringify({ sessionId, phoneNumber, serviceCode: "*2233#", text });
      const headers = { ...JSON_BODY, "CF-Connecting-IP": address };
      return (await edge.call("POST", "/api/ussd", { headers, body })).text();
    };
  };
}

test("a gateway that sends only the latest input: an account is created, even on its first call [PH-121]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const call = plainGateway("203.0.113.7");
  for (let round = 0; round < 2; round += 1) {
    const send = call();
    await send("");
    let shown = "";
    for (const input of INPUTS) {
      vi.setSystemTime(Date.now() + 3_500);
      shown = await send(input);
    }
    expect(shown).toContain("Your Customer ID: C");
    await edge.settled();
  }
});

test("a gateway that sends all inputs: once it is known, its first key repeated late is a repeated request [PH-121]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const call = plainGateway("2001:db8::7");
  const first = call();
  for (const text of ["", "2", "2*2"]) await first(text);
  await edge.settled();
  const stored = await env.DATABASE.prepare("SELECT * FROM ussd_gateways").all();
  expect(JSON.stringify(stored.results)).not.toContain("2001:db8");
  await expect
    .poll(async () => {
      const send = call();
      await send("");
      const shown = await send("2");
      vi.setSystemTime(Date.now() + 10_000);
      return (await send("2")) === shown;
    })
    .toBe(true);
});

test("an input with a star does not change the known mode of a gateway that sends only the latest input [PH-142]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const call = plainGateway("203.0.113.8");
  const send = async (texts: readonly string[]) => {
    const caller = call();
    let shown = "";
    for (const text of texts) {
      vi.setSystemTime(Date.now() + 3_500);
      shown = await caller(text);
    }
    await edge.settled();
    return shown;
  };
  await send(["", "2", "1"]);
  await expect.poll(() => send(["", "2", "2", "2"])).toContain("name");
  await send(["", "2", "2*2", "2*2*Ann"]);
  expect(await send(["", "2", "2"])).toContain("Enter your full name");
});

test("an operator sets a gateway's text mode, by its code or its address [PH-125]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const modes = { "203.0.113.0/24": "latest", "*144#": "cumulative" };
  const configured = createUssdEdge(env, { USSD_TEXT_MODES: JSON.stringify(modes) });
  const second = async (address: string, serviceCode: string) => {
    const { phoneNumber, sessionId } = newCaller();
    const send = async (text: string) => {
      const body = JSON.stringify({ sessionId, phoneNumber, serviceCode, text });
      const headers = { ...JSON_BODY, "CF-Connecting-IP": address };
      return (await configured.call("POST", "/api/ussd", { headers, body })).text();
    };
    await send("");
    await send("2");
    vi.setSystemTime(Date.now() + 60_000);
    return send("2");
  };
  expect(await second("203.0.113.9", "*2233#")).toContain("Enter your full name");
  expect(await second("198.51.100.9", "*144#")).toContain("existing account");
});
