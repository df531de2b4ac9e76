/** Times in words, wherever the reader is. */
import { expect, test } from "vitest";
import { exactWords, utcDayWords, utcWeekdayWords } from "./time.ts";

/** A clock with a fixed offset, this many minutes east of UTC. */
class Clock extends Date {
  readonly east: number;
  constructor(text: string, east: number) {
    super(text);
    this.east = east;
  }
  override getTimezoneOffset(): number {
    return -this.east;
  }
}

test.each([
  [0, "UTC"],
  [180, "UTC+3"],
  [345, "UTC+5:45"],
  [-210, "UTC-3:30"],
])("%i minutes east of UTC is %s", (east, zone) => {
  expect(exactWords(new Clock("2026-11-02T04:05:09", east))).toBe(`2 Nov 2026, 04:05:09 ${zone}`);
});

test("a day of UTC, and no time at all", () => {
  expect(utcDayWords(new Date("2026-12-31T23:59:59Z"))).toBe("31 Dec 2026");
  expect(exactWords(new Date(Number.NaN))).toBe("");
});

test("a day with its weekday equals the browser's own format", () => {
  const form = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });
  for (const day of ["2026-11-22", "2027-01-01", "2028-02-29"]) {
    const time = new Date(`${day}T00:00:00Z`);
    expect(utcWeekdayWords(time)).toBe(form.format(time));
  }
});
