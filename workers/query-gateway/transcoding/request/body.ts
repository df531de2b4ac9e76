/**
 * A body into the request message (contract D, section 3). protobuf-es reads the JSON; before that, unknown members are
 * taken out by descriptor, since its own switch for them would also swallow unknown enum names, and integers beyond 2^53
 * keep their digits. A `google.api.HttpBody` takes the bytes as they are.
 */
import {
  mergeFromJson,
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Registry,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { depthOf } from "../../../platform/json.ts";
import { success, type Result } from "../../../platform/result.ts";
import { HTTP_BODY, type BodyTarget } from "../bound-rule.ts";
import { invalidArgument, type TranscodingFault } from "../fault.ts";
import { fieldNamed } from "../field-path.ts";

export interface RequestBody {
  readonly bytes: Uint8Array;
  /** Looked at for `google.api.HttpBody` only: every other body is JSON, whatever it is called. */
  readonly contentType?: string;
}

export interface BodyOptions {
  /** Levels of lists and objects. */
  readonly nesting: number;
  /** Finds the types of `Any` values; without it a body that holds one is refused. */
  readonly registry?: Registry;
}

/** Fills `root`. No bytes, or blanks alone, are the empty message. */
export function assignBody(
  root: ReflectMessage,
  target: BodyTarget,
  body: RequestBody,
  { nesting, registry }: BodyOptions,
): Result<undefined, TranscodingFault> {
  if (target.kind === "none" || body.bytes.length === 0) return success(undefined);
  if (target.kind === "message" && root.desc.typeName === HTTP_BODY) return assignRaw(root, body);
  if (target.kind === "field" && isRaw(target.field)) {
    const raw = reflect(target.field.message);
    const assigned = assignRaw(raw, body);
    root.set(target.field, raw);
    return assigned;
  }
  const json = parseBody(body.bytes);
  if (json === undefined) return invalidArgument("The body is not JSON");
  if (json === BLANK) return success(undefined);
  if (depthOf(json) > nesting) return invalidArgument(`The body nests deeper than ${nesting} levels`);
  const message =
    target.kind === "message"
      ? knownMembers(root.desc, json, registry)
      : { [target.field.name]: knownValue(target.field, json, registry) };
  try {
    mergeFromJson(root.desc, root.message, message, { registry });
    return success(undefined);
  } catch {
    return invalidArgument(`The body does not fit ${root.desc.typeName}`);
  }
}

function isRaw(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && field.message.typeName === HTTP_BODY;
}

function assignRaw(message: ReflectMessage, { bytes, contentType }: RequestBody): Result<undefined, TranscodingFault> {
  const type = fieldNamed(message.desc, "content_type");
  const data = fieldNamed(message.desc, "data");
  if (type !== undefined && contentType !== undefined) message.set(type, contentType);
  if (data !== undefined) message.set(data, bytes);
  return success(undefined);
}

/** JSON whose integers of 64 bits are exact. */
type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [member: string]: ExactJson };

const BLANK = Symbol("no text");
/** No integer of 64 bits has more digits. */
const LONG_INTEGER = /^-?\d{16,20}$/;

function parseBody(bytes: Uint8Array): ExactJson | typeof BLANK | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    if (text.trim() === "") return BLANK;
    // The plain parse is several times faster, and nearly always enough.
    return JSON.parse(text, /\d{16}/.test(text) ? exactly : undefined) as ExactJson;
  } catch {
    return undefined;
  }
}

/** The reviver's third argument, which the language's types do not know yet: the text of a primitive. */
function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && LONG_INTEGER.test(source) ? BigInt(source) : value;
}

function isObject(json: ExactJson): json is { readonly [member: string]: ExactJson } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function knownMembers(type: DescMessage, json: ExactJson, registry: Registry | undefined): JsonValue {
  if (type.typeName === "google.protobuf.Any") return knownAny(json, registry);
  if (isWellKnown(type) || !isObject(json)) return plain(json, isLongWrapper(type));
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const field = fieldNamed(type, name);
      return field === undefined ? [] : [[name, knownValue(field, value, registry)]];
    }),
  );
}

/** A type with a JSON form of its own; `Empty` is an object like any other. */
function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.") && typeName !== "google.protobuf.Empty";
}

function knownAny(json: ExactJson, registry: Registry | undefined): JsonValue {
  const url = isObject(json) ? json["@type"] : undefined;
  const type = typeof url === "string" ? registry?.getMessage(url.slice(url.lastIndexOf("/") + 1)) : undefined;
  if (type === undefined || isWellKnown(type)) return plain(json, false);
  const members = knownMembers(type, json, registry);
  return { ...(members as { [member: string]: JsonValue }), "@type": url as string };
}

function knownValue(field: DescField, json: ExactJson, registry: Registry | undefined): JsonValue {
  const one = (value: ExactJson) =>
    field.message === undefined ? plain(value, isLong(field.scalar)) : knownMembers(field.message, value, registry);
  if (field.fieldKind === "list" && Array.isArray(json)) return (json as readonly ExactJson[]).map(one);
  if (field.fieldKind === "map" && isObject(json))
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, one(value)]));
  return one(json);
}

function isLong(scalar: ScalarType | undefined): boolean {
  switch (scalar) {
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return true;
    default:
      return false;
  }
}

function isLongWrapper({ typeName }: DescMessage): boolean {
  return typeName === "google.protobuf.Int64Value" || typeName === "google.protobuf.UInt64Value";
}

/** Without `bigint`: as a decimal text where 64 bits fit, as the nearest number where JSON means a number. */
function plain(json: ExactJson, long: boolean): JsonValue {
  if (typeof json === "bigint") return long ? json.toString() : Number(json);
  if (Array.isArray(json)) return (json as readonly ExactJson[]).map((item) => plain(item, false));
  if (isObject(json))
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, plain(value, false)]));
  return json as string | number | boolean | null;
}
