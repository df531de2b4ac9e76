/** What of a change is shown. */
import { expect, test } from "vitest";
import { leafChanges } from "./leaf-changes.ts";

test("a change of an object shows the members that differ, and nothing else [CN-65]", () => {
  const from = { name: "Stove", place: { city: "Kigali", zone: 1 }, tags: ["a"] };
  const to = { name: "Stove", place: { city: "Lusaka", zone: 1 }, "a/b": 2, tags: ["a", "b"] };
  expect(leafChanges([{ path: "/metadata", from, to }])).toEqual([
    { path: "/metadata/place/city", from: "Kigali", to: "Lusaka" },
    { path: "/metadata/tags", from: ["a"], to: ["a", "b"] },
    { path: "/metadata/a~1b", from: null, to: 2 },
  ]);
});

test("a creation shows what was set, without lists and objects that are empty", () => {
  const document = { service: [], context: ["https://x.example"] };
  expect(leafChanges([{ path: "/document", from: null, to: document }])).toEqual([
    { path: "/document/context", from: null, to: ["https://x.example"] },
  ]);
  expect(leafChanges([{ path: "/credentials", from: null, to: [] }])).toEqual([]);
});

test("a member that turns from an object into a text is one change", () => {
  expect(leafChanges([{ path: "/a", from: { b: 1 }, to: "x" }])).toEqual([{ path: "/a", from: { b: 1 }, to: "x" }]);
});

test("a member that every object has comes and goes as any other [CN-181]", () => {
  const from: unknown = JSON.parse('{"b":1,"constructor":"x","__proto__":{"y":1}}');
  expect(leafChanges([{ path: "", from, to: { b: 1 } }])).toEqual([
    { path: "/constructor", from: "x", to: null },
    { path: "/__proto__/y", from: 1, to: null },
  ]);
});
