/**
 * google.protobuf types with a special JSON form, including wrappers and Any: `@type` first, unchanged, then the
 * message inside. `undefined` means a value that no node could have printed.
 */
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import type { Writing } from "./writing.ts";
import { scalarWriter, base64, quoteJson, double } from "./scalars.ts";

/** @returns undefined for a message that is printed as an object. */
export function wellKnownWriter(
  type: DescMessage,
  state: { error?: string },
): ((message: unknown) => string) | undefined {
  const orFault = (text: string | undefined): string => {
    if (text === undefined) state.error ??= `A ${type.typeName} is out of range`;
    return text ?? "null";
  };
  switch (type.typeName) {
    case "google.protobuf.Timestamp":
      return (message) => orFault(timestamp(message as Parameters<typeof timestamp>[0]));
    case "google.protobuf.Duration":
      return (message) => orFault(duration(message as Parameters<typeof duration>[0]));
    case "google.protobuf.FieldMask":
      return (message) => fieldMask(message as Parameters<typeof fieldMask>[0]);
    case "google.protobuf.Struct":
      return (message) => struct(message as Parameters<typeof struct>[0]);
    case "google.protobuf.Value":
      return (message) => value(message as Parameters<typeof value>[0]);
    case "google.protobuf.ListValue":
      return (message) => list(message as Parameters<typeof list>[0]);
    default:
      return isWrapperDesc(type) ? wrapperWriter(type) : undefined;
  }
}

function wrapperWriter(type: DescMessage): ((message: unknown) => string) | undefined {
  const [field] = type.fields;
  if (field?.fieldKind !== "scalar") return undefined;
  const write = scalarWriter(field.scalar, undefined);
  return (message) => write((message as { readonly value: unknown }).value);
}

interface AnyMessage {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/**
 * Nested Any: far more than any chain nests, far less than the stack can hold. Deeper messages are printed as unknown.
 */
export const ANY_DEPTH_MAX = 32;

export function anyWriter(writing: Writing): (message: unknown) => string {
  const { settings, state } = writing;
  const unknown = ({ typeUrl, value }: AnyMessage, why: string): string => {
    // A newer descriptor set would print it in its own form.
    state.unknownFields += 1;
    if (settings.unknownAny === "error") state.error ??= `${why}: ${typeUrl}`;
    return `{"@type":${quoteJson(typeUrl)},"value":${base64(value)}}`;
  };
  return (message) => {
    const any = message as AnyMessage;
    if (any.typeUrl === "") return "{}";
    // Cosmos urls have no host: `/cosmos.auth.v1beta1.BaseAccount`.
    const type = settings.registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1));
    if (type === undefined) return unknown(any, "The type of this name is unknown");
    if (state.anyDepth >= ANY_DEPTH_MAX) return unknown(any, "The messages are nested too deeply");
    const inner = decode(type, any.value);
    if (inner === undefined) return unknown(any, "The bytes are not a message of this type");
    state.anyDepth += 1;
    const text = withType(any.typeUrl, type, inner);
    state.anyDepth -= 1;
    return text;
  };

  function withType(typeUrl: string, type: DescMessage, inner: unknown): string {
    const head = `{"@type":${quoteJson(typeUrl)}`;
    if (type.typeName === "google.protobuf.Any" || wellKnownWriter(type, state) !== undefined)
      return `${head},"value":${writing.messageOf(type)(inner)}}`;
    const members = writing.membersOf(type)(inner);
    return members === "" ? `${head}}` : `${head},${members}}`;
  }
}

/** The bytes come from a node and have not been parsed yet. */
function decode(type: DescMessage, bytes: Uint8Array): unknown {
  try {
    return fromBinary(type, bytes);
  } catch {
    return undefined;
  }
}

