/**
 * JSON Schemas of messages as the writer prints them (contract D, sections 4 and 11): proto names, 64-bit integers as text,
 * `null` where a node prints it and nowhere else. Each message type is a component under its full name.
 */
import { ScalarType, type DescField, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "../../platform/json.ts";
import { fieldOptionsReader, type FieldOptions, type ReadOptions } from "../json/field-options.ts";

/** Writes the components that it names into `components`. */
export interface SchemaWriter {
  /** A reference, or the form of a well-known type. */
  readonly ofMessage: (type: DescMessage) => JsonObject;
  /** Of one value of a field, without a list, a map or `null` around it: what a query or a path holds. */
  readonly ofValue: (field: DescField) => JsonObject;
  /** As the member of its message. */
  readonly ofMember: (field: DescField) => JsonObject;
}

export function schemaWriter(registry: Registry, components: Record<string, JsonObject>): SchemaWriter {
  const optionsOf: ReadOptions = fieldOptionsReader(registry);

  function ofMessage(type: DescMessage): JsonObject {
    const special = wellKnown[type.typeName];
    if (special !== undefined) return special;
    const [wrapped] = type.fields;
    if (isWrapperDesc(type) && wrapped !== undefined) return ofValue(wrapped);
    if (!Object.hasOwn(components, type.typeName)) {
      // Named before its members are: a type may hold itself.
      components[type.typeName] = {};
      const members = type.fields.map((field): [string, JsonObject] => [field.name, ofMember(field)]);
      const required = type.fields.filter(({ oneof }) => oneof === undefined).map(({ name }) => name);
      components[type.typeName] = {
        type: "object",
        ...(members.length > 0 && { properties: Object.fromEntries(members) }),
        ...(required.length > 0 && { required }),
      };
    }
    return { $ref: `#/components/schemas/${type.typeName}` };
  }

  function ofValue(field: DescField): JsonObject {
    if (field.enum !== undefined) return { type: "string", enum: field.enum.values.map(({ name }) => name) };
    if (field.message !== undefined) return ofMessage(field.message);
    const { cast } = optionsOf(field);
    return (cast && casts[cast]) ?? scalars[field.scalar ?? ScalarType.STRING];
  }

  function ofMember(field: DescField): JsonObject {
    const value = ofValue(field);
    if (field.fieldKind === "list") return { type: "array", items: value };
    if (field.fieldKind === "map") return { type: "object", additionalProperties: value };
    return canBeNull(field, optionsOf(field)) ? orNull(value) : value;
  }

  return { ofMessage, ofValue, ofMember };
}

/** As json/member-writers.ts has it. */
function canBeNull(field: DescField, { isValue, cast }: FieldOptions): boolean {
  if (field.oneof !== undefined) return false;
  if (field.fieldKind === "message") return !isValue;
  if (cast === "decimal" || cast === "integer") return !isValue;
  return (field.scalar === ScalarType.BYTES && cast !== "hex") || field.presence === FeatureSet_FieldPresence.EXPLICIT;
}

function orNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  return typeof type === "string" ? { ...schema, type: [type, "null"] } : { anyOf: [schema, { type: "null" }] };
}

const casts: Readonly<Record<NonNullable<FieldOptions["cast"]>, JsonObject>> = {
  decimal: { type: "string", format: "decimal18" },
  integer: { type: "string", format: "integer" },
  hex: { type: "string", format: "hex" },
  json: {},
};

const long = (format: string): JsonObject => ({ type: "string", format });
const whole = (format: string): JsonObject => ({ type: "integer", format });
const real = (format: string): JsonObject => ({ type: ["number", "string"], format });

const scalars: Readonly<Record<ScalarType, JsonObject>> = {
  [ScalarType.DOUBLE]: real("double"),
  [ScalarType.FLOAT]: real("float"),
  [ScalarType.INT64]: long("int64"),
  [ScalarType.UINT64]: long("uint64"),
  [ScalarType.INT32]: whole("int32"),
  [ScalarType.FIXED64]: long("uint64"),
  [ScalarType.FIXED32]: whole("uint32"),
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
  [ScalarType.UINT32]: whole("uint32"),
  [ScalarType.SFIXED32]: whole("int32"),
  [ScalarType.SFIXED64]: long("int64"),
  [ScalarType.SINT32]: whole("int32"),
  [ScalarType.SINT64]: long("int64"),
};

const wellKnown: Readonly<Record<string, JsonObject>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", format: "duration-seconds" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
  "google.protobuf.ListValue": { type: "array" },
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string" } },
    required: ["@type"],
    additionalProperties: true,
  },
};
