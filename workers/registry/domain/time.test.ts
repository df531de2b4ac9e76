/** Times of a record. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { millisecondsOf, parseTime, printTime } from "./time.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const LAST = Date.parse("9999-12-31T23:59:59.999Z");
const instant = fc.integer({ min: 0, max: LAST });

test.each([
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"],
  ["2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123456789Z"],
  ["2026-01-31", "2026-01-31T00:00:00Z"],
  ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z"],
  ["2026-01-31t12:00:00z", "2026-01-31T12:00:00Z"],
  ["2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00Z"],
  ["2026-01-31T23:30:00.5-01:30", "2026-02-01T01:00:00.500Z"],
  ["2024-02-29", "2024-02-29T00:00:00Z"],
  ["1970-01-01", "1970-01-01T00:00:00Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
])("returns %s as %s [RG-43]", (text, answered) => {
  expect(parseTime(text)?.text).toBe(answered);
});

test.each([
  "",
  "now",
  "2026",
  "2026-1-1",
  "2026-00-01",
  "2026-13-01",
  "2026-02-29",
  "2026-01-31T24:00:00Z",
  "2026-01-31T12:60:00Z",
  "2026-01-31T12:00:60Z",
  "2026-01-31T12:00Z",
  "2026-01-31T12:00:00.Z",
  "2026-01-31T12:00:00+24:00",
  "2026-01-31T12:00:00+01:60",
  "2026-01-31Z",
  "1969-12-31T23:59:59Z",
  "1970-01-01T00:00:00+00:01",
  "9999-12-31T23:59:59-00:01",
  " 2026-01-31",
])("rejects %j", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test("reads a printed time back as an equal instant and text", () => {
  fc.assert(
    fc.property(instant, (milliseconds) => {
      const text = printTime(milliseconds);
      expect(parseTime(text)).toEqual({ text, milliseconds });
      expect(millisecondsOf(text)).toBe(milliseconds);
      expect(text).not.toMatch(/\.0+Z$/);
    }),
    { numRuns },
  );
});

test("agrees with the platform's Date in every zone", () => {
  const zone = fc.tuple(fc.constantFrom("+", "-"), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  fc.assert(
    fc.property(fc.integer({ min: 2e8, max: LAST - 2e8 }), zone, (milliseconds, [sign, hours, minutes]) => {
      const pad = (part: number): string => String(part).padStart(2, "0");
      const text = new Date(milliseconds).toISOString().replace("Z", `${sign}${pad(hours)}:${pad(minutes)}`);
      expect(parseTime(text)?.milliseconds).toBe(Date.parse(text));
    }),
    { numRuns },
  );
});

test("any text becomes a time or undefined, and never throws", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { text: answered = "1970-01-01", milliseconds = 0 } = parseTime(text) ?? {};
      expect(millisecondsOf(answered)).toBe(milliseconds);
    }),
    { numRuns },
  );
});
