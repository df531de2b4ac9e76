/** Types and their keys. */
import { expect, test } from "vitest";
import { knownTypes, typeKeyOf } from "./known-types.ts";

test.each([
  ["Organisation", "organisation"],
  [" ORGANIZATION ", "organisation"],
  ["asset/Device", "asset/device"],
  ["Caf\u0065\u0301", "caf\u00e9"],
  ["İ", "i̇"],
])("compares %j as %j [RG-40]", (type, key) => {
  expect(typeKeyOf(type)).toBe(key);
});

test("every known type has its own key, and no alias is the name of another type", () => {
  const keys = knownTypes.map(({ type }) => typeKeyOf(type));
  expect(new Set(keys).size).toBe(knownTypes.length);
  for (const { type, aliases } of knownTypes) {
    for (const alias of aliases) {
      expect(typeKeyOf(alias)).toBe(typeKeyOf(type));
      expect(keys).not.toContain(alias);
    }
  }
});
