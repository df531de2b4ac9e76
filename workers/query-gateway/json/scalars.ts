/**
 * Scalars and enums as a node prints them: Go's encoding/json over protobuf values, and values whose Go type prints
 * itself (scaled decimals, upper-case hex, JSON inside bytes).
 */
import { ScalarType, type DescEnum } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { FieldOptions } from "./field-options.ts";
import { hexOf } from "../../../platform/digest.ts";

/** Everything except `"`, `\`, `<`, `>`, `&`, U+2028, U+2029 and the C0 controls. */
const PLAIN = /^[ !#-%'-;=?-[\]-\u2027\u202a-\uffff]*$/;
/** Characters that Go escapes and JSON.stringify does not, and whole escapes, so that `\\b` is not taken for `\b`. */
const GO_ESCAPED = /[<>&\u2028\u2029]|\\./g;

const FLOAT32_DIGITS = 9;
/** The maximum that ECMAScript prints: enough for every number that could be a tie, which has ten digits or fewer. */
const EXPONENTIAL_DIGITS_MAX = 100;

/** A text in quotes. */
export function quoteJson(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : goEscaped(JSON.stringify(text));
}

/** `json` is JSON text. Only its strings change, because these characters occur only there. */
function goEscaped(json: string): string {
  return json.replaceAll(GO_ESCAPED, (found) => {
    if (found === String.raw`\b`) return String.raw`\u0008`;
    if (found === String.raw`\f`) return String.raw`\u000c`;
    return found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** 64-bit integers are strings in JSON, because doubles cannot represent them. */
function quotedInteger(value: bigint | number | string): string {
  return `"${value}"`;
}

/** ECMAScript and Go agree on the digits and on when to use an exponent, but not on negative zero. */
export function double(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (Number.isNaN(value)) return '"NaN"';
  return value > 0 ? '"Infinity"' : '"-Infinity"';
}

/** The shortest digits that read back as the single-precision number, as Go's strconv finds them. */
export function float(value: number): string {
  if (!Number.isFinite(value) || value === 0) return double(value);
  const size = Math.abs(value);
  for (let digits = 1; digits < FLOAT32_DIGITS; digits += 1) {
    const nearest = roundedToEven(size, digits);
    const found = Math.fround(nearest) === size ? nearest : above(size, nearest, digits);
    if (found !== undefined) return double(value < 0 ? -found : found);
  }
  return double(Number(value.toPrecision(FLOAT32_DIGITS)));
}

/** Of two equally near numbers, `toPrecision` takes the larger; Go takes the one whose last digit is even. */
function roundedToEven(size: number, digits: number): number {
  const rounded = size.toExponential(digits - 1);
  const longer = size.toExponential(digits);
  const [mantissa = "", exponent = "0"] = longer.split("e");
  const isTowardsZero = /[02468]\.?5$/.test(mantissa) && isExact(size, mantissa, exponent);
  return isTowardsZero ? Number(`${mantissa.slice(0, -1)}e${exponent}`) : Number(rounded);
}

/** Whether these are all digits of the number. */
function isExact(size: number, mantissa: string, exponent: string): boolean {
  const [all = "", allExponent] = size.toExponential(EXPONENTIAL_DIGITS_MAX).split("e");
  return allExponent === exponent && all.replace(/0+$/, "") === mantissa.replace(/0+$/, "");
}

/**
 * Below a power of two, numbers are half as far apart as above it. The nearest decimal may then belong to a smaller
 * neighbour, while the next decimal above still reads back as the number itself.
 */
function above(size: number, nearest: number, digits: number): number | undefined {
  if (nearest > size) return undefined;
  const [mantissa = "", exponent = "0"] = nearest.toExponential(digits - 1).split("e");
  const next = Number(`${BigInt(mantissa.replace(".", "")) + 1n}e${Number(exponent) - digits + 1}`);
  return Math.fround(next) === size ? next : undefined;
}

export function base64(bytes: Uint8Array): string {
  return `"${base64Encode(bytes)}"`;
}

/** A LegacyDec is an integer on the wire: the value times 10 to this power. */
const DECIMALS = 18;
const INTEGER = /^(-?)0*(\d+)$/;

/** A whole string, or the blanks between tokens. */
const STRING_OR_BLANKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\n\r]+/g;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Exactly 18 decimals. A text that is not an integer cannot come from a node; it is printed unchanged. */
export function scaledDecimal(text: string): string {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return text === "" ? scaledDecimal("0") : quoteJson(text);
  const padded = digits.padStart(DECIMALS + 1, "0");
  return `"${sign}${padded.slice(0, -DECIMALS)}.${padded.slice(-DECIMALS)}"`;
}

/** An integer of any size. */
export function bigInteger(text: string): string {
  return text === "" ? '"0"' : quoteJson(text);
}

export function upperHex(bytes: Uint8Array): string {
  return `"${hexOf(bytes).toUpperCase()}"`;
}

/** The bytes are JSON: they become part of the document, compacted as Go does it, with all digits of numbers. */
export function rawJson(bytes: Uint8Array): string {
  if (bytes.length === 0) return "null";
  try {
    const text = strictUtf8.decode(bytes);
    JSON.parse(text);
    return text.replaceAll(STRING_OR_BLANKS, (found) => (found.startsWith('"') ? escapeMarkup(found) : ""));
  } catch {
    return base64(bytes);
  }
}

/** The author's own escapes are unchanged, including `\b`: only single characters change. */
function escapeMarkup(string: string): string {
  return string.replaceAll(/[<>&\u2028\u2029]/g, goEscaped);
}

export type WriteValue = (value: unknown) => string;

/** @param cast how its Go type prints a string or bytes; ignored for other types. */
export function scalarWriter(type: ScalarType, cast: FieldOptions["cast"]): WriteValue {
  switch (type) {
    case ScalarType.STRING:
      return stringWriter(cast) as WriteValue;
    case ScalarType.BYTES:
      return bytesWriter(cast) as WriteValue;
    case ScalarType.BOOL:
      return (value) => (value === true ? "true" : "false");
    case ScalarType.DOUBLE:
      return double as WriteValue;
    case ScalarType.FLOAT:
      return float as WriteValue;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return quotedInteger as WriteValue;
    default:
      return (value) => `${value as number}`;
  }
}

function stringWriter(cast: FieldOptions["cast"]): (text: string) => string {
  if (cast === "decimal") return scaledDecimal;
  return cast === "integer" ? bigInteger : quoteJson;
}

const utf8 = new TextDecoder();

function bytesWriter(cast: FieldOptions["cast"]): (bytes: Uint8Array) => string {
  switch (cast) {
    case "hex":
      return upperHex;
    case "json":
      return rawJson;
    // Older modules store these digits in bytes: gov's tally params, slashing's params, mint's inflation.
    case "decimal":
      return (bytes) => scaledDecimal(utf8.decode(bytes));
    case "integer":
      return (bytes) => bigInteger(utf8.decode(bytes));
    default:
      return base64;
  }
}

/** The declared name; the bare number if there is none. */
export function enumWriter(type: DescEnum): WriteValue {
  if (type.typeName === "google.protobuf.NullValue") return () => "null";
  const names = new Map(type.values.toReversed().map(({ number, name }) => [number, `"${name}"`]));
  return (value) => names.get(value as number) ?? `${value as number}`;
}
