/**
 * Validates a body in the browser with the schema that the server publishes for it (`forms/*.json`). Each problem has a JSON
 * pointer and a sentence, like the server's problems. The server also checks rules that a schema cannot express.
 */
import { Validator } from "@cfworker/json-schema";
import { formTexts } from "../texts/kit.ts";
import { grouped } from "../texts/number.ts";
import type { FieldProblem } from "./api-failure.ts";
import { namesIn, stepOf } from "./json-pointer.ts";

const pattern = (pattern: string) => {
  if (pattern.includes("did:")) return "Enter a DID, such as did:web:example.org.";
  if (pattern.includes(String.raw`\d{4}`)) return "Enter a date or time, such as 2027-01-31 or 2027-01-31T12:00:00Z.";
  if (/\[A-Za-z0-9\+\.-\]\*:|\[Ii\]\[Pp\]\[Ff\]\[Ss\]/.test(pattern))
    return "Enter an address, such as https://example.org/report.";
  if (pattern === String.raw`\S`) return "This must not be blank.";
  return "This contains characters that are not allowed.";
};

/** Keywords that only repeat a problem of a deeper keyword. */
const passingOn = new Set([
  "properties",
  "items",
  "prefixItems",
  "anyOf",
  "allOf",
  "oneOf",
  "$ref",
  "additionalProperties",
]);

export function checkForm(schema: object, body: unknown): readonly FieldProblem[] {
  const { errors } = new Validator(schema, "2020-12", false).validate(body);
  const problems = new Map<string, FieldProblem>();
  for (const { keyword, instanceLocation, error, keywordLocation } of errors) {
    if (passingOn.has(keyword) || error.includes('Expected "null"')) continue;
    const missing = keyword === "required" ? /required property "(.+?)"/.exec(error)?.[1] : undefined;
    const at = instanceLocation.replace(/^#/, "");
    const field = missing === undefined ? at : `${at}/${stepOf(missing)}`;
    if (!problems.has(field))
      problems.set(field, { field, code: keyword, message: sentenceOf(schema, keyword, keywordLocation) });
  }
  return [...problems.values()];
}

function sentenceOf(schema: object, keyword: string, location: string): string {
  const value = valueAt(schema, location);
  switch (keyword) {
    case "required":
      return formTexts.required;
    case "type":
      return formTexts.type(String(value));
    case "minLength":
    case "minItems":
      return value === 1 ? "This must not be empty." : `This needs at least ${Number(value)}.`;
    case "maxLength":
      return `This may have at most ${Number(value)} characters.`;
    case "maxItems":
      return `There may be at most ${Number(value)}.`;
    case "minimum":
      return `This must be at least ${grouped(Number(value))}.`;
    case "maximum":
      return `This may be at most ${grouped(Number(value))}.`;
    case "enum":
      return `This must be one of: ${(value as readonly unknown[]).map(String).join(", ")}.`;
    case "pattern":
      return pattern(String(value));
    default:
      return "This value is not accepted.";
  }
}

/** @param location such as `#/properties/type/pattern`. */
function valueAt(schema: object, location: string): unknown {
  let value: unknown = schema;
  for (const name of namesIn(decodeURIComponent(location))) {
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (name === "$ref" && typeof value === "string") value = valueAt(schema, value);
  }
  return value;
}
