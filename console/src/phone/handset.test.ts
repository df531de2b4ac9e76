/** The handset with a small service: calls, repeated and lost requests, dropped lines, and PINs that stay out of its state. */
import { expect, test } from "vitest";
import type { FormattedRequest } from "../../../shared/gateway-formats.ts";
import { createHandset } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import type { ServerAnswer } from "./server.ts";

const line: Line = { phoneNumber: "+260971230001", serviceCode: "*2233#", format: "json", mode: "cumulative" };
const screens: Readonly<Record<string, string>> = {
  "": "CON Welcome\n1. Log in\n*. Exit",
  "1": "CON Enter your PIN:\n0. Back",
  "*": "END Bye",
};

/** Answers by the last input; a test may override one answer. */
function service(mode: "cumulative" | "latest" = "cumulative") {
  const sent: FormattedRequest[] = [];
  const waited: number[] = [];
  const once: (ServerAnswer | undefined)[] = [];
  let calls = 0;
  const textOf = ({ body = "" }: FormattedRequest): string =>
    body.startsWith("{") ? ((JSON.parse(body) as { text?: string }).text ?? "") : "";
  const handset = createHandset({
    send(request) {
      sent.push(request);
      if (once.length > 0) return Promise.resolve(once.shift());
      const text = textOf(request);
      const last = text.endsWith("*") ? "*" : (text.split("*").at(-1) ?? "");
      return Promise.resolve(answer(screens[last] ?? "CON Hello\n1. On\n0. Back"));
    },
    newSessionId: () => `s${(calls += 1)}`,
    wait: (milliseconds) => Promise.resolve(void waited.push(milliseconds)),
    now: () => 0,
  });
  return { handset, sent, waited, once, texts: () => sent.map(textOf), line: { ...line, mode } };
}

function answer(text: string, status = 200, retryAfter?: number): ServerAnswer {
  return { status, text, milliseconds: 5, requestId: "r1", retryAfter, headers: new Headers() };
}

test.each([
  ["cumulative", ["", "1", "1*43219"]],
  ["latest", ["", "1", "43219"]],
] as const)("a gateway that sends %s inputs sends %j", async (mode, texts) => {
  const { handset, line, texts: sent } = service(mode);
  await handset.dial(line, "");
  await handset.answer("1");
  await handset.answer("43219");
  expect(sent()).toEqual(texts);
  expect(handset.read()).toMatchObject({ phase: "live", sessionId: "s1", screen: { body: "Hello\n1. On\n0. Back" } });
});

test("PINs are only in the requests, not in state, log and recording [CN-113]", async () => {
  const { handset, sent } = service();
  await handset.dial(line, "1");
  await handset.answer("43219");
  await handset.answer("1");
  await handset.repeat();
  expect(sent.filter(({ body }) => body?.includes("43219"))).toHaveLength(3);
  expect(JSON.stringify(handset.read())).not.toContain("43219");
  expect(handset.read().log.map(({ request }) => (JSON.parse(request?.body ?? "{}") as { text: string }).text)).toEqual(
    ["1*_PIN_*1", "1*_PIN_*1", "1*_PIN_", "1"],
  );
  expect(handset.read().steps.map(({ kind, typed }) => [kind, typed])).toEqual([
    ["dial", "1"],
    ["input", "{pin}"],
    ["input", "1"],
  ]);
});

test("a PIN inside typed text, or repeated by the service, is also not in state, log and recording [CN-101]", async () => {
  const { handset, once } = service();
  await handset.dial(line, "2*C1A2B3C4DX*43219");
  once.push(answer("CON You said 43219 in 2026\n0. Back"));
  await handset.answer("is 86420*43219 mine?");
  await handset.hangUp();
  const { steps, log } = handset.read();
  expect(JSON.stringify({ steps, log })).not.toMatch(/43219|86420/);
  expect(steps.map(({ typed }) => typed)).toEqual(["2*C1A2B3C4DX*{pin}", "is {pin2}*{pin} mine?"]);
  expect(steps[1]?.expect).toBe("CON You said {pin} in 2026\n0. Back");
  expect(log[1]?.answer?.text).toBe("CON You said _PIN_ in 2026\n0. Back");
});

