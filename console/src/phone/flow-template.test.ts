/** A recorded screen means here what it means to `npm run ussd`. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as terminal from "../../../scripts/ussd/flow-file.ts";
import { match } from "./flow-match.ts";
import { fill, literal, namesIn } from "./flow-template.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const known = new Map([["id", "C1"]]);
const pieces = fc.array(fc.constantFrom("{id}", "{new}", "{...}", "{", "}", "C1", "a.b", "*", "\n", "$", "(x)"), {
  maxLength: 8,
});
const text = pieces.map((parts) => parts.join(""));

test("names, filling and matching are those of the terminal's phone", () => {
  fc.assert(
    fc.property(text, text, (template, screen) => {
      expect(namesIn(template)).toEqual(terminal.namesIn(template));
      expect(fill(template, known)).toBe(terminal.fill(template, known));
      expect(match(template, screen, known)).toEqual(terminal.match(template, screen, known));
    }),
    { numRuns },
  );
});

test("a literal screen has no names and still means itself", () => {
  fc.assert(
    fc.property(text, (screen) => {
      expect(namesIn(literal(screen))).toEqual([]);
      expect(match(literal(screen), screen, known)).toBeDefined();
    }),
    { numRuns },
  );
  expect(literal("Pay {amount} now")).toBe("Pay {...} now");
});

test("no template takes long, whatever it holds [CN-102]", () => {
  const screen = `${"a".repeat(170)}\n${"a".repeat(10)}`;
  const hostile = [
    `${"{...}a".repeat(80)}!`,
    `${"{...}{...}".repeat(50_000)}!`,
    Array.from("bcdefghijklmnopqrstuvwxyz")
      .map((name) => `{${name}}`)
      .join("a{...}") + "!",
    `{x}{x}${"{...}{x}".repeat(40)}!`,
    `${Array.from("bcdefghijkl")
      .map((name) => `{${name}}{${name}}`)
      .join("")}!`,
    "{...}".repeat(3) + "a".repeat(900_000),
    "a{...}".repeat(100_000),
  ];
  const long = `${"x".repeat(1_900)}Zy`;
  for (const template of ["{a}{b}Z{a}{...}", "{c}{a}{b}Z{c}{...}", "{c}{a}{...}{b}Z{c}{...}"])
    expect(match(template, long, new Map())).toBeUndefined();
  for (const template of hostile) expect(match(template, screen, new Map())).toBeUndefined();
});
