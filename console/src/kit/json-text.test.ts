/** JSON of any depth. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isDeeperThan, jsonText, USUAL_DEPTH } from "./json-text.ts";

const nested = (levels: number, inside = ""): string => "[".repeat(levels) + inside + "]".repeat(levels);

test("a value is deeper than one less than its number of levels [CN-208]", () => {
  for (const [value, levels] of [
    ["[]", 0],
    [[], 1],
    [{ a: 1, b: [{ c: null }] }, 3],
  ] as const)
    expect([isDeeperThan(levels, value), levels > 0 && isDeeperThan(levels - 1, value)]).toEqual([false, levels > 0]);
});

test("up to the usual depth, it is indented; beyond that, it is one line, even at 10,000 levels [CN-208]", () => {
  expect(jsonText(JSON.parse(nested(USUAL_DEPTH)), 2)).toContain("\n  [");
  for (const levels of [USUAL_DEPTH + 1, 10_000]) {
    const text = nested(levels, '{"a":[1,"\\"",null],"__proto__":{}},true');
    expect(jsonText(JSON.parse(text), 2)).toBe(text);
  }
});

test("any value equals the output of JSON.stringify, at any depth [CN-208]", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(jsonText(JSON.parse(nested(USUAL_DEPTH + 1, json)))).toBe(nested(USUAL_DEPTH + 1, json));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});
