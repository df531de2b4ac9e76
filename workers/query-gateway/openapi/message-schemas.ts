/**
 * JSON Schemas of messages, in two forms. As the writer prints them: proto names, 64-bit integers as text, and `null`
 * exactly where a node prints it; each type is a component with its full name. As a request can contain them: nothing
 * is required, because proto3 requires nothing, and any member can be `null`; these components are named `<full
 * name>-request`.
 */
import {
  ScalarType,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Registry,
  type DescFile,
  type DescMethod,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "../../../platform/json.ts";
import { fieldOptionsReader, type FieldOptions, type ReadOptions } from "../json/field-options.ts";

/** Writes the components that it refers to into `components`. */
export interface SchemaWriter {
  /** A reference, or the form of a well-known type. */
  readonly ofMessage: (type: DescMessage) => JsonObject;
  /** The schema of a field's value in a path or a query, where an enum is a known name. */
  readonly ofParameter: (field: DescField) => JsonObject;
  /** The schema of a member of its message. */
  readonly ofMember: (field: DescField) => JsonObject;
}

type SchemaUse = "answer" | "request";

export function schemaWriter(
  registry: Registry,
  components: Record<string, JsonObject>,
  use: SchemaUse = "answer",
): SchemaWriter {
  const optionsOf: ReadOptions = fieldOptionsReader(registry);
  const isRequest = use === "request";

  function ofMessage(type: DescMessage): JsonObject {
    const special = wellKnown[type.typeName];
    if (special !== undefined) return special;
    const [wrapped] = type.fields;
    if (isWrapperDesc(type) && wrapped !== undefined) return ofValue(wrapped);
    const name = isRequest ? `${type.typeName}-request` : type.typeName;
    if (!Object.hasOwn(components, name)) {
      // Registered before its members are, because a type may contain itself.
      components[name] = {};
      const members = type.fields.map((field): [string, JsonObject] => [
        field.name,
        { ...ofMember(field), ...notesOf(field) },
      ]);
      const required = isRequest
        ? []
        : type.fields.filter(({ oneof }) => oneof === undefined).map((field) => field.name);
      components[name] = {
        type: "object",
        ...notesOf(type),
        ...(members.length > 0 && { properties: Object.fromEntries(members) }),
        ...(required.length > 0 && { required }),
      };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of one value of a field, without a list, a map or `null` around it. */
  function ofValue(field: DescField): JsonObject {
    // A newer chain has values that the descriptor set does not know: they are printed as numbers.
    if (field.enum !== undefined) return { anyOf: [namesOf(field.enum), { type: "integer", format: "int32" }] };
    if (field.message !== undefined) return ofMessage(field.message);
    const { cast } = optionsOf(field);
    const schema = (cast && casts[cast]) ?? scalars[field.scalar ?? ScalarType.STRING];
    // A request can contain a long integer in both forms.
    return isRequest && isLong(schema) ? { ...schema, type: ["string", "integer"] } : schema;
  }

  function ofParameter(field: DescField): JsonObject {
    return field.enum === undefined ? ofValue(field) : namesOf(field.enum);
  }

  function ofMember(field: DescField): JsonObject {
    const schema = aroundValue(field, ofValue(field));
    if (isRequest) return orNull(schema);
    return canBeNull(field, optionsOf(field)) ? orNull(schema) : schema;
  }

  return { ofMessage, ofParameter, ofMember };
}

function aroundValue({ fieldKind }: DescField, value: JsonObject): JsonObject {
  if (fieldKind === "list") return { type: "array", items: value };
  return fieldKind === "map" ? { type: "object", additionalProperties: value } : value;
}

function namesOf({ values }: DescEnum): JsonObject {
  return { type: "string", enum: values.map(({ name }) => name) };
}

function isLong({ type, format }: JsonObject): boolean {
  return type === "string" && (format === "int64" || format === "uint64");
}

/** Follows the rules of json/member-writers.ts. */
function canBeNull(field: DescField, { isValue, cast }: FieldOptions): boolean {
  if (field.oneof !== undefined || field.fieldKind === "list" || field.fieldKind === "map") return false;
  if (field.fieldKind === "message") return !isValue;
  if (cast === "decimal" || cast === "integer") return !isValue;
  return (field.scalar === ScalarType.BYTES && cast !== "hex") || field.presence === FeatureSet_FieldPresence.EXPLICIT;
}

function orNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (typeof type === "string") return { ...schema, type: [type, "null"] };
  if (Array.isArray(type)) return { ...schema, type: [...(type as readonly string[]), "null"] };
  // Any JSON includes `null`.
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };
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

type Noted = DescField | DescMessage | DescMethod;

export function notesOf(desc: Noted): JsonObject {
  const text = commentOf(desc);
  return { ...(text !== undefined && { description: text }), ...(desc.deprecated && { deprecated: true }) };
}

/** Comments of a file by the path of the described item: field numbers of google/protobuf/descriptor.proto, joined. */
const comments = new WeakMap<DescFile, ReadonlyMap<string, string>>();

const [FILE_MESSAGE, FILE_SERVICE, MESSAGE_FIELD, MESSAGE_NESTED, SERVICE_METHOD] = [4, 6, 2, 3, 2];

function commentOf(desc: Noted): string | undefined {
  const file = desc.kind === "message" ? desc.file : desc.parent.file;
  const known = comments.get(file) ?? commentsIn(file);
  comments.set(file, known);
  return known.size === 0 ? undefined : known.get(placeOf(desc).join("."));
}

function commentsIn({ proto }: DescFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { path, leadingComments } of proto.sourceCodeInfo?.location ?? []) {
    // Each line begins with the space after its slashes.
    const text = leadingComments.replaceAll(/^ /gm, "").trim();
    if (text !== "") found.set(path.join("."), text);
  }
  return found;
}

function placeOf(desc: Noted): readonly number[] {
  switch (desc.kind) {
    case "message":
      return desc.parent === undefined
        ? [FILE_MESSAGE, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...placeOf(desc.parent), MESSAGE_NESTED, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case "field":
      return [...placeOf(desc.parent), MESSAGE_FIELD, desc.parent.proto.field.indexOf(desc.proto)];
    case "rpc":
      return [
        FILE_SERVICE,
        desc.parent.file.proto.service.indexOf(desc.parent.proto),
        SERVICE_METHOD,
        desc.parent.proto.method.indexOf(desc.proto),
      ];
  }
}
