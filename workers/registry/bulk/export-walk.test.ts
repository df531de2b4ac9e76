/** How much an export has in memory: a page, whatever the domains are like. */
import { expect, test } from "vitest";
import { nextLimit } from "./export-walk.ts";

const pagesOf = (bytesEach: number) => {
  const limits = [25];
  for (let page = 0; page < 10; page += 1) {
    const limit = limits.at(-1) ?? 0;
    limits.push(nextLimit(limit, limit * bytesEach));
  }
  return limits;
};

test("small domains come many at once, up to a bound", () => {
  expect(pagesOf(1_000)).toEqual([25, 50, 100, 100, 100, 100, 100, 100, 100, 100, 100]);
});

test("large ones come few at once, and one at least", () => {
  expect(pagesOf(200_000).slice(-1)).toEqual([2]);
  expect(pagesOf(10_000_000).slice(-1)).toEqual([1]);
});

test("a page that is neither too small nor too large stays as it is", () => {
  expect(nextLimit(40, 300 * 1024)).toBe(40);
});
