/**
 * Texts of paths and queries to scalar values (contract D, section 3). Shared by both, so that a value reads the same in
 * either place. `undefined` means that the text is none of the type's values.
 */
import { ScalarType, type DescEnum } from "@bufbuild/protobuf";
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

/** A value's name as declared, or the number of a known one. */
export function enumFromText(type: DescEnum, text: string): number | undefined {
  const named = type.values.find(({ name }) => name === text);
  if (named !== undefined) return named.number;
  const number = narrowed(integerFromText(text, -(2n ** 31n), 2n ** 31n - 1n));
  return type.values.some((value) => value.number === number) ? number : undefined;
}

/** Digits may be parted by `_`, as programs write them; leading zeros are decimal. */
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

/** Written so that no text makes it go back over its digits. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^([+-]?)Inf(?:inity)?$/;

function floatFromText(text: string): number | undefined {
  if (text === "NaN") return Number.NaN;
  const infinite = INFINITE.exec(text);
  if (infinite !== null) return infinite[1] === "-" ? -Infinity : Infinity;
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  // Out of range, which is not the same as infinite.
  return Number.isFinite(value) ? value : undefined;
}

/** Rounded to what the field can hold. */
function singleFromText(text: string): number | undefined {
  const value = floatFromText(text);
  if (value === undefined) return undefined;
  const rounded = Math.fround(value);
  return Number.isFinite(value) && !Number.isFinite(rounded) ? undefined : rounded;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Standard or URL-safe base64, padded or not. A space is a `+` that a query's decoding took away. */
function bytesFromText(text: string): Uint8Array | undefined {
  const mended = text.replaceAll(" ", "+");
  if (!BASE64.test(mended)) return undefined;
  const bare = mended.replace(/=+$/, "");
  const isPadded = bare.length < mended.length;
  if (bare.length % 4 === 1 || (isPadded && mended.length % 4 !== 0)) return undefined;
  return base64Decode(bare);
}
