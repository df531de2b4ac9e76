import { expect, test } from "vitest";
import { differenceOf } from "./screen-difference.ts";

const values = new Map([["id", "C1"]]);

test("what both ends share stays, what differs stands between", () => {
  expect(differenceOf("CON Hello\nId {id}\nx\n0. Back", "CON Hello\nId C2\n0. Back", values)).toEqual([
    "  CON Hello",
    "- Id C1",
    "- x",
    "+ Id C2",
    "  0. Back",
  ]);
});

test("a shorter and a longer screen", () => {
  expect(differenceOf("CON a\nb", "CON a\nb\nb", values)).toEqual(["  CON a", "  b", "+ b"]);
  expect(differenceOf("CON a\nb", "END c", values)).toEqual(["- CON a", "- b", "+ END c"]);
});

test("blanks at an end are seen, control characters do nothing", () => {
  expect(differenceOf("CON a", "CON a ", values)).toEqual(["- CON a", "+ CON a·"]);
  expect(differenceOf("CON a", "CON \u001B[2J", values)).toEqual(["- CON a", "+ CON \uFFFD[2J"]);
});
