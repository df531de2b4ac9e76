/** A time in everyday words, by its distance from now. */

/** Created on first use: the first one of a page loads the browser's language data. */
let words: Intl.RelativeTimeFormat | undefined;

/**
 * Seconds of each unit, and the distance from which it is used, largest first. A key of 90 days ends in 89 days, not in 2 months.
 */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, size: number, from?: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000, 8_640_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** Seconds that count as now, so that slightly different clocks show no future. */
const NOW = 2;

/** @param time and now: milliseconds since 1970. */
export function relativeTime(time: number, now: number): string {
  const seconds = (time - now) / 1_000;
  if (Math.abs(seconds) < NOW) return "just now";
  const [unit, size] = units.find(([, each, from = each]) => Math.abs(seconds) >= from) ?? ["second", 1];
  words ??= new Intl.RelativeTimeFormat("en", { style: "short" });
  return words.format(Math.trunc(seconds / size), unit);
}
