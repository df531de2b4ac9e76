/** Which function prints which scalar type or enum. */
import { ScalarType, type DescEnum } from "@bufbuild/protobuf";
import { bigInteger, rawJson, scaledDecimal, upperHex } from "./cast-values.ts";
import type { FieldOptions } from "./field-options.ts";
import { base64, double, float, quoted, quotedInteger } from "./scalars.ts";

export type WriteValue = (value: unknown) => string;

/** @param cast what its Go type makes of a string or of bytes; of no meaning for other types. */
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
  return cast === "integer" ? bigInteger : quoted;
}

const utf8 = new TextDecoder();

function bytesWriter(cast: FieldOptions["cast"]): (bytes: Uint8Array) => string {
  switch (cast) {
    case "hex":
      return upperHex;
    case "json":
      return rawJson;
    // Older modules keep the same digits in bytes: gov's tally params, slashing's params, mint's inflation.
    case "decimal":
      return (bytes) => scaledDecimal(utf8.decode(bytes));
    case "integer":
      return (bytes) => bigInteger(utf8.decode(bytes));
    default:
      return base64;
  }
}

/** The declared name; the bare number where there is none. */
export function enumWriter(type: DescEnum): WriteValue {
  if (type.typeName === "google.protobuf.NullValue") return () => "null";
  const names = new Map(type.values.toReversed().map(({ number, name }) => [number, `"${name}"`]));
  return (value) => names.get(value as number) ?? `${value as number}`;
}
