/** Readable numbers, in the browser's own format. */
import { expect, test } from "vitest";
import { grouped, sizeWords } from "./number.ts";

test.each([0, 7, 999, 1_000, -1_000, 123_456, 1_234_567.891, 0.06, -0.5, 99.996, 12.25])("%d is grouped", (value) => {
  for (const maximumFractionDigits of [2, 3])
    expect(grouped(value, maximumFractionDigits)).toBe(
      new Intl.NumberFormat("en", { maximumFractionDigits }).format(value),
    );
  expect(grouped(value)).toBe(grouped(value, 3));
});

test.each([
  [1, "1 byte"],
  [999, "999 bytes"],
  [1_000, "1 kB"],
  [1_549, "1.5 kB"],
  [5_040_000, "5 MB"],
  [7_200_000_000_000, "7,200 GB"],
])("%d bytes are %s", (bytes, words) => {
  expect(sizeWords(bytes)).toBe(words);
});
