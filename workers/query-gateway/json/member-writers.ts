/**
 * Compiles the members of a message type: how each is printed, set and unset. A node prints every member, in the order
 * of declaration, under its proto name; only an unset oneof has none.
 */
import { create, ScalarType, type DescField, type DescMessage, type DescOneof } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { FieldOptions } from "./field-options.ts";
import type { Writing } from "./writing.ts";
import { enumWriter, scalarWriter, type WriteValue, quoteJson } from "./scalars.ts";
import { byCodePoint, plainJson } from "./well-known.ts";

/** A message in protobuf-es form. */
export interface Fields {
  readonly $unknown?: readonly unknown[];
  readonly [localName: string]: unknown;
}

/** `"name":value`, or an empty text. */
type WriteMember = (message: Fields) => string;

interface OneofValue {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/** Go's output for the zero of its time.Time. */
const ZERO_TIME = '"0001-01-01T00:00:00Z"';

export function memberWriters(type: DescMessage, writing: Writing): readonly WriteMember[] {
  return type.members.map((member) => {
    if (member.kind === "oneof") return oneofWriter(member, writing);
    const prefix = prefixOf(member);
    const write = valueOfField(member, writing);
    return (message) => prefix + write(message);
  });
}

function prefixOf({ name }: DescField): string {
  return `${quoteJson(name)}:`;
}

/** A set oneof prints its member even if the value is zero or empty. */
function oneofWriter({ localName, fields }: DescOneof, writing: Writing): WriteMember {
  const cases = new Map(
    fields.map((field) => [field.localName, { prefix: prefixOf(field), write: itemWriter(field, writing) }]),
  );
  return (message) => {
    const { case: name, value } = message[localName] as OneofValue;
    const chosen = name === undefined ? undefined : cases.get(name);
    return chosen === undefined ? "" : chosen.prefix + chosen.write(value);
  };
}

/** The value of the field, read from its message; empty if it belongs to a oneof with another case. */
export function valueOfField(field: DescField, writing: Writing): (message: Fields) => string {
  const { localName } = field;
  if (field.oneof !== undefined) {
    const oneofName = field.oneof.localName;
    const write = itemWriter(field, writing);
    return (message) => {
      const { case: name, value } = message[oneofName] as OneofValue;
      return name === localName ? write(value) : "";
    };
  }
  switch (field.fieldKind) {
    case "list": {
      const write = itemWriter(field, writing);
      return (message) => listText(message[localName] as readonly unknown[], write);
    }
    case "map": {
      const write = itemWriter(field, writing);
      const order = field.mapKey === ScalarType.STRING || field.mapKey === ScalarType.BOOL ? byCodePoint : byNumber;
      return (message) => mapText(message[localName] as Readonly<Record<string, unknown>>, order, write);
    }
    default:
      return singularWriter(field, writing);
  }
}

function singularWriter(
  field: DescField & { fieldKind: "scalar" | "enum" | "message" },
  writing: Writing,
): (message: Fields) => string {
  const { localName } = field;
  const options = writing.optionsOf(field);
  const write = itemWriter(field, writing);
  if (field.fieldKind !== "message" && field.presence === FeatureSet_FieldPresence.IMPLICIT) {
    const absent = absentScalar(field, options);
    if (absent === undefined) return (message) => write(message[localName]);
    return (message) => {
      const value = message[localName] as string | Uint8Array;
      return value.length === 0 ? absent : write(value);
    };
  }
  const absent = absentMessage(field, options, writing);
  return (message) => {
    const value = message[localName];
    // With explicit presence the prototype contains a default, which is not the message's own.
    return value !== undefined && Object.hasOwn(message, localName) ? write(value) : absent();
  };
}

/** A nil slice or pointer in Go; undefined if the zero value prints itself. */
function absentScalar(field: DescField, { isValue, cast }: FieldOptions): string | undefined {
  // Number types of Go are stored as strings or bytes; with `nullable=false` their zero is a number.
  if (cast === "decimal" || cast === "integer") return isValue ? undefined : "null";
  if (field.scalar !== ScalarType.BYTES) return undefined;
  return cast === "hex" ? '""' : "null";
}

/** A value in Go is never absent: its zero is printed, with all its members. */
function absentMessage(field: DescField, { isValue, isStandardTime }: FieldOptions, writing: Writing): () => string {
  const { message: type } = field;
  if (!isValue || type === undefined) return () => "null";
  if (isStandardTime) return () => ZERO_TIME;
  let text: string | undefined;
  return () => (text ??= writing.messageOf(type)(create(type)));
}

/** One value: of a singular field, of a list, of a map. */
function itemWriter(field: DescField, writing: Writing): WriteValue {
  const { cast } = writing.optionsOf(field);
  if (field.enum !== undefined) return enumWriter(field.enum);
  if (field.message === undefined) return scalarWriter(field.scalar, cast);
  const type = field.message;
  // In protobuf-es, a Struct field is plain JSON, and a singular wrapper is the bare value.
  if (type.typeName === "google.protobuf.Struct" && field.parent.typeName !== "google.protobuf.Value")
    return plainJson as WriteValue;
  const [wrapped] = type.fields;
  if (field.fieldKind === "message" && !field.oneof && isWrapperDesc(type) && wrapped?.fieldKind === "scalar")
    return scalarWriter(wrapped.scalar, undefined);
  return writing.messageOf(type);
}

function listText(items: readonly unknown[], write: WriteValue): string {
  let text = "";
  for (const item of items) text = text === "" ? write(item) : `${text},${write(item)}`;
  return `[${text}]`;
}

function mapText(
  entries: Readonly<Record<string, unknown>>,
  order: (left: string, right: string) => number,
  write: WriteValue,
): string {
  const keys = Object.keys(entries).toSorted(order);
  return `{${keys.map((key) => `${quoteJson(key)}:${write(entries[key])}`).join(",")}}`;
}

function byNumber(left: string, right: string): number {
  const difference = BigInt(left) - BigInt(right);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
