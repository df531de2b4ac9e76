/** A budget in units per second, with a manual clock. */
import { expect, test } from "vitest";
import { createPacedBudget } from "./paced-budget.ts";

const pace = { unitsPerSecond: 1_000, burstSeconds: 2, patienceMs: 0 };

test("work starts at once until the burst is used, then only at the pace", () => {
  const budget = createPacedBudget();
  expect(budget.take(0, 2_000, pace)).toEqual({ admitted: true, waitMs: 0 });
  expect(budget.take(0, 1, pace)).toEqual({ admitted: true, waitMs: 0 });
  expect(budget.take(0, 1, pace)).toEqual({ admitted: false, waitMs: 1 });
  expect(budget.take(1, 1, pace)).toEqual({ admitted: true, waitMs: 0 });
});

test("a refusal uses nothing, and a caller that waits for the returned time is admitted", () => {
  const budget = createPacedBudget();
  budget.take(0, 7_000, pace);
  for (let at = 0; at < 10; at += 1) expect(budget.take(0, 500, pace)).toEqual({ admitted: false, waitMs: 5_000 });
  expect(budget.take(4_999, 500, pace).admitted).toBe(false);
  expect(budget.take(5_000, 500, pace)).toEqual({ admitted: true, waitMs: 0 });
});

test("callers with patience are admitted with a wait, one after another", () => {
  const budget = createPacedBudget();
  const patient = { ...pace, patienceMs: 3_000 };
  budget.take(0, 4_000, patient);
  expect(budget.take(0, 1_000, patient)).toEqual({ admitted: true, waitMs: 2_000 });
  expect(budget.take(0, 1_000, patient)).toEqual({ admitted: true, waitMs: 3_000 });
  expect(budget.take(0, 1_000, patient)).toEqual({ admitted: false, waitMs: 1_000 });
});

test("returned units are available again, and an idle budget has one burst", () => {
  const budget = createPacedBudget();
  budget.take(0, 5_000, pace);
  budget.refund(4_000, pace);
  expect(budget.take(0, 1_001, pace).admitted).toBe(true);
  expect(budget.take(60_000, 2_001, pace).admitted).toBe(true);
  expect(budget.take(60_000, 1, pace).admitted).toBe(false);
});

test("a clock that steps back grants nothing", () => {
  const budget = createPacedBudget();
  budget.take(10_000, 3_000, pace);
  expect(budget.take(0, 1, pace)).toEqual({ admitted: false, waitMs: 1_000 });
});
