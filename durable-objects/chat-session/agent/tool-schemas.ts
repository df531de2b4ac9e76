/**
 * A tool's schema as the model is shown it, and how it reads arguments. Schemas are recognised by their shape: an author's
 * zod may be another copy than ours, or another version.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../workers/platform/json.ts";

/** The JSON Schema of the same zod schema is made once: plugins often declare theirs once per isolate. */
const described = new WeakMap<object, JsonObject>();

/** Throws for a schema that cannot be described. */
export function describeSchema(schema: object): JsonObject {
  const known = described.get(schema);
  if (known !== undefined) return known;
  const description = toJsonSchema(schema);
  described.set(schema, description);
  return description;
}

function toJsonSchema(schema: object): JsonObject {
  if ("_zod" in schema) {
    const made = z.toJSONSchema(schema as z.ZodType, { target: "draft-7", io: "input", unrepresentable: "any" });
    return made as unknown as JsonObject;
  }
  // Of an older zod nothing is known but that it checks.
  if (isParser(schema)) return { type: "object" };
  if (!isJsonObject(schema)) throw new TypeError("the schema is neither a zod schema nor a JSON Schema");
  return schema;
}

interface Parser {
  safeParseAsync(
    input: unknown,
  ): Promise<{ readonly success: true; readonly data: unknown } | { readonly success: false }>;
}

function isParser(schema: object): schema is Parser {
  return "safeParseAsync" in schema && typeof schema.safeParseAsync === "function";
}

/** The arguments as the schema reads them; undefined when it refuses them. A JSON Schema refuses nothing. */
export async function readArguments(schema: object, args: JsonObject): Promise<{ readonly args: unknown } | undefined> {
  if (!isParser(schema)) return { args };
  const parsed = await schema.safeParseAsync(args);
  return parsed.success ? { args: parsed.data } : undefined;
}
