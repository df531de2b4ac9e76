/** float32 as Go's strconv prints it with bitSize 32, beside a reference that computes with exact fractions. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bitsOf, fromBits, shortestFloat } from "../../../test/support/shortest-float.ts";
import { float } from "./scalars.ts";

test.each([
  // Measured of Go.
  [447896.125, "447896.12"],
  [0.1, "0.1"],
  [16777216, "16777216"],
  [1.17549435e-38, "1.1754944e-38"],
  [1.4e-45, "1e-45"],
  [3.4028235e38, "3.4028235e+38"],
  [1e21, "1e+21"],
  [1e20, "100000000000000000000"],
  [1e-6, "0.000001"],
  [1e-7, "1e-7"],
  [8388608.5, "8388608"],
  [-447896.125, "-447896.12"],
  [9.5, "9.5"],
])("%d prints as %s", (value, text) => {
  expect(float(Math.fround(value))).toBe(text);
});

test("any number, and those next to powers of two", () => {
  const bits = fc.oneof(
    fc.integer({ min: 1, max: 0x7f7fffff }),
    fc
      .integer({ min: 1, max: 254 })
      .chain((exponent) => fc.integer({ min: -2, max: 2 }).map((by) => (exponent << 23) + by)),
    // Numbers of few fractional bits are the ties.
    fc
      .integer({ min: 1, max: 0xffffff })
      .chain((whole) => fc.integer({ min: -6, max: 0 }).map((by) => bitsOf(whole * 2 ** by))),
  );
  fc.assert(
    fc.property(bits, (each) => {
      expect([each, Number(float(fromBits(each)))]).toEqual([each, shortestFloat(each)]);
    }),
    { numRuns: 20 * Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});
