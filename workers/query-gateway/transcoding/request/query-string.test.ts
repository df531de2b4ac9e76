import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery } from "./query.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const LIMIT = 100;

describe("a query [QG-20]", () => {
  test.each([
    ["", []],
    ["a=1&b=2", ["a=1", "b=2"]],
    ["&&a=1&", ["a=1"]],
    ["a", ["a="]],
    ["=v", ["=v"]],
    ["a=b=c", ["a=b=c"]],
    ["a+b=c+d", ["a b=c d"]],
    ["a%2Bb=%26%3D%3B", ["a+b=&=;"]],
    ["m[k]=v", ["m[k]=v"]],
    ["%C3%A9=%E2%82%AC", ["\u00e9=\u20ac"]],
    ["x=?/#", ["x=?/#"]],
  ])("%j", (raw, expected) => {
    const parsed = parseQuery(raw, LIMIT);
    expect(parsed.ok && parsed.value.map(({ name, value }) => `${name}=${value}`)).toEqual(expected);
  });

  test.each(["a=b;c", ";", "a=%zz", "a=%", "a=%2", "%ff=1", "a=%c3%28", "a=%ed%a0%80"])("refused: %j", (raw) => {
    expect(parseQuery(raw, LIMIT)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  });

  test("never throws, and gives back what was encoded", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), fc.string({ unit: "binary" }), (pairs, noise) => {
        expect(parseQuery(noise, LIMIT).ok).toBeTypeOf("boolean");
        const raw = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        const expected = pairs.map(([name, value]) => ({ name, value }));
        expect(parseQuery(raw, LIMIT)).toEqual({ ok: true, value: expected });
      }),
      { numRuns },
    );
  });
});