test("a repeated request has equal bytes, and its reply is compared [CN-111]", async () => {
  const { handset, sent, once } = service();
  await handset.dial(line, "");
  await handset.answer("1");
  await handset.repeat();
  expect(sent[2]).toEqual(sent[1]);
  expect(handset.read().log[0]).toMatchObject({ act: "repeat", remarks: ["same"] });
  once.push(answer("CON Other"));
  await handset.repeat();
  expect(handset.read().log[0]).toMatchObject({ remarks: ["different"] });
});

test("a lost reply does not reach the phone; after a repeat, it is compared with the lost one [CN-111]", async () => {
  const { handset, sent } = service();
  await handset.dial(line, "");
  handset.setNetwork({ losesNext: true });
  expect(await handset.answer("1")).toEqual({ kind: "failed" });
  expect(handset.read()).toMatchObject({
    phase: "unanswered",
    trouble: { kind: "lost" },
    network: { losesNext: false },
  });
  expect(await handset.repeat()).toMatchObject({ kind: "reply" });
  expect(sent).toHaveLength(3);
  expect(handset.read().log[0]).toMatchObject({ remarks: ["same"] });
  expect(handset.read().steps.map(({ typed }) => typed)).toEqual(["", "1"]);
});

test("a slow network delays the reply; a line dropped meanwhile never shows it [CN-111]", async () => {
  const { handset, waited, sent } = service();
  handset.setNetwork({ delay: 8_000 });
  const dialled = handset.dial(line, "");
  expect(handset.read().phase).toBe("waiting");
  handset.drop();
  expect(await dialled).toEqual({ kind: "dropped" });
  expect(waited).toEqual([8_000]);
  expect(sent).toHaveLength(1);
  expect(handset.read()).toMatchObject({ phase: "idle", screen: undefined, steps: [] });
  expect(handset.read().log.map(({ act, remarks }) => [act, remarks])).toEqual([
    ["drop", []],
    ["dial", ["held", "unheard"]],
  ]);
});

test("a second press is neither a second input nor a second call", async () => {
  const { handset, texts } = service();
  await Promise.all([handset.dial(line, ""), handset.dial(line, "")]);
  await Promise.all([handset.answer("1"), handset.answer("1")]);
  expect(texts()).toEqual(["", "1"]);
});

test("above the rate limit nothing changes, and the input is typed again [CN-118]", async () => {
  const { handset, once, texts } = service();
  await handset.dial(line, "");
  once.push(answer("END Too many requests.", 429, 7));
  expect(await handset.answer("1")).toEqual({ kind: "wait", seconds: 7 });
  expect(handset.read()).toMatchObject({ phase: "live", trouble: { kind: "too-many", seconds: 7 } });
  await handset.answer("1");
  expect(texts()).toEqual(["", "1", "1"]);
  expect(handset.read().trouble).toBeUndefined();
});

test.each([
  [undefined, { kind: "no-answer" }],
  [answer("{}", 404), { kind: "refused", status: 404 }],
  [answer("<html>"), { kind: "refused", status: 200 }],
])("an invalid reply for a phone is reported (%#) [CN-118]", async (given, trouble) => {
  const { handset, once } = service();
  once.push(given);
  await handset.dial(line, "");
  expect(handset.read()).toMatchObject({ phase: "unanswered", trouble });
});

test("hanging up is sent if the provider has a notice for it, and never after a dropped line", async () => {
  const { handset, sent } = service();
  await handset.dial(line, "");
  await handset.hangUp();
  expect(sent).toHaveLength(1);
  for (const format of ["hubtel", "infobip", "africas-talking", "airtel"] as const) {
    await handset.dial({ ...line, format }, "");
    handset.drop();
    await handset.dial({ ...line, format }, "");
    const before = sent.length;
    await handset.hangUp();
    expect([format, sent.length - before]).toEqual([format, 1]);
  }
  expect(handset.read().phase).toBe("idle");
});
