import { expect, test } from "vitest";
import { fieldsOf } from "./question-fields.ts";

const form = (properties: object, required: readonly string[] = []) =>
  fieldsOf({ args: { server: "Calendar", message: "When?", schema: { type: "object", properties, required } } });

test("a server's schema becomes fields with their labels, kinds and initial values [CN-135]", () => {
  const { server, message, fields, url } = form(
    {
      day: { type: "string", format: "date", title: "Day", description: "From tomorrow on." },
      at: { type: "string", format: "date-time" },
      guests: { type: "integer", minimum: 1, maximum: 8, default: 2 },
      lunch: { type: "boolean", default: true },
      room: { type: "string", enum: ["a", "b"], enumNames: ["Room A", "Room B"] },
      toString: { type: "string", format: "constructor" },
    },
    ["day"],
  );
  expect([server, message, url]).toEqual(["Calendar", "When?", undefined]);
  expect(fields.map(({ label, type, isRequired, initial }) => [label, type, isRequired, initial])).toEqual([
    ["Day", "date", true, []],
    ["at", "datetime", false, []],
    ["guests", "integer", false, ["2"]],
    ["lunch", "yes", false, ["true"]],
    ["room", "one", false, []],
    ["toString", "text", false, []],
  ]);
  expect(fields[0]?.hint).toBe("From tomorrow on.");
  expect(fields[2]?.bounds).toEqual({ least: 1, most: 8 });
  expect(fields[4]?.choices).toEqual([
    { value: "a", label: "Room A" },
    { value: "b", label: "Room B" },
  ]);
});

test("choices have their titles, for single and multiple selection [CN-135]", () => {
  const titled = [{ const: "r", title: "Red" }, { const: "b" }];
  const { fields } = form({
    one: { type: "string", oneOf: titled },
    several: { type: "array", items: { anyOf: titled }, maxItems: 1, default: ["b"] },
    plain: { type: "array", items: { type: "string", enum: ["x"] } },
  });
  const choices = [
    { value: "r", label: "Red" },
    { value: "b", label: "b" },
  ];
  expect(fields.map(({ type, choices: shown }) => [type, shown])).toEqual([
    ["one", choices],
    ["several", choices],
    ["several", [{ value: "x", label: "x" }]],
  ]);
  expect(fields[1]).toMatchObject({ initial: ["b"], bounds: { least: undefined, most: 1 } });
});

test("a page to open must use https [CN-135]", () => {
  expect(fieldsOf({ args: { url: "https://pay.example/1" } }).url).toBe("https://pay.example/1");
  for (const url of ["javascript:alert(1)", "https://", "https://a b"])
    expect([url, fieldsOf({ args: { url } }).url]).toEqual([url, undefined]);
});

test("no field name or value breaks the page [CN-182]", () => {
  const hostile = { toString: 1, valueOf: 1 };
  const { fields } = form({
    setAttribute: { type: "string", default: hostile },
    "": { enum: [hostile], oneOf: [{ const: hostile }] },
    several: { type: "array", items: { enum: [hostile] }, default: [hostile] },
    deep: { enum: [JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)] },
  });
  expect(fields.map(({ control }) => control)).toEqual(["answer-0", "answer-1", "answer-2", "answer-3"]);
  expect(fields[0]?.initial).toEqual([JSON.stringify(hostile)]);
});
