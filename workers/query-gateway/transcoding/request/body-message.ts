/**
 * Reads JSON into a message as a Cosmos node's REST endpoint does. protobuf-es reads it, with two exceptions: the type
 * URL of an Any is unchanged (a chain registers `/cosmos.bank.v1beta1.MsgSend`, without a host), and a field whose Go
 * type prints itself (json/field-options.ts) is read from that output. Unknown members are removed by descriptor,
 * because protobuf-es's own option for them would also ignore unknown enum names.
 */
import {
  mergeFromJson,
  ScalarType,
  toBinary,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Registry,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { fieldOptionsReader, type ReadOptions, type FieldOptions } from "../../json/field-options.ts";
import { fieldNamed } from "../fields.ts";
import { isObject, plain, type ExactJson, exactText } from "./exact-json.ts";
import { scalarFromText, type ScalarValue } from "./text-values.ts";

const ANY = "google.protobuf.Any";

/** Reads messages of one descriptor set. */
interface MessageReader {
  /** @throws Error if the JSON does not match the message. */
  readonly fill: (message: ReflectMessage, json: ExactJson) => void;
}

const readers = new WeakMap<Registry, MessageReader>();

/** @param registry finds the types of `Any` values and the options of fields. */
export function messageReader(registry: Registry): MessageReader {
  const reader = readers.get(registry) ?? createReader(registry);
  readers.set(registry, reader);
  return reader;
}

function createReader(registry: Registry): MessageReader {
  const optionsOf = fieldOptionsReader(registry);
  const isOurs = ownReading(optionsOf);

  function fill(message: ReflectMessage, json: ExactJson): void {
    const type = message.desc;
    if (type.typeName === ANY) return fillAny(message, json);
    if (!isOurs.type(type)) {
      mergeFromJson(type, message.message, knownMembers(type, json), { registry });
      return;
    }
    if (!isObject(json)) throw unfit(type.typeName);
    const ours: [DescField, ExactJson][] = [];
    const theirs: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(json)) {
      const field = fieldNamed(type, name);
      if (field === undefined) continue;
      if (isOurs.field(field)) ours.push([field, value]);
      else theirs[name] = knownValue(field, value);
    }
    mergeFromJson(type, message.message, theirs, { registry });
    for (const [field, value] of ours) if (value !== null) setField(message, field, value);
  }

  function setField(message: ReflectMessage, field: DescField, json: ExactJson): void {
    if (field.oneof !== undefined && message.oneofCase(field.oneof) !== undefined) throw unfit(field.name);
    switch (field.fieldKind) {
      case "list":
        if (!Array.isArray(json)) throw unfit(field.name);
        for (const item of json as readonly ExactJson[]) message.get(field).add(valueOf(field, item));
        return;
      case "map":
        if (!isObject(json)) throw unfit(field.name);
        for (const [name, item] of Object.entries(json)) {
          const key = scalarFromText(field.mapKey, name);
          if (key === undefined || key instanceof Uint8Array) throw unfit(field.name);
          message.get(field).set(key, valueOf(field, item));
        }
        return;
      default:
        message.set(field, valueOf(field, json));
    }
  }

  /** One value: of a singular field, of a list, of a map. */
  function valueOf(field: DescField, json: ExactJson): ReflectMessage | ScalarValue {
    if (json === null) throw unfit(field.name);
    if (field.message !== undefined) {
      const child = reflect(field.message);
      fill(child, json);
      return child;
    }
    const { cast } = optionsOf(field);
    const bytes = cast && bytesOfCast(cast, json);
    if (bytes === undefined) throw unfit(field.name);
    return field.scalar === ScalarType.BYTES ? bytes : new TextDecoder().decode(bytes);
  }

  function fillAny(message: ReflectMessage, json: ExactJson): void {
    if (!isObject(json)) throw unfit(ANY);
    const { "@type": url, ...members } = json;
    if (url === undefined && Object.keys(members).length === 0) return;
    const [typeUrl, value] = [fieldNamed(message.desc, "type_url"), fieldNamed(message.desc, "value")];
    if (typeof url !== "string" || typeUrl === undefined || value === undefined) throw unfit(ANY);
    const type = registry.getMessage(url.slice(url.lastIndexOf("/") + 1));
    const bytes = unreadBytes(type, members) ?? (type && bytesOfAny(type, members));
    if (bytes === undefined) throw unfit(ANY);
    message.set(typeUrl, url);
    message.set(value, bytes);
  }

  function bytesOfAny(type: DescMessage, members: Readonly<Record<string, ExactJson>>): Uint8Array {
    const inner = reflect(type);
    // A type with a special JSON form is the member `value` next to `@type`.
    if (!isWellKnown(type)) fill(inner, members);
    else if (members.value !== undefined) fill(inner, members.value);
    return toBinary(type, inner.message);
  }

  return { fill };
}

