import * as fc from "fast-check";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { overlaps } from "./route-overlap.ts";

test.each<[string, string, boolean]>([
  ["/weather", "/weather", true],
  ["/weather", "/weathers", false],
  ["/weather/:city", "/weather/:place", true],
  ["/weather/:city", "/weather/today", true],
  ["/weather/:city/hours", "/weather/today/:hour", true],
  ["/weather/:city/hours", "/weather/:city/days", false],
  ["/weather/:city", "/weather", false],
  ["/weather/:city?", "/weather", true],
  ["/weather/:city?", "/weather/:city/hours", false],
  ["/socket.io/*", "/socket.io", true],
  ["/socket.io/*", "/socket.io/a/b", true],
  ["/socket.io/*", "/socket.ios", false],
  ["/files/:path{.+}", "/files/a/b", true],
])("%s and %s: %s [OR-201]", (one, other, expected) => {
  const get = (path: string) => ({ method: "GET", path });
  expect([overlaps(get(one), get(other)), overlaps(get(other), get(one))]).toEqual([expected, expected]);
  expect(overlaps({ method: "POST", path: one }, get(other))).toBe(false);
  expect(overlaps({ method: "*", path: one }, get(other))).toBe(expected);
});

const segment = fc.constantFrom("a", "b", ":x", ":y");
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join("/")}`);

test("two routes overlap exactly when the router gives one request to both", async () => {
  const paths = ["a", "b", "c"].flatMap((a) => [
    a,
    ...["a", "b", "c"].flatMap((b) => [`${a}/${b}`, `${a}/${b}/a`, `${a}/${b}/b`, `${a}/${b}/c`]),
  ]);
  const matches = async (pattern: string, asked: string): Promise<boolean> =>
    (await new Hono().get(pattern, (c) => c.text("")).request(`/${asked}`)).status === 200;
  await fc.assert(
    fc.asyncProperty(path, path, async (one, other) => {
      const both = await Promise.all(paths.map(async (asked) => (await matches(one, asked)) && matches(other, asked)));
      expect(overlaps({ method: "GET", path: one }, { method: "GET", path: other })).toBe(both.includes(true));
    }),
    { numRuns: 50 },
  );
});
