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

/** The shortest digits that give the same single-precision number back. */
export function float(value: number): string {
  if (!Number.isFinite(value) || value === 0) return double(value);
  let digits = 1;
  while (digits < FLOAT32_DIGITS && Math.fround(Number(value.toPrecision(digits))) !== value) digits += 1;
  return double(Number(value.toPrecision(digits)));
}

export function base64(bytes: Uint8Array): string {
  return `"${base64Encode(bytes)}"`;
}
