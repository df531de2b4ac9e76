/** Keys before step rules (contract/ussd.md sections 3 and 5.1). */
import { expect, test } from "vitest";
import { INPUT_LIMITS, readInput, takesStars, type StepKind } from "./input-keys.ts";

const STEPS = Object.keys(INPUT_LIMITS) as StepKind[];

test.each(STEPS)("on a %s step 0 goes back, * leaves, nothing is nothing", (step) => {
  expect(readInput("0", step, [])).toEqual({ kind: "back" });
  expect(readInput("*", step, [])).toEqual({ kind: "exit" });
  expect(readInput("**", step, [])).toEqual({ kind: "exit" });
  expect(readInput("", step, [])).toEqual({ kind: "empty" });
});

test("00 and 98 are keys only where they are printed", () => {
  expect(readInput("00", "email", ["00", "0"])).toEqual({ kind: "skip" });
  expect(readInput("00", "menu", ["1", "0"])).toEqual({ kind: "value", value: "00" });
  expect(readInput("98", "menu", ["98", "0"])).toEqual({ kind: "more" });
  expect(readInput("98", "menu", ["1", "0"])).toEqual({ kind: "value", value: "98" });
});

test("words are keys on menus and data elsewhere", () => {
  expect(["Back", "CANCEL", "exit"].map((word) => readInput(word, "menu", []).kind)).toEqual(["back", "back", "exit"]);
  for (const step of STEPS.filter((step) => step !== "menu" && step !== "pin"))
    expect(readInput("Exit", step, [])).toEqual({ kind: "value", value: "Exit" });
});

test.each(STEPS)("a %s input has its limit, counted in characters", (step) => {
  const limit = INPUT_LIMITS[step];
  expect(readInput("🙂".repeat(limit), step, []).kind).toBe("value");
  expect(readInput("🙂".repeat(limit + 1), step, []).kind).toBe("too-long");
});

test("the limits are those of the contract, and only a question takes stars", () => {
  expect(INPUT_LIMITS).toEqual({ menu: 20, name: 100, email: 100, question: 120, did: 80, "customer-id": 20, pin: 6 });
  expect(STEPS.filter(takesStars)).toEqual(["question"]);
});
