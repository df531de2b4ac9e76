/** Runs the tests of a menu file with the interpreter: services, PIN and parts answer as the test says. */
import type { ScreenLimit } from "../texts/characters.ts";
import type { Report } from "./check/report.ts";
import type { Facts } from "./file-screen.ts";
import { enterInput, resumeProgramme, startProgramme } from "./interpreter.ts";
import type { FileTest, MenuFile, TestStep } from "./menu-file.ts";
import type { Programme } from "./programme.ts";
import { replyOf } from "./reply.ts";
import type { Answer } from "./service-call.ts";
import type { Outcome, Step } from "./step.ts";

const LIMIT: ScreenLimit = { septets: 160, countPrefix: true };
const TODAY = "2026-11-28";
/** As many steps of the interpreter as one input can need, with room. */
const MOST_TURNS = 50;

/** How many tests passed. Each failure is reported at its step. */
export function runFileTests({ tests = [], screens }: MenuFile, programme: Programme, report: Report): number {
  let passed = 0;
  for (const [index, test] of tests.entries()) {
    const fault = faultIn(test, programme, new Set(Object.keys(screens)));
    if (fault === undefined) passed += 1;
    else
      report(["tests", index, "steps", fault.step], `test "${test.name}", step ${fault.step + 1}: ${fault.sentence}`);
  }
  return passed;
}

interface Fault {
  readonly step: number;
  readonly sentence: string;
}

function faultIn(test: FileTest, programme: Programme, screens: ReadonlySet<string>): Fault | undefined {
  const caller = createCaller(test, programme);
  for (const [index, step] of test.steps.entries()) {
    let sentence: string | undefined;
    if (step.screen !== undefined && !screens.has(step.screen)) sentence = `"${step.screen}" is not a screen`;
    else {
      try {
        sentence = caller.take(step);
      } catch (thrown) {
        if (!(thrown instanceof Error)) throw thrown;
        sentence = thrown.message;
      }
    }
    if (sentence !== undefined) return { step: index, sentence };
  }
  return undefined;
}

function createCaller(test: FileTest, programme: Programme) {
  const { person = {}, today = TODAY } = test;
  let isLoggedIn = person.loggedIn === true;
  let language = person.language ?? programme.languages[0] ?? "en";
  const called = new Map<string, number>();
  let wrongPins = 0;
  let state: Step["state"] | undefined;

  function facts(): Facts {
    const { name = "Test", customerId = "C12345678", role } = person;
    return {
      app: "Digital Services",
      person: isLoggedIn ? { name, customerId, role } : null,
      draft: person.draft ?? null,
      sms: person.sms === true,
      today,
    };
  }

  function answerOf(service: string): Answer {
    const prepared = test.services?.[service];
    if (prepared === undefined) throw new Error(`the test has no answer of ${service}`);
    const list = Array.isArray(prepared) ? prepared : [prepared];
    const count = called.get(service) ?? 0;
    called.set(service, count + 1);
    const next = list[Math.min(count, list.length - 1)];
    if (next !== undefined && "answer" in next) return { ok: true, members: next.answer };
    return next !== undefined && "error" in next ? { ok: false, error: next.error } : { ok: false };
  }

  function outcomeOf(step: Step, calls: string[]): Outcome | undefined {
    switch (step.kind) {
      case "show":
      case "end":
      case "wait":
        return undefined;
      case "call":
        calls.push(step.service);
        return { kind: "call", ...answerOf(step.service) };
      case "login":
        return { kind: "login", is: isLoggedIn ? "valid" : "revoked" };
      case "pin":
        return judged(step.reveal());
      case "go": {
        const is = test.parts?.[step.state.screen] ?? "done";
        if (is === "done" && (step.part === "login" || step.part === "create-account"))
          isLoggedIn = step.part === "login";
        if (is === "revoked") isLoggedIn = false;
        return { kind: "go", is };
      }
    }
  }

  function judged(pin: string): Outcome {
    if (pin === person.pin) return { kind: "pin", is: "right" };
    wrongPins += 1;
    const values = { used: wrongPins, limit: 3, left: 3 - wrongPins };
    if (wrongPins < 3) return { kind: "pin", is: "wrong", message: { key: "wrongPin", values } };
    return { kind: "pin", is: "locked", message: { key: "locked", values: { minutes: 15 } } };
  }

  return {
    /** A sentence about what differs; undefined if nothing does. */
    take(step: TestStep): string | undefined {
      const calls: string[] = [];
      if (step.type !== undefined && state === undefined) return "the call has not begun, or has ended: dial first";
      let next: Step =
        step.type === undefined || state === undefined
          ? startProgramme(programme, language, facts())
          : enterInput(programme, state, step.type, facts(), LIMIT);
      for (let turn = 0; turn < MOST_TURNS; turn += 1) {
        const outcome = outcomeOf(next, calls);
        if (outcome === undefined) break;
        next = resumeProgramme(programme, next.state, outcome, facts());
      }
      ({ language } = next.state);
      state = next.kind === "end" ? undefined : next.state;
      return difference(step, next, `${replyText(next)}`, calls);
    },
  };

  function replyText(step: Step): string {
    const { kind, body } = replyOf(programme, step.state, facts(), LIMIT);
    return `${kind} ${body}`;
  }
}

function difference(expected: TestStep, step: Step, reply: string, calls: readonly string[]): string | undefined {
  const { see = [], exact, screen, ends, calls: named } = expected;
  for (const text of Array.isArray(see) ? see : [see])
    if (!reply.includes(text)) return `the reply does not contain "${text}":\n${reply}`;
  if (exact !== undefined && reply !== exact) return `the reply is not as expected:\n${reply}`;
  if (screen !== undefined && step.state.screen !== screen) return `the screen is ${step.state.screen}, not ${screen}`;
  if (ends === true && step.kind !== "end") return `the call does not end:\n${reply}`;
  if (named !== undefined && named.join() !== calls.join())
    return `it calls ${calls.join(", ") || "nothing"}, not ${named.join(", ") || "nothing"}`;
  return undefined;
}
