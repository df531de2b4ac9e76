/** The interpreter of menu files: keys, answers, calls, PINs, parts, and a state that is plain data. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultMenu, factsOf, orders, programmeFrom } from "../../../test/support/ussd/programme/menu-files.ts";
import type { Facts } from "./file-screen.ts";
import { enterInput, resumeProgramme, startProgramme } from "./interpreter.ts";
import { replyOf } from "./reply.ts";
import type { Outcome, Step } from "./step.ts";
import type { Programme } from "./programme.ts";

const limit = { septets: 160, countPrefix: true };
const programme = programmeFrom(orders);
const person = { name: "Ada", customerId: "C12345678" };
const answers: Readonly<Record<string, Outcome>> = {
  "order.quote": { kind: "call", ok: true, members: { id: "q1", amount: 240 } },
  "order.create": { kind: "call", ok: true, members: { receipt: "R7" } },
  "fault.report": { kind: "call", ok: true, members: {} },
  "agent.find": { kind: "call", ok: true, members: { name: "A very long name of an agent" } },
};

/** A caller who types; calls succeed and the PIN is 12345. Each step is stored and read back, as a session does. */
function caller(facts: Facts = factsOf({ person }), of: Programme = programme, prepared = answers) {
  const calls: Extract<Step, { kind: "call" }>[] = [];
  let step = settled(startProgramme(of, "en", facts));

  function settled(first: Step): Step {
    let next = first;
    for (;;) {
      if (next.kind === "call") calls.push(next);
      const outcome = outcomeOf(next);
      if (outcome === undefined) return next;
      next = resumeProgramme(of, stored(next), outcome, facts);
    }
  }
  function outcomeOf(step: Step): Outcome | undefined {
    if (step.kind === "call") return prepared[step.service];
    if (step.kind === "login") return { kind: "login", is: "valid" };
    if (step.kind === "pin") {
      const message = { key: "wrongPin", values: { used: 1, limit: 3, left: 2 } } as const;
      return step.reveal() === "12345" ? { kind: "pin", is: "right" } : { kind: "pin", is: "wrong", message };
    }
    return step.kind === "go" ? { kind: "go", is: "done" } : undefined;
  }
  const stored = ({ state }: Step): Step["state"] => JSON.parse(JSON.stringify(state)) as Step["state"];

  return {
    calls,
    get step() {
      return step;
    },
    type(...inputs: readonly string[]): string {
      for (const input of inputs) step = settled(enterInput(of, stored(step), input, facts, limit));
      return this.reply();
    },
    reply(): string {
      const { kind, body } = replyOf(of, step.state, facts, limit);
      return `${kind} ${body}`;
    },
  };
}

test("0 leads to the previous screen, 00 skips, * ends, and a wrong key gets a reason [PH-160]", () => {
  const phone = caller();
  expect(phone.reply()).toBe("CON Hello from Digital Services\n1. Order bags\n2. Report a fault\n*. Exit");
  expect(phone.type("7")).toContain("Invalid selection. Please choose 1 or 2.\n\nHello");
  expect(phone.type("0")).toContain("Invalid selection.");
  expect(phone.type("2", "12345", "1", "1.1.2026")).toBe("CON Describe it, or skip:\n00. Skip\n0. Back");
  expect(phone.type("0")).toContain("Since when");
  expect(phone.type("1.1.2026", "00")).toContain("Number for a call back:");
  expect(phone.type("*")).toBe("END Goodbye.");
  expect(phone.step.kind).toBe("end");
});

test.each([
  ["2", "12a4", "Enter digits only."],
  ["2", "123", "Too short."],
  ["2", "12345678901", "Too long."],
  ["1", "0.5", "Enter a number from 1 to 10."],
  ["1", "eleven", "Enter a number from 1 to 10."],
  ["1", "", "Please enter a value."],
])("after %s the answer %j is refused: %s [PH-161]", (key, answer, reason) => {
  expect(caller().type(key, answer)).toContain(reason);
});

test.each(["30.2.2026", "29.11.2026", "1/1/26", "tomorrow"])("the date %s is refused [PH-161]", (date) => {
  expect(caller().type("2", "12345", "1", date)).toContain("Enter a valid date");
});

