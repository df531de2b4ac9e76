/** Lines grouped by a common property. */
import { expect, test } from "vitest";
import { createLineGroups, FIRST_LINES, MOST_GROUPS } from "./line-groups.ts";

test("a property of many lines is listed once, with their count and the first of them [CN-230]", () => {
  expect(FIRST_LINES).toBe(5);
  const groups = createLineGroups();
  for (let line = 1; line <= 12_000; line += 1) groups.add(line === 3 ? "no JSON" : "class is required", line);
  expect(groups.list()).toEqual([
    { name: "class is required", count: 11_999, first: [1, 2, 4, 5, 6] },
    { name: "no JSON", count: 1, first: [3] },
  ]);
});

test("the first 100 of endless names are kept and still counted", () => {
  expect(MOST_GROUPS).toBe(100);
  const groups = createLineGroups();
  for (let line = 1; line <= 300; line += 1) groups.add(`reason ${line % 150}`, line);
  const list = groups.list();
  expect(list.length).toBe(100);
  expect(list.every(({ count }) => count === 2)).toBe(true);
});

test("a list that was returned does not change", () => {
  const groups = createLineGroups();
  groups.add("a", 1);
  const before = groups.list();
  groups.add("a", 2);
  expect(before).toEqual([{ name: "a", count: 1, first: [1] }]);
});
