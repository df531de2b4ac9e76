/** Which rows a JSON tree shows, at its limits and with unusual JSON pointers. */
import { expect, test } from "vitest";
import { LONG_TEXT, openAtFirst, PART, ROWS_AT_FIRST, rowsOf, SLICE, type TreeState } from "./json-rows.ts";

const closed: TreeState = { open: new Set(), shown: new Map() };
const opened = (...pointers: string[]): TreeState => ({ open: new Set(pointers), shown: new Map() });

test("nothing below a closed node is listed [CN-150]", () => {
  const value = { entities: [{ id: "a" }], pagination: null };
  expect(rowsOf(value, closed).map(({ pointer }) => pointer)).toEqual([""]);
  expect(rowsOf(value, opened("")).map(({ pointer }) => pointer)).toEqual(["", "/entities", "/pagination"]);
  expect(rowsOf(value, opened("", "/entities", "/entities/0")).map(({ pointer }) => pointer)).toEqual([
    "",
    "/entities",
    "/entities/0",
    "/entities/0/id",
    "/pagination",
  ]);
});

test("names are escaped as RFC 6901 says, and a part with an equal name is a separate row [CN-150]", () => {
  const rows = rowsOf({ "a/b": 1, "m~n": 2, "": 3, "#more": 4 }, opened(""));
  expect(rows.map(({ pointer }) => pointer)).toEqual(["", "/a~1b", "/m~0n", "/", "/#more"]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

test("a list shows 100 items, and more on request [CN-150]", () => {
  expect(SLICE).toBe(100);
  const list = (length: number) => Array.from({ length }, (_, index) => index);
  expect(rowsOf(list(100), opened(""))).toHaveLength(101);
  const rows = rowsOf(list(250), opened(""));
  expect(rows).toHaveLength(102);
  expect(rows.at(-1)).toMatchObject({ type: "more", pointer: "", remaining: 150 });
  const more = rowsOf(list(250), { open: new Set([""]), shown: new Map([["", 250]]) });
  expect(more).toHaveLength(251);
  expect(more.at(-1)).toMatchObject({ type: "node", name: "249", position: 250, siblings: 250 });
});

test("a long text opens into parts that join to the whole [CN-150]", () => {
  const fits = "x".repeat(LONG_TEXT);
  expect(rowsOf(fits, opened(""))).toMatchObject([{ canOpen: false }]);
  const text = `${"x".repeat(PART - 1)}😀${"y".repeat(PART)}`;
  const [node, ...parts] = rowsOf(text, opened(""));
  expect(node).toMatchObject({ canOpen: true, isOpen: true, size: text.length });
  const texts = parts.map((row) => (row.type === "part" ? row.text : ""));
  expect(texts.join("")).toBe(text);
  expect(texts[0]?.endsWith("😀")).toBe(true);
});

test("the initially open part is limited, however wide the document [CN-150]", () => {
  const wide = Array.from({ length: 1_000 }, () => Array.from({ length: 90 }, () => ({ a: 1 })));
  const rows = rowsOf(wide, { open: openAtFirst(wide, 5), shown: new Map() });
  expect(rows.length).toBeLessThanOrEqual(ROWS_AT_FIRST + 1);
  expect(openAtFirst({ a: { b: { c: 1 } } }, 2)).toEqual(new Set(["", "/a"]));
  expect(openAtFirst("text", 2)).toEqual(new Set());
  expect(openAtFirst([], 2)).toEqual(new Set());
});
