import { expect, test } from "vitest";
import { drawScreen } from "./phone-screen.ts";

test("a frame, the prefix as the state of the call, what it takes on the air", () => {
  expect(drawScreen({ kind: "CON", body: "Welcome\n1. More" }, false)).toEqual([
    "+------------------------------------------+",
    "| Welcome                                  |",
    "| 1. More                                  |",
    "+------------------------------------------+",
    "[in call] 19 characters, 19 of 182 septets",
  ]);
  expect(drawScreen({ kind: "END", body: "Bye" }, false).at(-1)).toBe("[call ended] 7 characters, 7 of 182 septets");
});

test("a long line is folded at a blank, or where there is none at the edge; nothing is lost", () => {
  const [, first, second, third] = drawScreen({ kind: "CON", body: `word ${"x".repeat(90)}` }, false);
  expect([first, second, third].map((line) => line?.slice(2, -2).trimEnd())).toEqual([
    "word",
    "x".repeat(40),
    "x".repeat(40),
  ]);
});

test.each<[string, string, boolean]>([
  ["182 septets", "x".repeat(178), true],
  ["183 septets", "x".repeat(179), false],
  ["80 units", "水".repeat(76), true],
  ["81 units", "水".repeat(77), false],
])("%s with the prefix: does it fit", (_, body, fits) => {
  expect(drawScreen({ kind: "CON", body }, false).at(-1)?.endsWith("DOES NOT FIT")).toBe(!fits);
});

test("colours only where they are wanted; what the server sends controls nothing", () => {
  const reply = { kind: "CON", body: "\u001B[31mred\u0007" } as const;
  const [, shown] = drawScreen(reply, false);
  expect(shown?.trimEnd()).toMatch(/^\| \uFFFD\[31mred\uFFFD +\|$/);
  expect(drawScreen(reply, true).join("\n")).toContain("\u001B[32m[in call]");
});
