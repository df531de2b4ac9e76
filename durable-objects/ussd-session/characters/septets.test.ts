/** Sizes of screens (contract/ussd.md section 6; 3GPP TS 23.038). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fits, isGsm7, septetsOf, ucs2Limit, widthOf, type ScreenLimit } from "./septets.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const withPrefix: ScreenLimit = { septets: 160, countPrefix: true };
const bodyOnly: ScreenLimit = { septets: 160, countPrefix: false };

test.each([
  ["", 0],
  ["Welcome to USSD Example App\n1. Know More\n2. Account Menu\n*. Exit", 64],
  ["\n", 1],
  ["éèàùìòñöüäåÇß@£$¥ΔΩ", 19],
  ["€", 2],
  ["^{}\\[~]|", 16],
])("%j takes %i septets", (text, septets) => {
  expect(septetsOf(text)).toBe(septets);
});

test.each(["ç", "ê", "á", "ã", "`", "\r", "\t", "’", "—", "م", "你", "🙂"])("%j is outside the alphabet", (text) => {
  expect(isGsm7(text)).toBe(false);
  expect(widthOf(text)).toBe(text.length);
});

test("the octets of 160 septets hold 70 UTF-16 units, those of 182 hold 80", () => {
  expect([100, 160, 182].map(ucs2Limit)).toEqual([44, 70, 80]);
});

test("the prefix counts or does not, to the septet", () => {
  expect([fits("a".repeat(156), withPrefix), fits("a".repeat(157), withPrefix)]).toEqual([true, false]);
  expect([fits("a".repeat(160), bodyOnly), fits("a".repeat(161), bodyOnly)]).toEqual([true, false]);
  expect([fits("€".repeat(78), withPrefix), fits("€".repeat(79), withPrefix)]).toEqual([true, false]);
});

test("one character outside the alphabet makes the whole reply UCS-2", () => {
  const body = (units: number): string => `ж${"a".repeat(units - 1)}`;
  expect([fits(body(66), withPrefix), fits(body(67), withPrefix)]).toEqual([true, false]);
  expect([fits(body(70), bodyOnly), fits(body(71), bodyOnly)]).toEqual([true, false]);
  // A character beyond the basic plane is two units.
  expect([fits("🙂".repeat(33), withPrefix), fits("🙂".repeat(34), withPrefix)]).toEqual([true, false]);
});

test("sizes add up, and what does not fit does not fit with more behind it", () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from("ab é\n€{|ж🙂1.")), maxLength: 200 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 100, max: 182 }), fc.boolean(), (one, two, septets, countPrefix) => {
      const [first, second] = [septetsOf(one), septetsOf(two)];
      expect(septetsOf(one + two)).toBe(first === undefined || second === undefined ? undefined : first + second);
      const limit = { septets, countPrefix };
      expect(!fits(one, limit) && fits(one + two, limit)).toBe(false);
    }),
    { numRuns },
  );
});
