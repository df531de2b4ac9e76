/** Sums over days. */
import { expect, test } from "vitest";
import {
  averageLatency,
  latencies,
  prefixed,
  totalCounters,
  totalScreens,
  type DayCounts,
} from "./statistics-counts.ts";

const screen = (screen: string, shown: number) => ({ screen, language: "en", shown, refused: 1, ended: 0 });
const days: readonly DayCounts[] = [
  {
    day: "2026-11-22",
    counters: { sessions: 2, ending_exit: 1, latency_le_100: 3, latency_le_inf: 1, latency_sum_ms: 900 },
    screens: [screen("W", 2), screen("I", 9)],
  },
  { day: "2026-11-21", counters: { sessions: 1, latency_le_50: 2, latency_sum_ms: 90 }, screens: [screen("W", 8)] },
];

test("sums counters of all days by name and prefix, and orders reply times", () => {
  const counters = totalCounters(days);
  expect(counters["sessions"]).toBe(3);
  expect(prefixed(counters, "ending_")).toEqual([["exit", 1]]);
  expect(latencies(counters)).toEqual([
    ["50", 2],
    ["100", 3],
    ["inf", 1],
  ]);
  expect([averageLatency(counters), averageLatency({})]).toEqual([165, undefined]);
});

test("sums screens of all days, most shown first", () => {
  expect(totalScreens(days)).toEqual([
    { screen: "W", language: "en", shown: 10, refused: 2, ended: 0 },
    { screen: "I", language: "en", shown: 9, refused: 1, ended: 0 },
  ]);
});
