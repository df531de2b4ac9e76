/**
 * A slow second implementation of a message's JSON: protobuf's own `toJson`, changed where a Cosmos node differs. It produces
 * values, not text: other tests cover order and escapes. It reads the bytes of options without the gateway's reader.
 */
import {
  create,
  fromBinary,
  ScalarType,
  toJson,
  type DescField,
  type DescMessage,
  type Registry,
} from "@bufbuild/protobuf";
import { Buffer } from "node:buffer";
import { WireType } from "@bufbuild/protobuf/wire";
import { bitsOf, shortestFloat } from "./shortest-float.ts";

type Json = unknown;
type Fields = Readonly<Record<string, unknown>>;

/** Numbers of the extensions. */
const NULLABLE = 65001;
const CUSTOM_TYPE = 65003;
const CAST_TYPE = 65007;
const STANDARD_TIME = 65010;

export function referenceJson(type: DescMessage, message: object, registry: Registry): Json {
  if (type.typeName === "google.protobuf.Any")
    return anyJson(message as { typeUrl: string; value: Uint8Array }, registry);
  if (type.typeName.startsWith("google.protobuf.") && type.typeName !== "google.protobuf.Empty")
    return toJson(type, message as never, { registry });
  const json: Record<string, Json> = {};
  for (const field of type.fields) {
    if (field.oneof !== undefined) {
      const chosen = (message as Fields)[field.oneof.localName] as { case?: string; value: unknown };
      if (chosen.case === field.localName) json[field.name] = itemJson(field, chosen.value, registry);
    } else json[field.name] = fieldJson(field, (message as Fields)[field.localName], registry);
  }
  return json;
}

function fieldJson(field: DescField, value: unknown, registry: Registry): Json {
  if (field.fieldKind === "list") return (value as unknown[]).map((item) => itemJson(field, item, registry));
  if (field.fieldKind === "map")
    return Object.fromEntries(
      Object.entries(value as object).map(([key, item]) => [key, itemJson(field, item, registry)]),
    );
  const isValue = optionOf(field, NULLABLE) === "\0";
  if (field.message !== undefined && value === undefined) {
    if (!isValue) return null;
    if (optionOf(field, STANDARD_TIME) === "\u0001") return "0001-01-01T00:00:00Z";
    return referenceJson(field.message, create(field.message), registry);
  }
  if (value === undefined) return null;
  const isEmpty = field.message === undefined && (value === "" || (value instanceof Uint8Array && value.length === 0));
  if (isEmpty && isNumberType(field)) return isValue ? itemJson(field, value, registry) : null;
  if (isEmpty && value !== "") return isHex(field) ? "" : null;
  return itemJson(field, value, registry);
}

function itemJson(field: DescField, value: unknown, registry: Registry): Json {
  if (field.message !== undefined) {
    const isPlain =
      typeof value !== "object" || value === null || value instanceof Uint8Array || !("$typeName" in value);
    // Unwrapped values of wrappers, and Struct.
    return isPlain ? protobufJson(field, value, registry) : referenceJson(field.message, value, registry);
  }
  const bytes = value as Uint8Array;
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : (value as string);
  if (isNumberType(field)) return optionOf(field, CUSTOM_TYPE)?.endsWith("Dec") ? decimal(text) : text || "0";
  if (isHex(field)) return Buffer.from(bytes).toString("hex").toUpperCase();
  if (optionOf(field, CAST_TYPE)?.endsWith("RawContractMessage")) {
    try {
      if (!Buffer.from(text).equals(bytes)) throw new Error("not UTF-8");
      return text === "" ? null : JSON.parse(text);
    } catch {
      return Buffer.from(bytes).toString("base64");
    }
  }
  const plain = protobufJson(field, value, registry);
  return field.scalar === ScalarType.FLOAT && typeof plain === "number" ? shortest(plain) : plain;
}

/** The shortest decimal that is equal in single precision. */
function shortest(value: number): number {
  if (value === 0) return value;
  const decimal = shortestFloat(bitsOf(Math.abs(value)));
  return value < 0 ? -decimal : decimal;
}

/** By `toJson`, in a message that contains only the value; as a list item, so that a zero is not omitted. */
function protobufJson(field: DescField, value: unknown, registry: Registry): Json {
  const { parent, localName } = field;
  const isMany = field.fieldKind === "list" || field.fieldKind === "map";
  const local = field.fieldKind === "list" ? [value] : isMany ? { 0: value } : value;
  const init = field.oneof ? { [field.oneof.localName]: { case: localName, value } } : { [localName]: local };
  const alone = { ...parent, fields: [field], members: [field.oneof ?? field] } as DescMessage;
  const options = { alwaysEmitImplicit: true, useProtoFieldName: true, registry };
  const json = toJson(alone, { $typeName: parent.typeName, ...init }, options) as Fields;
  return isMany ? Object.values(json[field.name] as object)[0] : json[field.name];
}

function anyJson({ typeUrl, value }: { typeUrl: string; value: Uint8Array }, registry: Registry): Json {
  if (typeUrl === "") return {};
  const type = registry.getMessage(typeUrl.slice(1)) as DescMessage;
  const inner = referenceJson(type, fromBinary(type, value), registry);
  return type.typeName.startsWith("google.protobuf.") && type.typeName !== "google.protobuf.Empty"
    ? { "@type": typeUrl, value: inner }
    : { "@type": typeUrl, ...(inner as object) };
}

function isNumberType(field: DescField): boolean {
  return /[./](Legacy)?(Dec|Int|Uint)$/.test(`.${optionOf(field, CUSTOM_TYPE) ?? ""}`);
}

function isHex(field: DescField): boolean {
  return field.scalar === ScalarType.BYTES && optionOf(field, CAST_TYPE)?.endsWith("HexBytes") === true;
}

function decimal(text: string): string {
  if (!/^-?\d*$/.test(text) || text === "-") return text;
  const scaled = BigInt(text || "0");
  const size = scaled < 0n ? -scaled : scaled;
  const sign = text.startsWith("-") ? "-" : "";
  return `${sign}${size / 10n ** 18n}.${(size % 10n ** 18n).toString().padStart(18, "0")}`;
}

/** The option's bytes as text, without a string's length prefix. */
function optionOf({ proto }: DescField, number: number): string | undefined {
  const option = proto.options?.$unknown?.find(({ no }) => no === number);
  if (option === undefined) return undefined;
  return Buffer.from(option.wireType === WireType.LengthDelimited ? option.data.subarray(1) : option.data).toString();
}
