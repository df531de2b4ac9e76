/** JSON schemas as TypeScript. */
import { expect, test } from "vitest";
import { createTypePrinter, type Schema } from "./type-printer.ts";

const { type, declaration } = createTypePrinter((schema) => (schema === "Known" ? "KnownRecord" : undefined));

test.each<[string, Schema, string]>([
  ["words", { type: "string", enum: ["a", "b"] }, `"a" | "b"`],
  ["a constant", { const: true }, "true"],
  ["a number", { type: "integer" }, "number"],
  ["either", { anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
  ["several types", { type: ["string", "null"] }, "string | null"],
  ["a list of either", { type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
  ["an object of anybody", { type: "object", additionalProperties: true }, "JsonObject"],
  ["a map", { type: "object", additionalProperties: { type: "string" } }, "{ readonly [name: string]: string }"],
  ["anything", {}, "unknown"],
  ["a reference", { $ref: "#/$defs/Known" }, "KnownRecord"],
])("%s", (_, schema, text) => {
  expect(type(schema)).toBe(text);
});

test("an object is an interface whose members are read-only and described", () => {
  const schema: Schema = {
    type: "object",
    description: "A thing */ here.",
    properties: { id: { type: "string", description: "Its id." }, "a-b": { type: "boolean" } },
    required: ["id"],
  };
  expect(declaration("Thing", schema)).toBe(
    '/** A thing * / here. */\nexport interface Thing {\n/** Its id. */\nreadonly id: string;\nreadonly "a-b"?: boolean;\n}\n',
  );
});

test("an unsupported schema is an error", () => {
  expect(() => type({ $ref: "#/$defs/Unknown" })).toThrow("has no name");
  expect(() => type({ type: "date" })).toThrow("date");
});