/** An Any with an unreadable message is printed as its bytes in base64, and is read back from them. */
function unreadBytes(
  type: DescMessage | undefined,
  { value, ...others }: Readonly<Record<string, ExactJson>>,
): Uint8Array | undefined {
  const isPossible = type === undefined || (!isWellKnown(type) && fieldNamed(type, "value") === undefined);
  if (!isPossible || typeof value !== "string" || Object.keys(others).length > 0) return undefined;
  const bytes = scalarFromText(ScalarType.BYTES, value);
  return bytes instanceof Uint8Array ? bytes : undefined;
}

/** Types and fields that protobuf-es must not read: an Any, a cast, and any type that contains one of them. */
function ownReading(optionsOf: ReadOptions) {
  const known = new Map<DescMessage, boolean>();
  const isLeaf = (field: DescField) => field.message?.typeName === ANY || optionsOf(field).cast !== undefined;
  const type = (message: DescMessage): boolean => {
    const found = known.get(message);
    if (found !== undefined) return found;
    const reached = new Set([message]);
    // Iterating over a set includes items added meanwhile.
    for (const each of reached)
      for (const field of each.fields) if (field.message !== undefined) reached.add(field.message);
    const ours = [...reached].some(({ fields }) => fields.some(isLeaf));
    known.set(message, ours);
    return ours;
  };
  const field = (each: DescField) => isLeaf(each) || (each.message !== undefined && type(each.message));
  return { type, field };
}

function unfit(name: string): Error {
  return new Error(`The JSON does not match ${name}`);
}

/** A type with a special JSON form; `Empty` is an ordinary object. */
function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.") && typeName !== "google.protobuf.Empty";
}

function knownMembers(type: DescMessage, json: ExactJson): JsonValue {
  if (isWellKnown(type) || !isObject(json)) return plain(json, isLongWrapper(type));
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const field = fieldNamed(type, name);
      return field === undefined ? [] : [[name, knownValue(field, value)]];
    }),
  );
}

function knownValue(field: DescField, json: ExactJson): JsonValue {
  const one = (value: ExactJson) =>
    field.message === undefined ? plain(value, isLong(field.scalar)) : knownMembers(field.message, value);
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

type Cast = NonNullable<FieldOptions["cast"]>;

/** The decimals of a LegacyDec, which on the wire is the value times 10 to this power. */
const DECIMALS = 18;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const INTEGER = /^-?\d+$/;
const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/** The value on the wire, for a string or a bytes field; `undefined` for an invalid value. */
function bytesOfCast(cast: Cast, json: ExactJson): Uint8Array | undefined {
  if (cast === "json") return new TextEncoder().encode(exactText(json));
  const text = typeof json === "number" || typeof json === "bigint" ? String(json) : json;
  if (typeof text !== "string") return undefined;
  if (cast === "hex") return hexBytes(text);
  const value = cast === "decimal" ? scaled(text) : INTEGER.test(text) ? text : undefined;
  return value === undefined ? undefined : new TextEncoder().encode(value);
}

/** `-0.5` is `-500000000000000000`. More decimals than the type has are refused, as on the chain. */
function scaled(text: string): string | undefined {
  const [, sign = "", whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > DECIMALS) return undefined;
  const digits = (whole + fraction.padEnd(DECIMALS, "0")).replace(/^0+(?=\d)/, "");
  return digits === "0" ? digits : sign + digits;
}

function hexBytes(text: string): Uint8Array | undefined {
  if (!HEX.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