interface TimeMessage {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** `google.protobuf.Value` as a message. */
interface ValueMessage {
  readonly kind:
    | { readonly case: "nullValue"; readonly value: number }
    | { readonly case: "numberValue"; readonly value: number }
    | { readonly case: "stringValue"; readonly value: string }
    | { readonly case: "boolValue"; readonly value: boolean }
    | { readonly case: "structValue"; readonly value: StructMessage }
    | { readonly case: "listValue"; readonly value: ListMessage }
    | { readonly case: undefined };
}
interface StructMessage {
  readonly fields: Readonly<Record<string, ValueMessage>>;
}
interface ListMessage {
  readonly values: readonly ValueMessage[];
}

const NANOS_PER_SECOND = 1_000_000_000;
const SECONDS_PER_DAY = 86_400;

/** UTC, with 0, 3, 6 or 9 digits of a second. */
export function timestamp({ seconds, nanos }: TimeMessage): string | undefined {
  const second = Number(seconds);
  if (nanos < 0 || nanos >= NANOS_PER_SECOND || !Number.isSafeInteger(second)) return undefined;
  const day = Math.floor(second / SECONDS_PER_DAY);
  const time = second - day * SECONDS_PER_DAY;
  const clock = `${two(Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)}`;
  return `"${dateOf(day)}T${clock}${fraction(nanos)}Z"`;
}

const DAYS_PER_400_YEARS = 146_097;
/** From 0000-03-01, where the years of this calculation begin, to 1970-01-01. */
const DAYS_TO_1970 = 719_468;

/** The Gregorian date of a day since 1970. Responses contain many times, and with `toISOString` they took half of the total time. */
function dateOf(day: number): string {
  const shifted = day + DAYS_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_400_YEARS);
  const dayOfEra = shifted - era * DAYS_PER_400_YEARS;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - 365 * yearOfEra - Math.floor(yearOfEra / 4) + Math.floor(yearOfEra / 100);
  // The months from March on: 153 days in every five.
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const isNextYear = month >= 10;
  const year = yearOfEra + era * 400 + (isNextYear ? 1 : 0);
  return `${fourDigits(year)}-${two(isNextYear ? month - 9 : month + 3)}-${two(dayOfMonth)}`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

function fourDigits(year: number): string {
  if (year >= 1000) return `${year}`;
  return `${year < 0 ? "-" : ""}${Math.abs(year).toString().padStart(4, "0")}`;
}

export function duration({ seconds, nanos }: TimeMessage): string | undefined {
  const isOneSided = nanos === 0 || seconds === 0n || nanos > 0 === seconds > 0n;
  if (Math.abs(nanos) >= NANOS_PER_SECOND || !isOneSided) return undefined;
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `"${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s"`;
}

function fraction(nanos: number): string {
  return nanos === 0
    ? ""
    : `.${nanos
        .toString()
        .padStart(9, "0")
        .replace(/(000){1,2}$/, "")}`;
}

/** Paths in lowerCamelCase, joined by commas. */
function fieldMask({ paths }: { readonly paths: readonly string[] }): string {
  return quoteJson(
    paths.map((path) => path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(","),
  );
}

/** A Struct in a field is plain JSON. */
export function plainJson(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "string") return quoteJson(value);
  if (typeof value === "number") return double(value);
  if (typeof value === "boolean") return `${value}`;
  if (isList(value)) return `[${value.map(plainJson).join(",")}]`;
  return object(value, (member) => plainJson(member ?? null));
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function value({ kind }: ValueMessage): string {
  switch (kind.case) {
    case "structValue":
      return struct(kind.value);
    case "listValue":
      return list(kind.value);
    case "nullValue":
    case undefined:
      return "null";
    default:
      return plainJson(kind.value);
  }
}

function struct({ fields }: StructMessage): string {
  return object(fields, value);
}

function list({ values }: ListMessage): string {
  return `[${values.map(value).join(",")}]`;
}

/** Members sorted by name, as Go prints any map. */
function object<Value>(members: Readonly<Record<string, Value>>, write: (value: Value) => string): string {
  const names = Object.keys(members).toSorted(byCodePoint);
  return `{${names.map((name) => `${quoteJson(name)}:${write(members[name] as Value)}`).join(",")}}`;
}

/** The order of UTF-8 bytes, in which Go compares; the order of UTF-16 units differs above U+FFFF. */
export function byCodePoint(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return (left.codePointAt(index) ?? -1) - (right.codePointAt(index) ?? -1);
}
