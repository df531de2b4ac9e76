/**
 * Checks whether a JSON Schema from outside (a client, an MCP server, an author) can be used: every sub-schema is a schema, and
 * every `$ref` points to a place inside it. `argument-check.ts` checks values. Both only interpret the schema: workerd compiles no
 * code, and untrusted code never runs.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";
import { failure, success, type Result } from "../../platform/result.ts";

/** Sub-schemas of one schema; a real schema has some dozens. The request's parser limits bytes and depth. */
export const MAX_SUBSCHEMAS = 2_000;

/** Keywords whose value is a schema, or a list or record of schemas. */
const HOLDS_SCHEMA = [
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "additionalProperties",
  "additionalItems",
];
const HOLDS_LIST = ["allOf", "anyOf", "oneOf", "prefixItems"];
const HOLDS_RECORD = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

const TYPES: readonly JsonValue[] = ["string", "number", "integer", "boolean", "null", "object", "array"];
const TEXTS = ["$ref", "pattern", "format"];
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS = [
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
];
/** References that cannot be followed. */
const REFUSED = ["$dynamicRef", "$recursiveRef"];

/**
 * The schema for a model: always an object schema, since arguments are an object, with `properties`, which some providers require.
 * The error says briefly why the schema cannot be used.
 */
export function readArgumentSchema(schema: JsonObject): Result<JsonObject, string> {
  const problem = findProblem(schema);
  if (problem !== undefined) return failure(problem);
  const { type } = schema;
  if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object"))) {
    return failure("its schema must describe an object");
  }
  return success({ ...schema, type: "object", properties: schema["properties"] ?? {} });
}

function findProblem(root: JsonObject): string | undefined {
  const waiting: JsonValue[] = [root];
  const seen = new Set<JsonValue>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "boolean" || seen.has(next)) continue;
    if (!isJsonObject(next)) return "a part of its schema is not a schema";
    if (seen.size >= MAX_SUBSCHEMAS) return "its schema has too many parts";
    seen.add(next);
    const problem = problemOf(next, root);
    if (problem !== undefined) return problem;
    waiting.push(...subschemas(next, root));
  }
  return undefined;
}

function problemOf(schema: JsonObject, root: JsonObject): string | undefined {
  const wrong = (keyword: string): string => `its schema uses ${keyword} in an invalid way`;
  const given = (keywords: readonly string[]): [string, JsonValue][] =>
    keywords.flatMap((keyword): [string, JsonValue][] => {
      const value = own(schema, keyword);
      return value === undefined ? [] : [[keyword, value]];
    });
  for (const [keyword, value] of given(TEXTS)) if (typeof value !== "string") return wrong(keyword);
  for (const [keyword, value] of given(NUMBERS)) if (typeof value !== "number") return wrong(keyword);
  for (const [keyword, value] of given(COUNTS))
    if (!Number.isInteger(value) || Number(value) < 0) return wrong(keyword);
  for (const [keyword] of given(REFUSED)) return wrong(keyword);
  for (const [keyword, value] of given(HOLDS_LIST)) if (!Array.isArray(value)) return wrong(keyword);
  for (const [keyword, value] of given(HOLDS_RECORD)) if (!isJsonObject(value)) return wrong(keyword);
  for (const [keyword, value] of given(["enum"])) if (!Array.isArray(value)) return wrong(keyword);
  for (const [keyword, value] of given(["required"])) if (!isTextList(value)) return wrong(keyword);
  for (const [keyword, value] of given(["dependentRequired"])) {
    if (!isJsonObject(value) || !Object.values(value).every(isTextList)) return wrong(keyword);
  }
  for (const [keyword, value] of given(["type"])) {
    const names = itemsOf(value) ?? [value];
    if (names.length === 0 || !names.every((name) => TYPES.includes(name))) return wrong(keyword);
  }
  const reference = own(schema, "$ref");
  if (typeof reference === "string" && resolve(root, reference) === undefined) {
    return "its schema refers to something outside itself, or to nothing";
  }
  return undefined;
}

/** The direct sub-schemas and referenced schemas. Tuples of old drafts are lists under `items`. */
function subschemas(schema: JsonObject, root: JsonObject): readonly JsonValue[] {
  const reference = own(schema, "$ref");
  const target = typeof reference === "string" ? resolve(root, reference) : undefined;
  const of = (keyword: string): JsonValue[] => [own(schema, keyword)].filter((value) => value !== undefined);
  return [
    ...(target === undefined ? [] : [target]),
    ...HOLDS_SCHEMA.flatMap(of),
    ...of("items").flatMap((value) => itemsOf(value) ?? [value]),
    ...HOLDS_LIST.flatMap(of).flatMap((value) => itemsOf(value) ?? []),
    ...HOLDS_RECORD.flatMap(of).flatMap((value) =>
      Object.values(value as JsonObject).filter((each) => each !== undefined),
    ),
  ];
}

/** Resolves a JSON Pointer (RFC 6901) in the schema; undefined when it points nowhere. */
export function resolve(root: JsonObject, reference: string): JsonObject | boolean | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const segment of reference.split("/").slice(1)) {
    const name = decodeSegment(segment);
    if (name === undefined || typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, name) ? (found as JsonObject)[name] : undefined;
  }
  return typeof found === "boolean" || (found !== undefined && isJsonObject(found)) ? found : undefined;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

/** An own member of the object: the client chooses the names in its schema. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function itemsOf(value: JsonValue): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

function isTextList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