test.each([
  ["28.11.2026", "2026-11-28"],
  ["01/02/2025", "2025-02-01"],
  ["01022025", "2025-02-01"],
])("the date %s is saved as %s [PH-161]", (typed, saved) => {
  const phone = caller();
  phone.type("2", "12345", "1", typed);
  expect(phone.step.state.values["since"]).toBe(saved);
});

test.each([
  ["0971234567", "+260971234567"],
  ["+260 97 123 4567", "+260971234567"],
  ["260971234567", "+260971234567"],
  ["00254712345678", "+254712345678"],
])("the phone number %s is saved as %s [PH-161]", (typed, saved) => {
  const phone = caller();
  phone.type("2", "12345", "1", "1.1.2026", "00", typed);
  expect(phone.step.state.values["contact"]).toBe(saved);
});

test("an order: one call per confirmation, each with a separate key [PH-159]", () => {
  const phone = caller();
  expect(phone.type("1", "2")).toBe("CON 2 bags, K240. Enter your PIN to order:\n0. Back");
  expect(phone.type("99999")).toContain("Incorrect PIN.");
  expect(phone.type("12345")).toBe("CON Ordered. Receipt R7.\n0. Back\n*. Exit");
  expect(phone.type("0", "1", "1", "12345")).toContain("Receipt R7");
  const writes = phone.calls.filter(({ isWrite }) => isWrite);
  expect(writes.map(({ service, members }) => [service, members])).toEqual([
    ["order.create", { quote: "q1" }],
    ["order.create", { quote: "q1" }],
  ]);
  expect(new Set(writes.map(({ key }) => key)).size).toBe(2);
});

test("a repeated input makes the same call with the same key, because a step is a pure function [PH-159]", () => {
  const facts = factsOf({ person });
  const phone = caller(facts);
  phone.type("1", "2");
  const [one, two] = [1, 2].map(() => {
    const pin = enterInput(programme, phone.step.state, "12345", facts, limit);
    return resumeProgramme(programme, pin.state, { kind: "pin", is: "right" }, facts);
  });
  expect(one).toEqual(two);
  expect(one).toMatchObject({ kind: "call", service: "order.create", key: "place.1" });
});

test("no state contains a PIN, right or wrong [PH-156]", () => {
  const facts = factsOf({ person });
  const phone = caller(facts);
  phone.type("1", "2");
  for (const pin of ["54321", "12345"]) {
    const step = enterInput(programme, phone.step.state, pin, facts, limit);
    expect(step.kind).toBe("pin");
    expect(JSON.stringify(step)).not.toContain(pin);
    phone.type(pin);
    expect(JSON.stringify(phone.step)).not.toContain(pin);
  }
});

test("a failed call, an error of the service and an answer out of shape have their screens [PH-159]", () => {
  const ended = (outcome: Outcome): string => {
    const phone = caller(factsOf({ person }), programme, { ...answers, "order.create": outcome });
    phone.type("1", "2", "12345");
    return phone.step.state.screen;
  };
  expect(ended({ kind: "call", ok: false })).toBe("later");
  expect(ended({ kind: "call", ok: false, error: "quoteHasExpired" })).toBe("expired");
  expect(ended({ kind: "call", ok: false, error: "constructor" })).toBe("later");
  expect(ended({ kind: "call", ok: true, members: {} })).toBe("later");
  expect(ended({ kind: "call", ok: true, members: { receipt: "1234567890123" } })).toBe("later");
});

test("a wait has one option, can be left, and a late result is not expected then [PH-159]", () => {
  const facts = factsOf({ person });
  const phone = caller(facts);
  phone.type("1");
  const call = enterInput(programme, phone.step.state, "2", facts, limit);
  expect(replyOf(programme, call.state, facts, limit).body).toContain(
    "Please wait, this is taking longer.\n1. Check again",
  );
  expect(enterInput(programme, call.state, "1", facts, limit)).toEqual({ kind: "wait", state: call.state });
  const left = enterInput(programme, call.state, "0", facts, limit);
  expect(left.state.screen).toBe("bags");
  const outcome = answers["order.quote"];
  expect(() => resumeProgramme(programme, left.state, outcome as Outcome, facts)).toThrow("waits for undefined");
});

test("a screen for a role is shown to it alone, with a long name shortened [PH-160]", () => {
  const agent = caller(factsOf({ person: { ...person, role: "agent" } }));
  expect(agent.type("3")).toContain("Agent A very lon..");
  expect(caller().type("3")).toContain("Invalid selection.");
});

