import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { wholeNumber } from "./parameters.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const limit = z.object({ limit: wholeNumber({ minimum: 1, fallback: 20, clamp: 100, description: "How many." }) });

test.each([
  [{}, 20],
  [{ limit: "1" }, 1],
  [{ limit: "100" }, 100],
  [{ limit: "101" }, 100],
  [{ limit: "9007199254740991" }, 100],
  [{ limit: "007" }, 7],
])("%j is %d", (query, expected) => {
  expect(limit.parse(query).limit).toBe(expected);
});

test.each(["0", "-1", "1.5", "1e2", "0x10", "", " 1", "+1", "NaN", "ten", "9007199254740992", "9".repeat(20)])(
  "%j is refused",
  (text) => {
    expect(limit.safeParse({ limit: text }).error?.issues).toMatchObject([
      { path: ["limit"], message: "must be a whole number of at least 1" },
    ]);
  },
);

test("a repeated parameter is refused", () => {
  expect(limit.safeParse({ limit: ["1", "2"] }).success).toBe(false);
});

test("every accepted value is within the bounds", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.bigInt().map(String)), (text) => {
      const parsed = limit.safeParse({ limit: text });
      if (!parsed.success) return;
      expect(text).toMatch(/^\d+$/);
      expect(parsed.data.limit).toBeGreaterThanOrEqual(1);
      expect(parsed.data.limit).toBeLessThanOrEqual(100);
    }),
    { numRuns },
  );
});

test("it describes itself as an integer with its default", () => {
  expect(z.toJSONSchema(limit, { io: "input" }).properties?.["limit"]).toMatchObject({
    type: "integer",
    minimum: 1,
    default: 20,
    description: "How many. Values above 100 are read as 100.",
  });
});
