/**
 * Converts text of paths and queries to values: scalars, enums, and the google.protobuf messages with a text form
 * (Timestamp, Duration, FieldMask, wrappers). `undefined` means that the text is not a value of the type.
 */
import { ScalarType, type DescEnum, type DescMessage } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { base64Decode } from "@bufbuild/protobuf/wire";

export type ScalarValue = string | number | bigint | boolean | Uint8Array;

export function scalarFromText(type: ScalarType, text: string): ScalarValue | undefined {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return boolFromText(text);
    case ScalarType.BYTES:
      return bytesFromText(text);
    case ScalarType.DOUBLE:
      return floatFromText(text);
    case ScalarType.FLOAT:
      return singleFromText(text);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return narrowed(integerFromText(text, -(2n ** 31n), 2n ** 31n - 1n));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return narrowed(integerFromText(text, 0n, 2n ** 32n - 1n));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integerFromText(text, -(2n ** 63n), 2n ** 63n - 1n);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integerFromText(text, 0n, 2n ** 64n - 1n);
  }
}

/** A value's declared name, or the number of a known value. */
export function enumFromText(type: DescEnum, text: string): number | undefined {
  const named = type.values.find(({ name }) => name === text);
  if (named !== undefined) return named.number;
  const number = narrowed(integerFromText(text, -(2n ** 31n), 2n ** 31n - 1n));
  return type.values.some((value) => value.number === number) ? number : undefined;
}

/** Digits can be separated by `_`, as in programs; leading zeros are decimal. */
const INTEGER =
  /^([+-]?)(0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*|\d+(?:_\d+)*)$/;

function integerFromText(text: string, least: bigint, greatest: bigint): bigint | undefined {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const magnitude = BigInt(digits.replaceAll("_", ""));
  const value = sign === "-" ? -magnitude : magnitude;
  return value >= least && value <= greatest ? value : undefined;
}

function narrowed(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

const FALSE_TEXTS: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"]);
const TRUE_TEXTS: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);

function boolFromText(text: string): boolean | undefined {
  if (TRUE_TEXTS.has(text)) return true;
  return FALSE_TEXTS.has(text) ? false : undefined;
}

/** Written so that it never backtracks over digits. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^([+-]?)Inf(?:inity)?$/;

function floatFromText(text: string): number | undefined {
  if (text === "NaN") return Number.NaN;
  const infinite = INFINITE.exec(text);
  if (infinite !== null) return infinite[1] === "-" ? -Infinity : Infinity;
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  // Out of range, which is not infinity.
  return Number.isFinite(value) ? value : undefined;
}

/** Rounded to the precision of the field. */
function singleFromText(text: string): number | undefined {
  const value = floatFromText(text);
  if (value === undefined) return undefined;
  const rounded = Math.fround(value);
  return Number.isFinite(value) && !Number.isFinite(rounded) ? undefined : rounded;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Standard or URL-safe base64, padded or not. A space is a `+` that the query's decoding replaced. */
function bytesFromText(text: string): Uint8Array | undefined {
  const mended = text.replaceAll(" ", "+");
  if (!BASE64.test(mended)) return undefined;
  const bare = mended.replace(/=+$/, "");
  const isPadded = bare.length < mended.length;
  if (bare.length % 4 === 1 || (isPadded && mended.length % 4 !== 0)) return undefined;
  return base64Decode(bare);
}

/** `null` for a text that leaves the field unset, `undefined` for an invalid one. */
type TextReader = (type: DescMessage, text: string) => ReflectMessage | null | undefined;

const readers: ReadonlyMap<string, TextReader> = new Map<string, TextReader>([
  ["google.protobuf.Timestamp", readTimestamp],
  ["google.protobuf.Duration", readDuration],
  ["google.protobuf.FieldMask", readFieldMask],
  // In JSON the bare value is a literal with only these two spellings.
  [
    "google.protobuf.BoolValue",
    (type, text) => (text === "true" || text === "false" ? readWrapper(type, text) : undefined),
  ],
  ...["Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes"].map((name): [string, TextReader] => [
    `google.protobuf.${name}Value`,
    readWrapper,
  ]),
]);

export function readsFromText(type: DescMessage): boolean {
  return readers.has(type.typeName);
}

export function messageFromText(type: DescMessage, text: string): ReflectMessage | null | undefined {
  return readers.get(type.typeName)?.(type, text);
}

function readWrapper(type: DescMessage, text: string): ReflectMessage | undefined {
  const [field] = type.fields;
  if (field?.fieldKind !== "scalar") return undefined;
  const value = scalarFromText(field.scalar, text);
  if (value === undefined) return undefined;
  const message = reflect(type);
  message.set(field, value);
  return message;
}

function readFieldMask(type: DescMessage, text: string): ReflectMessage | undefined {
  const message = reflect(type);
  const [paths] = type.fields;
  if (paths?.fieldKind !== "list") return undefined;
  const list = message.get(paths);
  for (const path of text.split(",")) if (path !== "") list.add(path);
  return message;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;
/** Seconds of 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the limits of a Timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

function readTimestamp(type: DescMessage, text: string): ReflectMessage | null | undefined {
  if (text === "null") return null;
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = "", sign = "+", offsetHour = "0", offsetMinute = "0"] = match.slice(7);
  if (hour > 23 || minute > 59 || second > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have overflows into the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHour) * 3600 + Number(offsetMinute) * 60);
  const seconds = BigInt(date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset);
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined;
  return secondsAndNanos(type, seconds, Number(fraction.padEnd(9, "0")));
}

const DURATION = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;
const DURATION_PART = /(\d*)\.?(\d*)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
const NANOS_PER_UNIT: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["\u00b5s", 1000n],
  ["\u03bcs", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const NANOS_PER_SECOND = 1_000_000_000n;
/** Ten thousand years, the limit of a Duration. */
const LONGEST_SECONDS = 315_576_000_000n;

/** `3.5s` as in JSON, and Go's `1h2m3.5s`. */
function readDuration(type: DescMessage, text: string): ReflectMessage | null | undefined {
  if (text === "null") return null;
  if (/^[+-]?0$/.test(text)) return secondsAndNanos(type, 0n, 0);
  const [, sign, parts] = DURATION.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of parts.matchAll(DURATION_PART)) {
    const scale = NANOS_PER_UNIT.get(unit) ?? 0n;
    nanos += BigInt(whole) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > LONGEST_SECONDS * NANOS_PER_SECOND) return undefined;
  if (sign === "-") nanos = -nanos;
  return secondsAndNanos(type, nanos / NANOS_PER_SECOND, Number(nanos % NANOS_PER_SECOND));
}

/** In both Timestamp and Duration, the first field counts seconds, the second nanoseconds. */
function secondsAndNanos(type: DescMessage, seconds: bigint, nanos: number): ReflectMessage | undefined {
  const [first, second] = type.fields;
  if (first === undefined || second === undefined) return undefined;
  const message = reflect(type);
  message.set(first, seconds);
  message.set(second, nanos);
  return message;
}
