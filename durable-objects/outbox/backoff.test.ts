import * as fc from "fast-check";
import { expect, test } from "vitest";
import { delayAfter, LONGEST_DELAY } from "./sender.ts";
import { ATTEMPTS } from "./rpc.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

test("without jitter: 5 s, tripling, 6 hours at most, about 17 hours in all [RG-210]", () => {
  const delays = Array.from({ length: ATTEMPTS - 1 }, (_, index) => delayAfter(index + 1, 0) / 1_000);
  expect(delays).toEqual([5, 15, 45, 135, 405, 1_215, 3_645, 10_935, 21_600, 21_600]);
  const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3_600;
  expect(hours).toBeGreaterThan(16);
  expect(hours).toBeLessThan(17);
});

test("jitter shortens a delay by up to a half; the receiver's Retry-After applies up to the longest delay", () => {
  const cases = fc.tuple(
    fc.integer({ min: 1, max: 100 }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  );
  fc.assert(
    fc.property(cases, fc.integer({ min: 0, max: 10 * LONGEST_DELAY }), ([attempt, random], asked) => {
      const whole = delayAfter(attempt, 0);
      const delay = delayAfter(attempt, random);
      expect(delay).toBeGreaterThanOrEqual(Math.floor(whole / 2));
      expect(delay).toBeLessThanOrEqual(whole);
      expect(delayAfter(attempt, random, asked)).toBe(Math.max(delay, Math.min(asked, LONGEST_DELAY)));
    }),
    runs,
  );
});
