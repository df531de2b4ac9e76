import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fill, match, namesIn, readFlows, stepsOf } from "./flow-file.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const known = new Map([["id", "C1"]]);

const step = "steps:\n      - dial:\n        expect: CON W";

test("scalars are texts, so PINs and 00 need no quotes; a flow runs after another", () => {
  const file = readFlows(`mode: latest
flows:
  - name: first
    ${step}
      - input: 00
        expect: |-
          CON Line
          12345
  - name: second
    after: first
    given: [customerId]
    ${step}
`);
  if (file instanceof Error) throw file;
  expect(file.mode).toBe("latest");
  expect(file.flows[0]?.steps).toEqual([
    { dial: "", expect: "CON W" },
    { input: "00", expect: "CON Line\n12345" },
  ]);
  const [first, second] = file.flows;
  if (first === undefined || second === undefined) throw new Error("two flows");
  expect(second.given).toEqual(["customerId"]);
  expect(stepsOf(file, second).map(({ flow, number }) => [flow, number])).toEqual([
    ["first", 1],
    ["first", 2],
    ["second", 1],
  ]);
});

test.each<[string, string, RegExp]>([
  ["invalid YAML", "flows: [", /flow/i],
  ["no flows", "flows: []", /flows/],
  ["nothing", "", /expected object/i],
  ["a step without expect", "flows:\n  - name: x\n    steps:\n      - input: 1", /flows\.0\.steps\.0: a step has/],
  ["a step with both", "flows:\n  - name: x\n    steps:\n      - {input: 1, dial: 1, expect: CON}", /a step has/],
  ["a dial that waits", "flows:\n  - name: x\n    steps:\n      - {dial: 1, while: [CON], expect: CON}", /"while"/],
  ["an unknown key", `flows:\n  - name: x\n    befor: y\n    ${step}`, /befor/],
  ["an unknown mode", `mode: all\nflows:\n  - name: x\n    ${step}`, /mode/],
  ["two of a name", `flows:\n  - name: x\n    ${step}\n  - name: x\n    ${step}`, /two flows are called "x"/],
  ["after itself", `flows:\n  - name: x\n    after: x\n    ${step}`, /"x" comes after "x"/],
  ["after a later one", `flows:\n  - name: x\n    after: y\n    ${step}\n  - name: y\n    ${step}`, /not above it/],
])("%s is reported in one sentence", (_, text, message) => {
  const read = readFlows(text);
  expect(read).toBeInstanceOf(Error);
  expect((read as Error).message).toMatch(message);
});

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

  test("captured values fill the template to the same text", () => {
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

test("fill replaces known names and leaves the rest; names come in order", () => {
  expect(fill("{id} {other} {...}", known)).toBe("C1 {other} {...}");
  expect(namesIn("{id} {...} {other}{id}")).toEqual(["id", "other", "id"]);
});
