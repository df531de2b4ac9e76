/**
 * Whether a JSON Schema from outside (a client, an MCP server, an author) can be checked: every sub-schema is one, and every
 * `$ref` leads to a place inside the same schema. `argument-check.ts` checks values. Both only read the schema: workerd compiles
 * no code, and code from outside never runs.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";
import { failure, success, type Result } from "../../platform/result.ts";

/** Sub-schemas of one schema; an honest one has some dozens. Bytes and depth are bounded where the request is read. */
export const MAX_SUBSCHEMAS = 2_000;

/** Keywords whose value is a schema, a list of them, or a record of them. */
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
/** Nothing that we could follow. */
const REFUSED = ["$dynamicRef", "$recursiveRef"];

/**
 * The schema that a model gets: always that of an object, since arguments are one, with `properties`, which some providers
 * require. The error says in a few words why the schema cannot be used.
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

/** What stands directly below, and what is referred to. Tuples of old drafts are lists under `items`. */
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

/** A reference by JSON Pointer (RFC 6901) into the same schema; nothing when it leads nowhere. */
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

/** A member that the object itself has: the names of a client's schema are the client's choice. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function itemsOf(value: JsonValue): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

function isTextList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
