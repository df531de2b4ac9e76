/**
 * A tool's schema as the model is shown it, and how it reads arguments. Schemas are recognised by their shape: an author's
 * zod may be another copy than ours, or another version.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../workers/platform/json.ts";

/** The JSON Schema of the same zod schema is made once: plugins often declare theirs once per isolate. */
const described = new WeakMap<object, JsonObject>();

/** Throws for a schema that cannot be described: models' services take objects with named members, and nothing else. */
export function describeSchema(schema: unknown): JsonObject {
  if (schema === undefined || schema === null) throw new TypeError("the tool has no schema");
  if (typeof schema !== "object") throw new TypeError(NO_SCHEMA);
  const known = described.get(schema);
  if (known !== undefined) return known;
  const description = toJsonSchema(schema);
  if (description["type"] !== "object")
    throw new TypeError('the schema describes no object: use z.object({...}), or a JSON Schema of "type": "object"');
  described.set(schema, description);
  return description;
}

const NO_SCHEMA = "the schema is neither a zod schema nor a JSON Schema";

function toJsonSchema(schema: object): JsonObject {
  if ("_zod" in schema) {
    const made = z.toJSONSchema(schema as z.ZodType, { target: "draft-7", io: "input", unrepresentable: "any" });
    return made as unknown as JsonObject;
  }
  // Of an older zod nothing is known but that it checks.
  if (isParser(schema)) return { type: "object" };
  if (!isJsonObject(schema)) throw new TypeError(NO_SCHEMA);
  return schema;
}

interface Parser {
  safeParseAsync(
    input: unknown,
  ): Promise<
    { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error?: unknown }
  >;
}

function isParser(schema: object): schema is Parser {
  return "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

/** The arguments as the schema reads them, or what it refuses about them, in words for the model. A JSON Schema refuses nothing. */
export async function readArguments(
  schema: object,
  args: JsonObject,
): Promise<{ readonly args: unknown } | { readonly refused: string }> {
  if (!isParser(schema)) return { args };
  const parsed = await schema.safeParseAsync(args);
  return parsed.success ? { args: parsed.data } : { refused: describeIssues(parsed.error) };
}

/** How many issues the model reads of one call, and how much of each, UTF-16 units: a schema may list a thousand values. */
export const LISTED_ISSUES = 5;
export const ISSUE_SIZE = 200;

/** `/city Invalid input: expected string, received number; ...`, of the errors of any zod. */
function describeIssues(error: unknown): string {
  const issues: readonly unknown[] = isJsonObject(error) && Array.isArray(error["issues"]) ? error["issues"] : [];
  const listed = issues.slice(0, LISTED_ISSUES).map((issue) => {
    const { path = [], message = "" } = isJsonObject(issue) ? issue : {};
    const place = Array.isArray(path) ? path.map((step) => `/${String(step)}`).join("") : "";
    return `${place} ${typeof message === "string" ? message : ""}`.trim().slice(0, ISSUE_SIZE);
  });
  return listed.filter((text) => text !== "").join("; ");
}