test("a login that has ended leads to the first screen [PH-160]", () => {
  const facts = factsOf({ person });
  const login = enterInput(programme, startProgramme(programme, "en", facts).state, "1", facts, limit);
  expect(login.kind).toBe("login");
  const step = resumeProgramme(programme, login.state, { kind: "login", is: "revoked" }, factsOf());
  expect(replyOf(programme, step.state, factsOf(), limit).body).toContain("Please log in again.");
});

test("a part returns to its screen with its message, and a chosen language applies [PH-160]", () => {
  const menu = programmeFrom(defaultMenu);
  const facts = factsOf({ person });
  const phone = caller(facts, menu);
  phone.type("3");
  const part = enterInput(menu, phone.step.state, "5", facts, limit);
  expect(part).toMatchObject({ kind: "go", part: "language" });
  const done = { kind: "go", is: "done", language: "sw", message: { key: "languageChanged" } } as const;
  const step = resumeProgramme(menu, part.state, done, facts);
  expect(replyOf(menu, step.state, facts, limit).body).toContain("Huduma");
});

test("an SMS has the text in the caller's language, and a draft leads to its part [PH-160]", () => {
  const menu = programmeFrom(defaultMenu);
  const facts = factsOf({ sms: true, draft: "account" });
  const at = (...inputs: readonly string[]): Step =>
    inputs.reduce<Step>(
      (step, input) => enterInput(menu, step.state, input, facts, limit),
      startProgramme(menu, "sw", facts),
    );
  const sms = at("1", "3", "2");
  expect(sms).toMatchObject({ kind: "go", part: "sms", text: expect.stringContaining("Wakala wako wa karibu") });
  const accepted = { kind: "go", is: "done", message: { key: "smsAccepted" } } as const;
  const after = resumeProgramme(menu, sms.state, accepted, facts);
  expect(after.state.screen).toBe("delivery");
  expect(at("9")).toMatchObject({ kind: "go", part: "create-account", resumes: true });
  expect(at("2", "2")).toMatchObject({ kind: "go", part: "create-account", resumes: false });
});

test("every option that a screen of the menus prints works, and no other number does [PH-160]", () => {
  const menu = programmeFrom(defaultMenu);
  const facts = factsOf({ person, sms: true, draft: "question" });
  const seen = new Set<string>();
  const waiting: Step[] = [startProgramme(menu, "fr", facts)];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { page, screen } = step.state;
    if (step.kind !== "show" || seen.has(`${screen} ${page}`)) continue;
    seen.add(`${screen} ${page}`);
    const { keys, pages } = replyOf(menu, step.state, facts, limit);
    const refused: string[] = [];
    for (let key = 0; key < 100; key += 1) {
      const next = enterInput(menu, step.state, String(key), facts, limit);
      if (next.state.message !== undefined) refused.push(String(key));
      waiting.push(
        next.kind === "login" ? resumeProgramme(menu, next.state, { kind: "login", is: "valid" }, facts) : next,
      );
    }
    const unprinted = Array.from({ length: 100 }, (_, key) => String(key)).filter((key) => !keys.includes(key));
    // Options of other pages work too.
    const expected = pages === 1 ? unprinted : unprinted.filter((key) => refused.includes(key));
    expect(refused, screen).toEqual(expected);
  }
  expect(seen.size).toBeGreaterThan(6);
});

test("a value is text: placeholders, line feeds and option numbers in it have no meaning [PH-159]", () => {
  const phone = caller();
  phone.type("2", "12345", "1", "1.1.2026");
  expect(phone.type("1. {serial}", "0971234567")).toContain("1) {serial} Enter your PIN");
});

test("whatever a caller types, the reply fits and the state stays small and plain [PH-159]", () => {
  const input = fc.oneof(
    fc.constantFrom("0", "00", "98", "1", "2", "3", "4", "12345", "1.1.2026", "0971234567", "", "back", "exit"),
    fc.string({ maxLength: 182, unit: "grapheme" }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
      const phone = caller();
      for (const each of inputs) {
        if (phone.step.kind === "end") break;
        const reply = phone.type(each);
        expect(reply.length).toBeLessThanOrEqual(160);
        expect(reply).not.toMatch(/\{\w+\}|undefined/);
        expect(JSON.stringify(phone.step.state).length).toBeLessThan(4_000);
      }
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});
