/**
 * The gogoproto options that decide how a field is printed, read from its descriptor. Go types are recognised by the
 * last element of their path, because its beginning has changed between chain generations.
 */
import { getOption, hasOption, type DescExtension, type DescField, type Registry } from "@bufbuild/protobuf";

export interface FieldOptions {
  /** `nullable=false`: a value in Go, so never `null`. */
  readonly isValue: boolean;
  /** Go's own time or duration, whose zero differs from the protobuf type's. */
  readonly isStandardTime: boolean;
  /** How the value prints itself, if its Go type does. */
  readonly cast?: "decimal" | "integer" | "hex" | "json";
}

const CASTS: Readonly<Record<string, FieldOptions["cast"]>> = {
  Dec: "decimal",
  LegacyDec: "decimal",
  Int: "integer",
  Uint: "integer",
};

export type ReadOptions = (field: DescField) => FieldOptions;

/** The options are looked up in the registry itself; a descriptor set without them has none set. */
export function fieldOptionsReader(registry: Registry): ReadOptions {
  const option = (name: string): DescExtension | undefined => registry.getExtension(`gogoproto.${name}`);
  const [nullable, customType, castType, standardTime] = ["nullable", "customtype", "casttype", "stdtime"].map(option);
  const read = (field: DescField, option: DescExtension | undefined): unknown =>
    option !== undefined && hasOption(field, option) ? getOption(field, option) : undefined;
  return (field) => ({
    isValue: read(field, nullable) === false,
    isStandardTime: read(field, standardTime) === true,
    cast: castOf(read(field, customType), read(field, castType)),
  });
}

function castOf(customType: unknown, castType: unknown): FieldOptions["cast"] {
  const custom = typeof customType === "string" ? CASTS[lastElement(customType)] : undefined;
  if (custom !== undefined) return custom;
  if (typeof castType !== "string") return undefined;
  if (castType.endsWith("HexBytes")) return "hex";
  // From wasmd and from Go's own encoding/json: both print the JSON that they contain.
  return /(?:RawContractMessage|json\.RawMessage)$/.test(castType) ? "json" : undefined;
}

/** `LegacyDec` for `cosmossdk.io/math.LegacyDec`. */
function lastElement(goType: string): string {
  return goType.slice(Math.max(goType.lastIndexOf("."), goType.lastIndexOf("/")) + 1);
}
