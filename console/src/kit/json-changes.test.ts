/** Which parts of a change are shown. */
import { expect, test } from "vitest";
import { placeWords } from "../api/json-pointer.ts";
import { innermostChanges } from "./json-changes.ts";

const changesOf = (from: unknown, to: unknown) => innermostChanges([{ path: "", from, to }]);

test("a change shows only the differing members, whatever their order [CN-65]", () => {
  const from = {
    name: "Stove",
    place: { city: "Kigali", zone: 1 },
    size: { b: 1, a: [{ c: 1, d: 2 }] },
    old: { x: 1 },
  };
  const to = { size: { a: [{ d: 2, c: 1 }], b: 1 }, place: { zone: 1, city: "Lusaka" }, "a/b": 2, name: "Stove" };
  expect(innermostChanges([{ path: "/metadata", from, to }])).toEqual([
    { path: "/metadata/place/city", from: "Kigali", to: "Lusaka" },
    { path: "/metadata/old", from: { x: 1 } },
    { path: "/metadata/a~1b", to: 2 },
  ]);
});

test("null in an object is a value, and a change of type is one change", () => {
  expect(changesOf({ a: null, b: { c: 1 }, d: [] }, { b: "x", d: {} })).toEqual([
    { path: "/a", from: null },
    { path: "/b", from: { c: 1 }, to: "x" },
    { path: "/d", from: [], to: {} },
  ]);
});

test("a creation shows the set members, without empty lists and objects; a removal shows the former ones", () => {
  const document = { service: [], context: ["https://x.example"], place: { city: "Kigali" } };
  const set = [
    { path: "/document/context", to: ["https://x.example"] },
    { path: "/document/place", to: { city: "Kigali" } },
  ];
  const gone = set.map(({ path, to }) => ({ path, from: to }));
  expect(innermostChanges([{ path: "/document", from: null, to: document }])).toEqual(set);
  expect(innermostChanges([{ path: "/document", from: document, to: null }])).toEqual(gone);
  expect(innermostChanges([{ path: "/credentials", from: null, to: [] }])).toEqual([]);
  expect(innermostChanges([{ path: "/externalId", from: null, to: "7" }])).toEqual([{ path: "/externalId", to: "7" }]);
});

test("items are compared by their ids, or as texts, and a new order of the remaining items is a change [CN-93]", () => {
  const hive = (id: string, bees: number) => ({ id, bees });
  expect(changesOf([hive("a", 1), hive("b", 2), hive("c", 3)], [hive("c", 3), hive("a", 9), hive("d", 4)])).toEqual([
    { path: "/a/bees", from: 1, to: 9 },
    { path: "/b", from: hive("b", 2) },
    { path: "/d", to: hive("d", 4) },
    { path: "", from: ["a", "c"], to: ["c", "a"], isOrder: true },
  ]);
  expect(changesOf(["bees", "honey"], ["bees", "wax", "honey"])).toEqual([{ path: "/wax", to: "wax" }]);
  expect(changesOf(["bees", "honey"], ["honey", "bees"])).toEqual([
    { path: "", from: ["bees", "honey"], to: ["honey", "bees"], isOrder: true },
  ]);
});

test("items without unique names are compared by position between the first and the last difference", () => {
  expect(changesOf([1, 2], [1, 3, 4])).toEqual([
    { path: "/1", from: 2, to: 3 },
    { path: "/2", to: 4 },
  ]);
  expect(changesOf(["a", "a"], ["a", "b"])).toEqual([{ path: "/1", from: "a", to: "b" }]);
  expect(changesOf([{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 0 }, { a: 1 }, { a: 2 }, { a: 3 }])).toEqual([
    { path: "/0", to: { a: 0 } },
  ]);
  expect(changesOf([1, 1, 1], [1, 1])).toEqual([{ path: "/2", from: 1 }]);
});

test("a member named like an inherited one is added and removed like any other [CN-181]", () => {
  const from: unknown = JSON.parse('{"b":1,"constructor":"x","__proto__":{"y":1},"list":["__proto__"]}');
  const to: unknown = JSON.parse('{"b":1,"__proto__":{"y":2},"list":[]}');
  expect(changesOf(from, to)).toEqual([
    { path: "/constructor", from: "x" },
    { path: "/__proto__/y", from: 1, to: 2 },
    { path: "/list/__proto__", from: "__proto__" },
  ]);
});

test("each change has its own place, whatever characters its names have [CN-181]", () => {
  const from = { "a/b": 1, a: { b: 1 }, "~1": 1 };
  const to = { "a/b": 2, a: { b: 2 }, "~1": 2 };
  const paths = changesOf(from, to).map(({ path }) => path);
  expect(paths).toEqual(["/a~1b", "/a/b", "/~01"]);
  expect(paths.map(placeWords)).toEqual(["a/b", "a › b", "~1"]);
});

test("values of 10,000 levels are one change below the usual depth [CN-208]", () => {
  const nested = (last: number): unknown => JSON.parse(`${'[{"a":'.repeat(5_000)}${last}${"}]".repeat(5_000)}`);
  expect(changesOf(nested(1), nested(1))).toEqual([]);
  expect(changesOf(nested(1), nested(2)).map(({ path }) => path.split("/").length)).toEqual([65]);
});

test("a megabyte in which every item differs is compared item by item", () => {
  const items = (value: number) =>
    Array.from({ length: 5_000 }, (_, at) => ({ text: "A".repeat(40), place: { at, value: value + at } }));
  const named = (value: number) => items(value).map((item, at) => ({ ...item, id: `item ${at}` }));
  const changes = changesOf({ places: items(0), names: named(0) }, { places: items(1), names: named(1).toReversed() });
  expect(changes).toHaveLength(10_001);
});
