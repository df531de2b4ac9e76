/**
 * A call in the form of a Cosmos node's own REST endpoint: the method's first rule, with path and query rebuilt from
 * the message, so that the caller's prefix, alias and spelling are gone.
 */
import { ScalarType, toJson, type DescField, type DescMessage, type Message, type Registry } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import { createMessageWriter, type MessageWriter } from "../json/message-writer.ts";
import type { FieldChain } from "../transcoding/fields.ts";
import { bindRule, type BoundRule, type BoundMethod } from "../transcoding/http-rule.ts";
import { writePath, parseTemplate, type Template } from "../transcoding/paths/template.ts";

export interface LcdRequest {
  readonly method: string;
  /** The path from the first slash on, with the query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

interface CanonicalRule {
  readonly bound: BoundRule;
  readonly template: Template;
}

const canonicalRules = new WeakMap<BoundMethod, CanonicalRule | null>();

/** `undefined` if the endpoint does not support the request. */
export function writeLcdRequest(method: BoundMethod, message: Message): LcdRequest | undefined {
  const rule = canonicalRule(method);
  const json = rule === undefined ? undefined : asJson(method, message);
  if (rule === undefined || json === undefined) return undefined;
  const { bound, template } = rule;
  const values = bound.variables.map((chain) => pathText(json, chain));
  // Such an endpoint treats a slash as a separator, escaped or not, and drops a colon at either end of a segment.
  if (values.some((value, at) => !survivesPath(value, template, at))) return undefined;
  const path = writePath(template, values);
  if (path === undefined || bound.rule.verb === "*") return undefined;
  const body = bodyText(method, bound, message);
  if (body === false) return undefined;
  if (bound.body.kind === "message") return { method: bound.rule.verb, path, ...(body !== undefined && { body }) };
  const taken = new Set(bound.variables.map((chain) => chain.map(({ name }) => name).join(".")));
  if (bound.body.kind === "field") taken.add(bound.body.field.name);
  const query = queryOf(method.method.input, json, taken, "");
  if (query === undefined) return undefined;
  return {
    method: bound.rule.verb,
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    ...(body !== undefined && { body }),
  };
}

function canonicalRule(method: BoundMethod): CanonicalRule | undefined {
  const known = canonicalRules.get(method);
  if (known !== undefined) return known ?? undefined;
  const rule = method.rules[0];
  const template = rule === undefined ? undefined : parseTemplate(rule.template);
  const bound = rule !== undefined && template?.ok === true ? bindRule(method.method, rule, template.value) : undefined;
  const canonical =
    template?.ok === true && bound?.ok === true ? { bound: bound.value, template: template.value } : null;
  canonicalRules.set(method, canonical);
  return canonical ?? undefined;
}

const writers = new WeakMap<Registry, MessageWriter>();

/**
 * The endpoint that our output imitates reads the body, so it is written in that form; `false` if there is no JSON
 * form.
 */
function bodyText(
  { method, registry }: BoundMethod,
  { body }: BoundRule,
  message: Message,
): string | false | undefined {
  if (body.kind === "none") return undefined;
  const writer = writers.get(registry) ?? createMessageWriter({ registry, unknownAny: "error" });
  writers.set(registry, writer);
  const written =
    body.kind === "message" ? writer.write(method.input, message) : writer.writeField(body.field, message);
  return written.ok && written.value.text;
}

/** With proto names, and without default values, which are equivalent. Undefined for an Any of an unknown type. */
function asJson({ method, registry }: BoundMethod, message: Message): JsonObject | undefined {
  try {
    const json: unknown = toJson(method.input, message, { useProtoFieldName: true, registry });
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function pathText(json: JsonObject, chain: FieldChain): string {
  let value: JsonValue | undefined = json;
  for (const { name } of chain) value = isJsonObject(value) ? value[name] : undefined;
  const field = chain.at(-1);
  if (Array.isArray(value)) return value.map(scalarText).join(",");
  if (value === undefined || value === null || typeof value === "object") return defaultText(field);
  // The endpoint accepts both alphabets, and a path cannot contain the slash of the first.
  const text = scalarText(value);
  return isBytes(field) ? text.replaceAll("+", "-").replaceAll("/", "_") : text;
}

function scalarText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isBytes(field: DescField | undefined): boolean {
  return field?.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
}

function defaultText(field: DescField | undefined): string {
  if (field?.fieldKind === "enum") return field.enum.values[0]?.name ?? "0";
  if (field?.fieldKind !== "scalar") return "";
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "";
    case ScalarType.BOOL:
      return "false";
    default:
      return "0";
  }
}

function survivesPath(value: string, { variables, segments }: Template, at: number): boolean {
  const { start = 0, end = 0 } = variables[at] ?? {};
  const isOneSegment = end - start === 1 && segments[start]?.kind === "single";
  if (isOneSegment && value.includes("/")) return false;
  return value.split("/").every((part) => !part.startsWith(":") && !part.endsWith(":"));
}

/** `name=value` for each scalar, dotted below messages; `undefined` if a query cannot express it. */
function queryOf(
  type: DescMessage,
  json: JsonObject,
  taken: ReadonlySet<string>,
  prefix: string,
): readonly string[] | undefined {
  const parts: string[] = [];
  for (const field of type.fields) {
    const name = prefix + field.name;
    const value = json[field.name];
    if (value === undefined || taken.has(name)) continue;
    const written = parametersOf(field, value, name, taken);
    if (written === undefined) return undefined;
    parts.push(...written);
  }
  return parts;
}

function parametersOf(
  field: DescField,
  value: JsonValue,
  name: string,
  taken: ReadonlySet<string>,
): readonly string[] | undefined {
  const pair = (key: string, each: JsonValue) => `${encodeURIComponent(key)}=${encodeURIComponent(scalarText(each))}`;
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
      return [pair(name, value)];
    case "list":
      return field.listKind === "message" || !Array.isArray(value)
        ? undefined
        : value.map((each: JsonValue) => pair(name, each));
    case "map":
      if (field.mapKind === "message" || !isJsonObject(value)) return undefined;
      return Object.entries(value).map(([key, each]) => pair(`${name}[${key}]`, each ?? ""));
    case "message":
      // Times and wrappers are scalars in JSON; Any, Struct and lists of values do not fit into a query.
      if (Array.isArray(value)) return undefined;
      if (field.message.typeName === "google.protobuf.FieldMask") return [pair(name, asDeclared(scalarText(value)))];
      if (!isJsonObject(value)) return [pair(name, value)];
      if (field.message.typeName.startsWith("google.protobuf.") || isWrapperDesc(field.message)) return undefined;
      // A query describes a message by its fields. An empty one equals a missing one, except as the choice of a oneof.
      if (field.oneof !== undefined && Object.keys(value).length === 0) return undefined;
      return queryOf(field.message, value, taken, `${name}.`);
  }
}

/** JSON writes the paths of a FieldMask in camel case, a query as declared. */
function asDeclared(paths: string): string {
  return paths.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
