import * as fc from "fast-check";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { covers, isReachable, overlaps } from "./route-overlap.ts";

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

test.each([
  "/",
  "/weather",
  "/weather/:city",
  "/weather/:city?",
  "/files/:path{.+}",
  "/files/*",
  "/.well-known/x-y_z~1",
])("a request can match %s [OR-201]", (path) => {
  expect(isReachable(path)).toBe(true);
});

test.each([
  "weather",
  "",
  "/weather/",
  "/weather//today",
  "/weather/{city}",
  "/weather?days=1",
  "/weather#today",
  "/weather/:city?/days",
  "/files/*/x",
  "/two words",
  "/weather/:",
])("no request matches %s [OR-201]", (path) => {
  expect(isReachable(path)).toBe(false);
});

test.each<[string, string, boolean]>([
  ["/a/:x", "/a/b", true],
  ["/a/b", "/a/:x", false],
  ["/a/:x", "/a/:y", true],
  ["/a/:x?", "/a", true],
  ["/a", "/a/:x?", false],
  ["/a/*", "/a/b/c", true],
  ["/a/*", "/a", true],
  ["/a/:x", "/a/:path{.+}", false],
  ["/a/:path{.+}", "/a/:path{.+}", true],
  ["/:x/b", "/a/:y", false],
])("%s covers %s: %s [OR-201]", (one, other, expected) => {
  const get = (path: string) => ({ method: "GET", path });
  expect(covers(get(one), get(other))).toBe(expected);
  expect(covers({ method: "POST", path: one }, get(other))).toBe(false);
});

const segment = fc.constantFrom("a", "b", ":x", ":y");
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join("/")}`);

test("two routes overlap if the router matches one request to both, and one covers the other if it matches all of its requests [OR-201]", async () => {
  const paths = ["a", "b", "c"].flatMap((a) => [
    a,
    ...["a", "b", "c"].flatMap((b) => [`${a}/${b}`, `${a}/${b}/a`, `${a}/${b}/b`, `${a}/${b}/c`]),
  ]);
  const matches = async (pattern: string, asked: string): Promise<boolean> =>
    (await new Hono().get(pattern, (c) => c.text("")).request(`/${asked}`)).status === 200;
  await fc.assert(
    fc.asyncProperty(path, path, async (one, other) => {
      const routes = [
        { method: "GET", path: one },
        { method: "GET", path: other },
      ] as const;
      const asked = await Promise.all(
        paths.map(async (path) => [await matches(one, path), await matches(other, path)] as const),
      );
      expect(overlaps(...routes)).toBe(asked.some(([first, second]) => first && second));
      expect(covers(...routes)).toBe(asked.every(([first, second]) => first || !second));
    }),
    { numRuns: 50 },
  );
});
