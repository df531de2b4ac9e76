import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fill, match, namesIn } from "./screen-template.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const known = new Map([["id", "C1"]]);

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

  test("a text without names matches itself and nothing else", () => {
    const plain = fc
      .string({ unit: "grapheme" })
      .filter((text) => namesIn(text).length === 0 && !text.includes("{...}"));
    fc.assert(
      fc.property(plain, plain, (template, text) => {
        expect(match(template, text, known) !== undefined).toBe(template === text);
        expect(match(template, template, known)).toEqual(new Map());
      }),
      { numRuns },
    );
  });

  test("what was captured fills the template to what was shown", () => {
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

test("fill takes what is known and leaves the rest; names come in order", () => {
  expect(fill("{id} {other} {...}", known)).toBe("C1 {other} {...}");
  expect(namesIn("{id} {...} {other}{id}")).toEqual(["id", "other", "id"]);
});
