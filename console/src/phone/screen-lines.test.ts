/** How long lines are broken to fit the display. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DISPLAY_COLUMNS, screenLines } from "./screen-lines.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

test.each([
  ["", [""]],
  ["a\n\nb", ["a", "", "b"]],
  ["a".repeat(26), ["a".repeat(26)]],
  ["a".repeat(27), ["a".repeat(26), "a"]],
  ["Welcome to USSD Example App", ["Welcome to USSD Example", "App"]],
  ["🙂".repeat(27), ["🙂".repeat(26), "🙂"]],
])("%j", (body, lines) => {
  expect(screenLines(body)).toEqual(lines);
});

test("no line is wider than the display, and only blanks at breaks are removed", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "🙂"), maxLength: 200 }), (body) => {
      const lines = screenLines(body);
      for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(DISPLAY_COLUMNS);
      expect(lines.join("").replaceAll(" ", "")).toBe(body.replaceAll(/[ \n]/g, ""));
    }),
    { numRuns },
  );
});
