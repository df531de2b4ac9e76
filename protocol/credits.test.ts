/** Amounts that an operator can grant. */
import { expect, test } from "vitest";
import { creditAmount, LARGEST_GRANT } from "./credits.ts";

test.each([0.000001, 0.1, 5, 0.3, LARGEST_GRANT])("%d credits can be granted", (credits) => {
  expect(creditAmount.safeParse(credits).success).toBe(true);
});

test.each([0, -1, -0, 1e-7, 1e-10, 0.1234567, LARGEST_GRANT + 0.000001, Infinity, -Infinity, Number.NaN, "5"])(
  "%s cannot be granted: not an amount, or rounds to zero",
  (credits) => {
    expect(creditAmount.safeParse(credits).success).toBe(false);
  },
);
