/** The 182 characters for all inputs of a session, and the replies as they run out. */
import { expect, test } from "vitest";
import { customerIn, INVALID, loggedIn, phone } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway, PHONE } from "../../../test/support/ussd/sessions.ts";

const FULL = "No more can be typed in this session. Dial again to continue.";

/** Asks a question, so that the whole text has `length` characters. */
function padded(text: string, length: number): string {
  return `${text}*${"q".repeat(length - text.length - 1)}`;
}

test("a caller is warned from 143 characters on, with the number that is left [PH-82]", async () => {
  const gateway = await createUssdGateway();
  await loggedIn(gateway);
  const { body: services } = await gateway.post({ text: "2*1" });
  expect(services).not.toContain("more character");
  for (const [length, left] of [
    [141, undefined],
    [142, "Only 39 more characters fit in this session."],
    [180, "Only 1 more character fits in this session."],
  ] as const) {
    const one = await createUssdGateway();
    one.oracle.answers = { state: "answered", text: "Yes." };
    const { caller } = await loggedIn(one);
    await caller.type("3", "3");
    let text = caller.text;
    // A question has at most 120 characters.
    while (length - text.length - 1 > 110) {
      text = padded(text, text.length + 61);
      await one.post({ text });
      text = `${text}*1`;
      await one.post({ text });
    }
    const reply = await one.post({ text: padded(text, length) });
    expect(reply.kind).toBe("CON");
    const expected = left === undefined ? "Yes.\n1. Ask again" : `${left}\n\nYes.\n1. Ask again`;
    expect(reply.body.startsWith(expected), reply.body).toBe(true);
  }
});

test("the last input that fits is served, and the session ends with a goodbye that keeps the question [PH-82]", async () => {
  const gateway = await createUssdGateway();
  gateway.oracle.answers = { state: "answered", text: "Yes." };
  const { caller, customerId } = await loggedIn(gateway);
  await caller.type("3", "3");
  const first = `${caller.text}*${"q".repeat(115)}`;
  await gateway.post({ text: first });
  await gateway.post({ text: `${first}*1` });
  const text = padded(`${first}*1`, 181);
  const end = await gateway.post({ text });
  expect(end).toMatchObject({ kind: "END", body: `${FULL}\nYes.` });
  expect(await gateway.post({ text })).toMatchObject({ kind: end.kind, body: end.body, outcome: "replayed" });
  expect(await gateway.session("s1").describe(false)).toBeNull();
  await gateway.settled();
  expect(gateway.reports.map(({ ending }) => ending)).toEqual(["full"]);
  const next = phone(gateway, "s2");
  expect((await next.dial()).body).toContain("9. Continue where you left off");
  expect((await next.type("9", customerId, "43219", "1")).body).toMatch(/^Yes\.\n1\. Ask again/);
  expect(gateway.oracle.asked).toHaveLength(2);
});

test("a new account's Customer ID is in the goodbye [PH-82]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "n".repeat(88), `${"e".repeat(70)}@x.org`, "43219");
  expect(caller.text).toHaveLength(175);
  const end = await caller.type("43219");
  expect(end.kind).toBe("END");
  expect(end.body).toMatch(/^Your Customer ID: C[0-9A-F]{9}\nNo more can be typed/);
  await gateway.settled();
  expect((await phone(gateway, "s2").dial()).body).not.toContain("9.");
});

test("a rejected input at the end shows its message; the form is kept for the next call [PH-82]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "n".repeat(80));
  const end = await gateway.post({ text: padded(caller.text, 182) });
  expect(end).toMatchObject({ kind: "END", body: `Email not valid.\n${FULL}` });
  await gateway.settled();
  const next = phone(gateway, "s2");
  await next.dial();
  expect((await next.type("9")).body).toContain("Enter your email address");
});

test("a gateway that sends only the latest input has no such limit [PH-82]", async () => {
  const gateway = await createUssdGateway();
  await customerIn(gateway);
  await gateway.post({ text: "", mode: "latest" });
  for (const text of ["2", "1", "0", "2"]) {
    gateway.clock.advance(2_000);
    await gateway.post({ text, mode: "latest" });
  }
  const reply = await gateway.post({ text: "x".repeat(182), mode: "latest" });
  expect(reply.kind).toBe("CON");
});

test("a question that is too long is asked for again, even if all inputs together are too long [PH-120]", async () => {
  const gateway = await createUssdGateway();
  gateway.oracle.answers = { state: "answered", text: "Yes." };
  const { caller } = await loggedIn(gateway);
  await caller.type("3", "3");
  const before = caller.text;
  const question = { sessionId: "s1", phoneNumber: PHONE, serviceCode: "*2233#", dialledSuffix: "" };
  const long = (text: string) => gateway.session("s1").handleLongText({ ...question, text });
  const first = `${before}*${"q".repeat(157)}`;
  expect(Array.from(first).length).toBeGreaterThan(182);
  const asked = await long(first);
  expect(asked).toMatchObject({ kind: "CON", body: expect.stringMatching(/^Too long\.\n\nType your question/) });
  gateway.restart();
  expect(await long(first)).toMatchObject({ kind: "CON", body: asked.body, outcome: "replayed" });
  const second = `${first}*${"q".repeat(121)}`;
  expect(await long(second)).toMatchObject({ kind: "CON", body: asked.body });
  expect(gateway.oracle.asked).toHaveLength(0);
  // The next accepted input is the last of the call.
  expect(await long(`${second}*why?`)).toMatchObject({ kind: "END", body: `${FULL}\nYes.` });
  expect(gateway.oracle.asked).toHaveLength(1);
});

test("a text past the limit that is not explained by an input closes the call and keeps its draft [PH-11, PH-120]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe");
  const request = { sessionId: "s1", phoneNumber: PHONE, serviceCode: "*2233#", dialledSuffix: "" };
  const long = (text: string, more: object = {}) => gateway.session("s1").handleLongText({ ...request, ...more, text });
  // Another phone closes nothing.
  expect(await long(`${caller.text}*${"x".repeat(180)}`, { phoneNumber: "+260971239999" })).toMatchObject(INVALID);
  expect((await gateway.session("s1").describe(false))?.path).toBe("accountCreation.emailEntry");
  expect(await long("x".repeat(183))).toMatchObject(INVALID);
  expect(await gateway.session("s1").describe(false)).toBeNull();
  await gateway.settled();
  expect((await phone(gateway, "s2").dial()).body).toContain("9. Continue where you left off");
  // Without a session there is nothing to ask for again.
  expect(await gateway.session("s3").handleLongText({ ...request, text: "x".repeat(183) })).toMatchObject(INVALID);
});

test("an input of a valid length that does not fit is invalid [PH-8, PH-120]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  await caller.type("3", "3");
  const filled = `${caller.text}*${"q".repeat(110)}`;
  await gateway.post({ text: filled });
  const request = { sessionId: "s1", phoneNumber: PHONE, serviceCode: "*2233#", dialledSuffix: "" };
  await gateway.post({ text: `${filled}*1` });
  expect(
    await gateway.session("s1").handleLongText({ ...request, text: `${filled}*1*${"q".repeat(60)}` }),
  ).toMatchObject(INVALID);
});
