/**
 * Scalars as a node prints them: Go's encoding/json over protobuf values (contract D, section 4). Each function gives the
 * JSON text of one value; what an absent value looks like is the field's business (member-writers.ts).
 */
import { base64Encode } from "@bufbuild/protobuf/wire";

/** Everything but `"`, `\`, `<`, `>`, `&`, U+2028, U+2029 and the C0 controls. */
const PLAIN = /^[ !#-%'-;=?-[\]-\u2027\u202a-\uffff]*$/;
/** What JSON.stringify leaves and Go escapes, and escapes as a whole, so that `\\b` is not taken for `\b`. */
const GO_ESCAPED = /[<>&\u2028\u2029]|\\./g;

const FLOAT32_DIGITS = 9;
/** What ECMAScript prints at most: enough for every number that could be a tie, which has ten digits or fewer. */
const EXPONENTIAL_DIGITS_MAX = 100;

/** A text in quotes. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : goEscaped(JSON.stringify(text));
}

/** `json` is JSON text; what changes is inside its strings, since only there can any of it stand. */
export function goEscaped(json: string): string {
  return json.replaceAll(GO_ESCAPED, (found) => {
    if (found === String.raw`\b`) return String.raw`\u0008`;
    if (found === String.raw`\f`) return String.raw`\u000c`;
    return found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** 64-bit integers are strings in JSON: doubles could not hold them. */
export function quotedInteger(value: bigint | number | string): string {
  return `"${value}"`;
}

/** ECMAScript and Go agree on the digits and on when to use an exponent, not on the negative zero. */
export function double(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (Number.isNaN(value)) return '"NaN"';
  return value > 0 ? '"Infinity"' : '"-Infinity"';
}

/** The shortest digits that give the same single-precision number back, as Go's strconv finds them. */
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

/** `toPrecision` takes the larger of two numbers that are equally near; Go takes the one whose last digit is even. */
function roundedToEven(size: number, digits: number): number {
  const rounded = size.toExponential(digits - 1);
  const longer = size.toExponential(digits);
  const [mantissa = "", exponent = "0"] = longer.split("e");
  const isTowardsZero = /[02468]\.?5$/.test(mantissa) && isExact(size, mantissa, exponent);
  return isTowardsZero ? Number(`${mantissa.slice(0, -1)}e${exponent}`) : Number(rounded);
}

/** Whether these digits are all the digits that the number has. */
function isExact(size: number, mantissa: string, exponent: string): boolean {
  const [all = "", allExponent] = size.toExponential(EXPONENTIAL_DIGITS_MAX).split("e");
  return allExponent === exponent && all.replace(/0+$/, "") === mantissa.replace(/0+$/, "");
}

/**
 * Below a power of two the numbers lie half as far apart as above it. The nearest decimal may then lie below, at a neighbour, and
 * the next one above still be the number itself.
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
