import fc from "fast-check";
import { expect, test } from "vitest";
import { septetsOf, ucs2Limit } from "../../durable-objects/ussd-session/texts/characters.ts";
import { differenceOf, drawScreen, sizeOf } from "./screen.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

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
});

test("a long line is folded at a blank, or where there is none at the edge; nothing is lost", () => {
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

test.each([
  ["CON Hi", { characters: 6, alphabet: "septets", size: 6, limit: 182 }],
  ["CON €[", { characters: 6, alphabet: "septets", size: 8, limit: 182 }],
  ["CON ñ\n", { characters: 6, alphabet: "septets", size: 6, limit: 182 }],
  ["CON 水", { characters: 5, alphabet: "UCS-2 units", size: 5, limit: 80 }],
  ["CON 😀", { characters: 5, alphabet: "UCS-2 units", size: 6, limit: 80 }],
  [`CON ${"x".repeat(179)}`, { characters: 183, alphabet: "septets", size: 183, limit: 182 }],
])("the size of %j", (text, size) => {
  expect(sizeOf(text)).toEqual(size);
});

test("the size is the one that the service counts", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...Array.from("aÉ\n^{}\\[~]|€ç@水")), fc.string({ unit: "binary", maxLength: 1 })),
  });
  fc.assert(
    fc.property(text, (each) => {
      const { alphabet, size, limit } = sizeOf(each);
      const septets = septetsOf(each);
      expect([alphabet, size]).toEqual(septets === undefined ? ["UCS-2 units", each.length] : ["septets", septets]);
      expect(limit).toBe(septets === undefined ? ucs2Limit(182) : 182);
    }),
    { numRuns },
  );
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
