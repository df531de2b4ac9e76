/** A file that the checker accepts never fails in the interpreter, whatever callers type and services answer. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { factsOf, orders } from "../../../test/support/ussd/programme/menu-files.ts";
import { fits } from "../texts/characters.ts";
import { checkMenuFile } from "./check-menu-file.ts";
import { enterInput, resumeProgramme, startProgramme } from "./interpreter.ts";
import type { Programme } from "./programme.ts";
import { replyOf } from "./reply.ts";
import type { Outcome, Step } from "./step.ts";

const limit = { septets: 160, countPrefix: true };
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

type Members = Record<string, unknown>;
const { tests: _, ...base } = parse(orders, { schema: "failsafe" }) as Members & { screens: Record<string, Members> };
const names = Object.keys(base.screens);
const LEADS = ["to", "failed", "back", "locked", "done"] as const;

/** Up to three ways of the programme lead elsewhere. */
const changed = fc
  .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...LEADS), fc.constantFrom(...names, "none")), {
    minLength: 1,
    maxLength: 3,
  })
  .map((changes) => {
    const screens = structuredClone(base.screens);
    for (const [name, member, target] of changes) {
      const screen = screens[name];
      if (screen !== undefined && (member in screen || member === "back")) screen[member] = target;
    }
    return JSON.stringify({ ...base, screens });
  });

const word = fc.oneof(
  fc.constantFrom("q1", "240", "{qty}", "1. Pay", "\n0. Back", "€€€€€€€€", "农".repeat(12), ""),
  fc.string({ maxLength: 60, unit: "grapheme" }),
);
const typed = fc.oneof(
  fc.constantFrom("0", "00", "98", "1", "2", "3", "4", "12345", "1.1.2026", "0971234567"),
  fc.string({ maxLength: 30, unit: "grapheme" }),
);
const move = fc.record({ typed, word, chance: fc.nat({ max: 9 }) });
type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

function outcomeOf(step: Step, { word, chance }: Move): Outcome | undefined {
  const message = { key: "wrongPin", values: { used: 1, limit: 3, left: 2 } } as const;
  switch (step.kind) {
    case "show":
    case "end":
    case "wait":
      return undefined;
    case "call":
      return chance > 2
        ? { kind: "call", ok: true, members: { id: word, amount: word, receipt: word, name: word } }
        : { kind: "call", ok: false, error: chance === 0 ? "quoteHasExpired" : word };
    case "login":
      return { kind: "login", is: chance > 1 ? "valid" : chance === 0 ? "revoked" : "unknown" };
    case "pin":
      if (chance > 2) return { kind: "pin", is: "right" };
      return chance === 0
        ? { kind: "pin", is: "revoked" }
        : { kind: "pin", is: chance === 1 ? "wrong" : "locked", message };
    case "go":
      return { kind: "go", is: (["done", "back", "failed", "revoked"] as const)[chance % 4] ?? "done" };
  }
}

/** @returns the screens that the caller has seen. */
function walk(programme: Programme, moves: readonly Move[], isLoggedIn: boolean): ReadonlySet<string> {
  const person = { name: "W".repeat(80), customerId: "C".repeat(20), role: "agent" };
  const facts = factsOf({ person: isLoggedIn ? person : null, app: "W".repeat(20), supportPhone: "+123456789012345" });
  const seen = new Set<string>();
  let step = startProgramme(programme, "fr", facts);
  for (const each of moves) {
    for (let outcome = outcomeOf(step, each); outcome !== undefined; outcome = outcomeOf(step, each)) {
      expect(step.kind !== "call" || !step.isWrite || step.state.confirmed).toBe(true);
      const { body, overflow } = replyOf(programme, step.state, facts, limit);
      expect([fits(body, limit), overflow]).toEqual([true, false]);
      step = resumeProgramme(programme, step.state, outcome, facts);
    }
    const { body, overflow } = replyOf(programme, step.state, facts, limit);
    expect([fits(body, limit), overflow, /\{\w+\}/.test(body.replaceAll("{qty}", ""))], body).toEqual([
      true,
      false,
      false,
    ]);
    seen.add(step.state.screen);
    if (step.kind === "end") break;
    step = enterInput(programme, step.state, each.typed, facts, limit);
  }
  return seen;
}

test("calls, PINs, parts and inputs at random, in the programme and in accepted changes of it [PH-159]", () => {
  const accepted = { files: 0, refused: 0, screens: new Set<string>() };
  fc.assert(
    fc.property(
      fc.option(changed, { nil: JSON.stringify(base) }),
      fc.array(move, { maxLength: 60 }),
      fc.boolean(),
      (source, moves, isLoggedIn) => {
        const checked = checkMenuFile(source);
        if (!checked.ok) {
          accepted.refused += 1;
          return;
        }
        accepted.files += 1;
        for (const screen of walk(checked.value.programme, moves, isLoggedIn)) accepted.screens.add(screen);
      },
    ),
    { numRuns },
  );
  expect(accepted.files).toBeGreaterThan(numRuns / 10);
  expect(accepted.refused).toBeGreaterThan(numRuns / 10);
});
