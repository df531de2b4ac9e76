/** The simulation of scale agrees with queueing theory where that has an answer, and follows its parameters. */
import { expect, test } from "vitest";
import { monthlyCost, sizes } from "./costs.ts";
import { valuesWith } from "./limits.ts";
import { durations, percentile, saturation } from "./queue.ts";
import { saturations } from "./scenarios.ts";

const one = (serviceMs: number, servers = 1) => [{ name: "one", servers, serviceMs: () => serviceMs }];

test("a queue with random arrivals and a constant service waits as long as theory says", () => {
  // M/D/1 at 80 %: the mean wait is rho / (2 (1 - rho)) services.
  const times = durations({ arrivals: 100_000, rate: 80, stations: one(10) });
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  expect(mean).toBeGreaterThan(10 * 2.7);
  expect(mean).toBeLessThan(10 * 3.4);
});

test("a station saturates a little below the rate that its servers do", () => {
  const at = (servers: number): number =>
    saturation((rate) => ({ arrivals: 20_000, rate, stations: one(10, servers) }), 200, servers * 400);
  expect(at(1)).toBeGreaterThan(80);
  expect(at(1)).toBeLessThan(105);
  expect(at(4) / at(1)).toBeGreaterThan(3.5);
});

test("the percentile is the time that the share does not exceed", () => {
  const times = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([percentile(times, 0.99), percentile(times, 0.5)]).toEqual([100, 51]);
});

test("twice the limit is twice the saturation, and the same parameters give the same numbers", () => {
  const at = (changed: Parameters<typeof valuesWith>[0], what: string): number =>
    saturations(valuesWith(changed)).find((each) => each.what === what)?.at ?? 0;
  expect(at({ d1Bytes: 20e9 }, "D1: size of the database")).toBe(2 * at({}, "D1: size of the database"));
  const writes = "D1: index and counts of sessions";
  expect(at({ d1StatementMs: 0.5 }, writes) / at({}, writes)).toBeCloseTo(2, 1);
  expect(saturations(valuesWith({}))).toEqual(saturations(valuesWith({})));
});

test("each size costs more than the one before", () => {
  const totals = sizes.map((size) => monthlyCost(size, valuesWith({})).total);
  expect(totals).toEqual(totals.toSorted((lower, higher) => lower - higher));
});
