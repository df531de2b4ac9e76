/** The limits of a tab's history. */
import { expect, test } from "vitest";
import { KEPT, openQueryHistory, type AskedQuery } from "./query-history.ts";

function memory(initial?: string) {
  let kept = initial ?? null;
  return {
    kept: () => kept,
    getItem: () => kept,
    setItem: (_name: string, value: string) => void (kept = value),
    removeItem: () => void (kept = null),
  };
}

const asked = (search: string): AskedQuery => ({
  search,
  method: "GET",
  target: "/a",
  status: 200,
  duration: 1,
  at: 1,
});

test("the newest 50 queries are kept, each once, newest first [CN-157]", () => {
  expect(KEPT).toBe(50);
  const storage = memory();
  const history = openQueryHistory(storage);
  for (let index = 0; index < 51; index += 1) history.add(asked(`path=${index}`));
  history.add(asked("path=30"));
  const searches = history.read().map(({ search }) => search);
  expect(searches).toHaveLength(50);
  expect(searches.slice(0, 3)).toEqual(["path=30", "path=50", "path=49"]);
  expect(searches).not.toContain("path=0");
  expect(openQueryHistory(storage).read()).toEqual(history.read());
});

test("an address of over 4000 characters is not stored, and a cleared history leaves nothing [CN-157]", () => {
  const storage = memory();
  const history = openQueryHistory(storage);
  history.add(asked("x".repeat(4_001)));
  expect(history.read()).toEqual([]);
  history.add(asked("x".repeat(4_000)));
  expect(history.read()).toHaveLength(1);
  history.clear();
  expect(storage.kept()).toBeNull();
});

test.each(["{", "7", "null"])("a damaged history (%s) is replaced [CN-157]", (text) => {
  expect(openQueryHistory(memory(text)).read()).toEqual([]);
});
