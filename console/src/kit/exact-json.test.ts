/** Numbers of an answer are kept exactly, and everything else equals the result of `JSON.parse`. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { exactNumber, parseExactly, stringifyExactly } from "./exact-json.ts";

test.each([
  "18446744073709551615",
  "-9007199254740993",
  "0.12345678901234567890",
  "1e400",
  "[9007199254740993,1]",
  '{"n":9007199254740993,"text":"a \\"quoted, 9007199254740993"}',
  String.raw`{"a\\":123456789012345678901,"\"":[1.10000000000000000009]}`,
])("%s is written unchanged [CN-160]", (json) => {
  expect(stringifyExactly(parseExactly(json))).toBe(json);
});

test("an answer of 10,000 levels is copied unchanged [CN-160, CN-208]", () => {
  const json = `${'{"a":['.repeat(5_000)}18446744073709551615${"]}".repeat(5_000)}`;
  expect(stringifyExactly(parseExactly(json), 2)).toBe(json);
});

test("only numbers that JavaScript would round are kept as digits", () => {
  expect(parseExactly("[9007199254740992, 12, 1e3, 0.5]")).toEqual([9007199254740992, 12, expect.any(String), 0.5]);
  expect([exactNumber(parseExactly("9007199254740993")), exactNumber("9007199254740993"), exactNumber(1)]).toEqual([
    "9007199254740993",
    undefined,
    undefined,
  ]);
  for (const wrong of [
    '{"n": 90071992547409930, "t": "',
    "[1.2.3.4.5.6.7.8.9.10]",
    "[01234567890123456789]",
    "[9007199254740993e]",
    '{"a":1,9007199254740993:1}',
  ])
    expect(() => parseExactly(wrong)).toThrow(SyntaxError);
});

test("any document equals the result of JSON.parse, whatever its texts contain", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify([12345678901234567890n.toString(), value]).replace('"', "").replace('"', "");
      const [first, rest] = parseExactly(json) as [unknown, unknown];
      expect(exactNumber(first)).toBe("12345678901234567890");
      expect(JSON.parse(stringifyExactly(rest))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) },
  );
});
