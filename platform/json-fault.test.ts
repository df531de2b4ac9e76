/** The place where a text stops being JSON, compared with the runtime's own parser. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedMember, jsonFault } from "./json.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

test.each([
  ["", "line 1, column 1: expected a value"],
  ["{", "line 1, column 2: expected a name in double quotes or }"],
  ["{a:1}", "line 1, column 2: expected a name in double quotes or }"],
  ['{"a" 1}', "line 1, column 6: expected :"],
  ['{"a":1,}', "line 1, column 8: expected a name in double quotes"],
  ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expected , or }"],
  ["[1 2]", "line 1, column 4: expected , or ]"],
  ["[1,]", "line 1, column 4: expected a value"],
  ["{} {}", "line 1, column 4: expected nothing more"],
  ['{"a":"x', 'line 1, column 8: expected the closing "'],
  ['["\\x"]', "line 1, column 3: expected an escape such as \\n or \\u00e9"],
  ['["a\nb"]', "line 1, column 4: expected \\ escapes instead of control characters in a string"],
  ["[01]", "line 1, column 3: expected , or ]"],
  ["{'a':1}", "line 1, column 2: expected a name in double quotes or }"],
  ["nul", "line 1, column 1: expected a value"],
])("%j: %s", (text, fault) => {
  expect(() => JSON.parse(text)).toThrow(/JSON/);
  expect(jsonFault(text)).toBe(fault);
});

test("a text has a fault exactly if the runtime cannot parse it", () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", ",", "}", "]", '"', "\\", ":", "\n", "1", "x", "\u00a0"),
      fc.boolean(),
    )
    .map(([text, place, piece, replaces]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + piece + text.slice(replaces ? at + 1 : at);
    });
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => {
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      expect(jsonFault(text) === undefined).toBe(parses);
    }),
    { numRuns: numRuns * 10 },
  );
});

test("handles any depth and length", () => {
  expect(jsonFault("[".repeat(200_000))).toBe("line 1, column 200001: expected a value or ]");
  expect(jsonFault(`"${"x".repeat(1_000_000)}`)).toMatch(/column 1000002: expected the closing/);
});

test.each([
  ['{"weight":1,"weight":5}', "line 1, column 13: expected a name that this object does not have yet"],
  ['{"a":{"b":1},\n "c":[{"b":2,"b":2}]}', "line 2, column 14: expected a name that this object does not have yet"],
  ['{"a":1,"\\u0061":2}', "line 1, column 8: expected a name that this object does not have yet"],
  ['{"__proto__":1,"__proto__":2}', "line 1, column 16: expected a name that this object does not have yet"],
])("%j names a member twice: %s [RG-196]", (text, place) => {
  expect(repeatedMember(text, JSON.parse(text))).toBe(place);
});

test("no serialised JSON names a member twice, whatever its texts contain", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = JSON.stringify(value, null, 1);
      expect(repeatedMember(text, JSON.parse(text))).toBeUndefined();
    }),
    { numRuns: numRuns * 5 },
  );
  const long = JSON.stringify({ text: '\\":{}"'.repeat(50_000), more: "x".repeat(500_000) });
  expect(repeatedMember(long, JSON.parse(long))).toBeUndefined();
});
