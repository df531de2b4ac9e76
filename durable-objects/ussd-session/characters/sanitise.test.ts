/** Cleaning of one input (contract/ussd.md section 2). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sanitise } from "./sanitise.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

test.each([
  ["  John  ", "John"],
  ["John\tDoe\r\n", "John Doe"],
  ["Jose\u0301", "José"],
  ['O\'Brien-Smith "Jo"', 'O\'Brien-Smith "Jo"'],
  ["a\u202Eb\u200Dc\uFEFFd\u0000e\u009Ff", "abcdef"],
  ["a \u00A0  b", "a b"],
  ["'; DROP TABLE customers; --", "'; DROP TABLE customers; --"],
  ["%s%n <b>", "%s%n <b>"],
  ["🙂", "🙂"],
  ["\uD83D", ""],
  ["\u200B \t", ""],
  ["\u3164\u115F\u{E0041}", ""],
])("%j becomes %j", (input, clean) => {
  expect(sanitise(input)).toBe(clean);
});

test("cleaning twice is cleaning once, and nothing invisible is left", () => {
  const input = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...Array.from("ae \u0301\u0327\u200D\t\n\u00A0\u202E")) }),
  );
  fc.assert(
    fc.property(input, (text) => {
      const clean = sanitise(text);
      expect(sanitise(clean)).toBe(clean);
      expect(clean).toBe(clean.normalize("NFC").trim());
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E\u2066-\u2069\u3164\uFEFF]| {2}/u);
    }),
    { numRuns },
  );
});
