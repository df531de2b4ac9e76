/** The type names, compared with the types that the registry knows. */
import { expect, test } from "vitest";
import { knownTypes, typeKeyOf } from "../../../workers/registry/domain/known-types.ts";
import { typeName } from "./domain-types.ts";

test.each(knownTypes)("$type has a name, in each of its spellings [CN-232]", ({ type, aliases }) => {
  const name = typeName(type);
  expect(name).toMatch(/^[A-Z][^/]+$/);
  for (const spelling of [type.toLowerCase(), type.toUpperCase(), ...aliases]) expect(typeName(spelling)).toBe(name);
});

test("no two types have one name, and the names are in the order of the types [CN-232]", () => {
  const sorted = knownTypes.map(({ type }) => type).toSorted((a, b) => (typeKeyOf(a) < typeKeyOf(b) ? -1 : 1));
  const names = sorted.map((type) => typeName(type).toLowerCase());
  expect(new Set(names).size).toBe(knownTypes.length);
  expect(names).toEqual(names.toSorted());
});

test.each(["Cook stove", "asset/", "constructor", "__proto__", ""])(
  "the unknown type %j is shown unchanged [CN-232]",
  (type) => {
    expect(typeName(type)).toBe(type);
  },
);
