/** Equality of JSON values. */
import { expect, test } from "vitest";
import { sameJson } from "./same-json.ts";

test("values that differ in the order of their members are equal, lists in another order are not", () => {
  expect(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson({ a: undefined }, { b: undefined })).toBe(false);
  expect(sameJson([], {})).toBe(false);
});

test("values of 10,000 levels are compared completely [CN-208]", () => {
  const nested = (last: number): unknown => JSON.parse(`${'[{"a":'.repeat(5_000)}${last}${"}]".repeat(5_000)}`);
  expect([sameJson(nested(1), nested(1)), sameJson(nested(1), nested(2))]).toEqual([true, false]);
});

test("a member is compared by its own value, whatever its name [CN-181]", () => {
  for (const text of ['{"__proto__":{}}', '{"constructor":{}}', '{"toString":1}']) {
    expect([text, sameJson(JSON.parse(text), { a: 1 })]).toEqual([text, false]);
    expect([text, sameJson(JSON.parse(text), JSON.parse(text))]).toEqual([text, true]);
  }
});
