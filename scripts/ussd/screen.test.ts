import { expect, test } from "vitest";
import { differenceOf, drawScreen } from "./screen.ts";

test("a frame, the state of the call, the size on the network", () => {
  expect(drawScreen({ kind: "CON", body: "Welcome\n1. More" }, false)).toEqual([
    "+------------------------------------------+",
    "| Welcome                                  |",
    "| 1. More                                  |",
    "+------------------------------------------+",
    "[in call] 19 characters, 19 of 182 septets",
  ]);
  expect(drawScreen({ kind: "END", body: "Bye" }, false).at(-1)).toBe("[call ended] 7 characters, 7 of 182 septets");
  expect(drawScreen({ kind: "CON", body: "x".repeat(179) }, false).at(-1)).toMatch(/183 of 182 septets: DOES NOT FIT$/);
  expect(drawScreen({ kind: "CON", body: "水" }, false).at(-1)).toBe("[in call] 5 characters, 5 of 80 UCS-2 units");
});

test("a long line is folded at a blank, or at the edge if there is none; nothing is lost", () => {
  const [, first, second, third] = drawScreen({ kind: "CON", body: `word ${"x".repeat(90)}` }, false);
  expect([first, second, third].map((line) => line?.slice(2, -2).trimEnd())).toEqual([
    "word",
    "x".repeat(40),
    "x".repeat(40),
  ]);
});

test("colours only on request; control characters of the server are replaced", () => {
  const reply = { kind: "CON", body: "\u001B[31mred\u0007" } as const;
  const [, shown] = drawScreen(reply, false);
  expect(shown?.trimEnd()).toMatch(/^\| \uFFFD\[31mred\uFFFD +\|$/);
  expect(drawScreen(reply, true).join("\n")).toContain("\u001B[32m[in call]");
});

const values = new Map([["id", "C1"]]);

test("common lines at both ends, the difference between them", () => {
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

test("trailing blanks are visible, control characters are replaced", () => {
  expect(differenceOf("CON a", "CON a ", values)).toEqual(["- CON a", "+ CON a·"]);
  expect(differenceOf("CON a", "CON \u001B[2J", values)).toEqual(["- CON a", "+ CON \uFFFD[2J"]);
});
