/** Rows: the numbers of a measure with its baseline and its aim. */
import { expect, test } from "vitest";
import { rowOf } from "./rows.ts";

const requests = { what: "GET /x", unit: "requests/s", scale: "rate" } as const;

test("a row has the medians of both sides and the ratio of their rounds", () => {
  const row = rowOf({ ...requests, samples: [40, 50, 60], baseline: { name: "bare", samples: [80, 100, 120] } });
  expect(row).toMatchObject({ value: 50, baseline: { name: "bare", value: 100, ratio: 0.5 } });
  expect(row.spread).toBeCloseTo(0.2);
});

test("a row without an aim has no result", () => {
  expect(rowOf({ ...requests, samples: [1] })).not.toHaveProperty("met");
});

test("a ratio's aim is met at the aim itself and missed below it", () => {
  const beside = (ours: number) =>
    rowOf({ ...requests, samples: [ours], baseline: { name: "bare", samples: [100] }, aim: { ratio: 0.5 } }).met;
  expect(beside(50)).toBe(true);
  expect(beside(49.9)).toBe(false);
});

test("a time's aim is met below it", () => {
  const after = (seconds: number) =>
    rowOf({ what: "recovery", unit: "s", scale: "time", samples: [seconds], aim: { below: 2 } }).met;
  expect(after(1.99)).toBe(true);
  expect(after(2)).toBe(false);
});
