/** The filters of the list in its address, as a request and as chips. */
import { expect, test } from "vitest";
import {
  chipsOf,
  firstPage,
  isFiltered,
  listDefaults,
  nextPage,
  previousPage,
  queryOf,
  REMEMBERED_PAGES,
  withoutFilters,
  type ListState,
} from "./list-filters.ts";

const state = (changed: Partial<ListState> = {}): ListState => ({ ...listDefaults, ...changed });

test("an address without filters requests the first 20, counted", () => {
  expect(queryOf(state())).toEqual({ limit: 20, count: "true" });
});

test("every filter of the address is in the request under the registry's own name", () => {
  const filters = {
    q: " stove ",
    type: ["Project", "Asset"],
    verificationStatus: ["Verified"],
    createdFrom: "2026-01-01",
    sort: "name",
    cursor: "abc",
  };
  expect(queryOf(state({ ...filters, limit: "50" }))).toEqual({ ...filters, q: "stove", limit: 50, count: "true" });
});

test.each([
  ["100", 100],
  ["101", 20],
  ["5000", 20],
  ["x", 20],
])("a page size of %s in an address is %i rows: at most 100 [CN-61]", (limit, rows) => {
  expect(queryOf(state({ limit })).limit).toBe(rows);
});

test("each value of a filter is a chip that removes it and restarts the list", () => {
  const chips = chipsOf(state({ type: ["Project", "Asset"], validAt: "2026-01-01", cursor: "c", page: "3" }));
  expect(chips.map(({ name, value }) => [name, value])).toEqual([
    ["type", "Project"],
    ["type", "Asset"],
    ["validAt", "2026-01-01"],
  ]);
  expect(chips[0]?.without).toEqual({ ...firstPage, type: ["Asset"] });
  expect(chips[2]?.without).toEqual({ ...firstPage, validAt: "" });
});

test("a search alone is a filter, and removing all filters leaves none", () => {
  const searched = state({ q: "x", owner: ["did:web:a"], updatedTo: "2026-01-01" });
  expect(isFiltered(state({ q: "x" }))).toBe(true);
  expect(isFiltered({ ...searched, ...withoutFilters })).toBe(false);
});

test("the previous page is known for the last few pages", () => {
  let at = state();
  for (let page = 2; page <= REMEMBERED_PAGES + 3; page += 1) at = { ...at, ...nextPage(at, `cursor-${page}`) };
  expect([at.page, at.cursor, at.before.length]).toEqual(["11", "cursor-11", REMEMBERED_PAGES]);
  const back = previousPage(at);
  expect(back).toMatchObject({ page: "10", cursor: "cursor-10" });
  for (let step = 0; step < REMEMBERED_PAGES; step += 1) at = { ...at, ...previousPage(at) };
  expect([at.page, previousPage(at)]).toEqual(["3", undefined]);
});

test("back on the first page, there is neither a cursor nor a previous page", () => {
  const second = { ...state(), ...nextPage(state(), "c2") };
  expect(previousPage(second)).toEqual({ cursor: "", before: [], page: "1" });
  expect(previousPage(state())).toBeUndefined();
});
