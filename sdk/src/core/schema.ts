/**
 * Converts an application's schemas to JSON schemas for the oracle, and parses arguments with them. The schema itself
 * shows whether it is zod 3 or zod 4. This file does not import zod, because an application may have either version, or
 * both. The converters load when they are needed.
 */
import type { ClientTool } from "./wire.ts";

export type JsonSchema = ClientTool["schema"];

/** Maximum number of problems in a refusal; a model fixes these first. */
const MAX_ISSUES = 5;

/**
 * The JSON schema of valid input: a member with a default is optional, and a transformed member has its type before the
 * transformation. Rejects with a sentence for the author of the schema.
 */
export async function toJsonSchema(schema: unknown): Promise<JsonSchema> {
  const converted = await convert(schema);
  if (typeof converted["type"] === "string" && converted["type"] !== "object")
    throw new TypeError(`the arguments must be an object, not of type ${converted["type"]}`);
  return converted;
}

async function convert(schema: unknown): Promise<JsonSchema> {
  if (!isObject(schema)) throw new TypeError("the schema is not an object");
  if ("_zod" in schema) {
    const { ofZod4 } = await import("./zod-4-schema.ts");
    return ofZod4(schema);
  }
  if (isObject(schema["_def"])) {
    if (typeof schema["_def"]["typeName"] !== "string") throw new TypeError("schemas of zod 3 need zod 3.5 or newer");
    const { ofZod3 } = await import("./zod-3-schema.ts");
    return ofZod3(schema);
  }
  const prototype: unknown = Object.getPrototypeOf(schema);
  if (prototype === Object.prototype || prototype === null) return schema as JsonSchema;
  throw new TypeError("the schema is neither of zod 3 or 4 nor a JSON schema");
}

/**
 * The arguments as the schema returns them, with defaults and transformations. Rejects with a sentence for the model.
 */
export async function parseArguments(name: string, schema: unknown, args: unknown): Promise<unknown> {
  if (!isParser(schema)) return args;
  const result = await schema.safeParseAsync(args);
  if (result.success) return result.data;
  const issues = (result.error?.issues ?? []).slice(0, MAX_ISSUES).map(describe);
  throw new TypeError(`The arguments of ${name} do not match its schema: ${issues.join("; ")}.`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Parser {
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly Issue[] };
  }>;
}

function describe({ path, message }: Issue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

function isParser(schema: unknown): schema is Parser {
  return isObject(schema) && typeof schema["safeParseAsync"] === "function";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
