/** Hourly counters become one sum for each of the last 24 hours. */
import { expect, test } from "vitest";
import { hoursOf } from "./hourly-sums.ts";

const now = Date.parse("2026-11-28T10:30:00Z");
const entry = (hour: string, value: number, labels = {}, name = "runs_total") => ({ hour, name, labels, value });

test("entries are summed by hour, and others are left out [CN-306]", () => {
  const hours = hoursOf(
    [
      entry("2026-11-28T10:00:00Z", 2, { outcome: "finished" }),
      entry("2026-11-28T10:00:00Z", 3, { outcome: "failed" }),
      entry("2026-11-27T11:00:00Z", 7),
      entry("2026-11-27T10:00:00Z", 100),
      entry("2026-11-28T11:00:00Z", 100),
      entry("2026-11-28T09:00:00Z", 100, {}, "other_total"),
    ],
    { counter: "runs_total", isCounted: ({ outcome }) => outcome !== "failed", now },
  );
  expect(hours).toHaveLength(24);
  expect([hours.at(0), hours.at(-2), hours.at(-1)]).toEqual([7, 0, 2]);
  expect(hours.reduce((sum, value) => sum + value, 0)).toBe(9);
});
