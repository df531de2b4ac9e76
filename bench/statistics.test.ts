/** The arithmetic of a benchmark. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { median, speedRatio, spread } from "./statistics.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const positive = fc.double({ min: 0.001, max: 1e9, noNaN: true });

test("the median of an odd number of rounds is the middle one, of an even number the mean of two", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

test("one outlier does not move the median", () => {
  expect(median([10, 11, 12, 13, 9_000])).toBe(12);
});

test("the median is between the extremes and ignores the order", () => {
  const samples = fc.array(positive, { minLength: 1 });
  fc.assert(
    fc.property(samples, (values) => {
      const middle = median(values);
      expect(middle).toBeGreaterThanOrEqual(Math.min(...values));
      expect(middle).toBeLessThanOrEqual(Math.max(...values));
      expect(median(values.toReversed())).toBe(middle);
    }),
    runs,
  );
});

test("the spread is half of the distance between the extremes, relative to the median", () => {
  expect(spread([90, 100, 110])).toBeCloseTo(0.1);
  expect(spread([5, 5, 5])).toBe(0);
});

test("a higher rate is faster, and so is a lower time", () => {
  expect(speedRatio([50], [100], "rate")).toBe(0.5);
  expect(speedRatio([20], [10], "time")).toBe(0.5);
});

test("rounds are compared pairwise: a machine that slows down slows both sides", () => {
  expect(speedRatio([50, 25, 5], [100, 50, 10], "rate")).toBe(0.5);
});

test("exchanging the sides inverts the ratio of a single round", () => {
  fc.assert(
    fc.property(positive, positive, fc.constantFrom("rate" as const, "time" as const), (left, right, scale) => {
      expect(speedRatio([left], [right], scale) * speedRatio([right], [left], scale)).toBeCloseTo(1);
    }),
    runs,
  );
});

test("sides with different numbers of rounds cannot be compared", () => {
  expect(() => speedRatio([1, 2], [1], "rate")).toThrow("each round");
});
