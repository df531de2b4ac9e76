import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fill, literal, match, namesIn } from "./flow-template.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const known = new Map([["id", "C1"]]);
const pieces = fc.array(fc.constantFrom("{id}", "{new}", "{...}", "{", "}", "C1", "a.b", "*", "\n", "$", "(x)"), {
  maxLength: 8,
});
const text = pieces.map((parts) => parts.join(""));

describe("match", () => {
  test.each<[string, string, object | undefined]>([
    ["Hello", "Hello", {}],
    ["Hello", "Hello ", undefined],
    ["Id: {new}\nSave it", "Id: C99\nSave it", { new: "C99" }],
    ["Id: {new}.", "Id: \n.", undefined],
    ["Id: {new}.", "Id: a\nb.", undefined],
    ["{new} and {new}", "a and a", { new: "a" }],
    ["{new} and {new}", "a and b", undefined],
    ["Id: {id}", "Id: C1", {}],
    ["Id: {id}", "Id: C2", undefined],
    ["A{...}Z", "A\n\nZ", {}],
    ["A{...}Z", "AZ", {}],
    ["{not a name} {1}", "{not a name} {1}", {}],
    ["a.c (x)*", "abc (x)*", undefined],
  ])("%j on %j", (template, text, found) => {
    const values = match(template, text, known);
    expect(values && Object.fromEntries(values)).toEqual(found);
  });

  test("captured values fill the template to an equal text", () => {
    const value = fc.string({ minLength: 1 }).filter((text) => !text.includes("\n"));
    fc.assert(
      fc.property(value, (shown) => {
        const text = `Your Customer ID: ${shown}\nSave`;
        const found = match("Your Customer ID: {customerId}\nSave", text, known);
        expect(found && fill("Your Customer ID: {customerId}\nSave", found)).toBe(text);
      }),
      { numRuns },
    );
  });
});

test("fill replaces known names and keeps the rest; names are in order", () => {
  expect(fill("{id} {other} {...}", known)).toBe("C1 {other} {...}");
  expect(namesIn("{id} {...} {other}{id}")).toEqual(["id", "other", "id"]);
});

test("a literal screen has no names and matches itself", () => {
  fc.assert(
    fc.property(text, (screen) => {
      expect(namesIn(literal(screen))).toEqual([]);
      expect(match(literal(screen), screen, known)).toBeDefined();
    }),
    { numRuns },
  );
  expect(literal("Pay {amount} now")).toBe("Pay {...} now");
});

test("no template takes long, whatever it contains [CN-102]", () => {
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
