/** Fields of a message: found by proto name or JSON name, bound to a template's variables, and set from text. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { failure, success, type Result } from "../../../platform/result.ts";
import {
  readsFromText,
  enumFromText,
  scalarFromText,
  type ScalarValue,
  messageFromText,
} from "./request/text-values.ts";

/** Fields from the request message down to the target; never empty. */
export type FieldChain = readonly [DescField, ...DescField[]];

const names = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

export function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  const known = names.get(message) ?? readNames(message);
  return known.get(name);
}

/** If the JSON name of one field is the proto name of another, the proto name wins. */
function readNames(message: DescMessage): ReadonlyMap<string, DescField> {
  const known = new Map([
    ...message.fields.map((field) => [field.jsonName, field] as const),
    ...message.fields.map((field) => [field.name, field] as const),
  ]);
  names.set(message, known);
  return known;
}

/** Types that are JSON themselves: their inner fields have no names in a query. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/** Whether a dotted name can continue below this field. */
export function hasNamedFields(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && !JSON_TYPES.has(field.message.typeName) && !isWrapperDesc(field.message);
}

/** The fields in a template's variable, or why it cannot be bound to them. */
export function bindVariable(message: DescMessage, path: readonly string[]): Result<FieldChain, string> {
  const name = path.join(".");
  const chain: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const part of path) {
    const field: DescField | undefined = parent && fieldNamed(parent, part);
    if (field === undefined) return failure(`${name} is not a field of ${message.typeName}`);
    chain.push(field);
    parent = hasNamedFields(field) ? field.message : undefined;
  }
  const [first, ...rest] = chain;
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return failure("a variable names no field");
  return isBindable(last) ? success([first, ...rest]) : failure(`${name} cannot be written as a part of a path`);
}

function isBindable(field: DescField): boolean {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
      return true;
    case "list":
      return field.listKind !== "message";
    case "message":
      return readsFromText(field.message);
    case "map":
      return false;
  }
}

/** Whether another member of the field's oneof has a value. */
function isSiblingSet(message: ReflectMessage, field: DescField): boolean {
  const chosen = field.oneof && message.oneofCase(field.oneof);
  return chosen !== undefined && chosen !== field;
}

/**
 * The message that contains the last field of a chain, with its parents created as needed; `undefined` if a oneof
 * sibling is set.
 */
export function holderOf(
  root: ReflectMessage,
  chain: FieldChain,
  siblings: "refuse" | "replace",
): ReflectMessage | undefined {
  let holder = root;
  for (const field of chain.slice(0, -1)) {
    if (field.fieldKind !== "message" || (siblings === "refuse" && isSiblingSet(holder, field))) return undefined;
    const child = holder.get(field);
    if (!isReflectMessage(child)) return undefined;
    if (!holder.isSet(field)) holder.set(field, child);
    holder = child;
  }
  const last = chain.at(-1);
  return last !== undefined && siblings === "refuse" && isSiblingSet(holder, last) ? undefined : holder;
}

/** Sets a field that is neither list nor map; false if the text is not one of its values. */
export function setSingular(holder: ReflectMessage, field: DescField, text: string): boolean {
  switch (field.fieldKind) {
    case "scalar":
    case "enum": {
      const value = valueFromText(field, text);
      if (value === undefined) return false;
      holder.set(field, value);
      return true;
    }
    case "message": {
      const value = messageFromText(field.message, text);
      if (value === undefined) return false;
      if (value === null) holder.clear(field);
      else holder.set(field, value);
      return true;
    }
    default:
      return false;
  }
}

/** Appends to a list of scalars or enum values; false for other lists and for invalid texts. */
export function addToList(holder: ReflectMessage, field: DescField & { fieldKind: "list" }, text: string): boolean {
  if (field.listKind === "message") return false;
  const value = valueFromText(field, text);
  if (value === undefined) return false;
  holder.get(field).add(value);
  return true;
}

/** Adds an entry to a map of scalars or enum values; false if the key exists or either text is invalid. */
export function addToMap(
  holder: ReflectMessage,
  field: DescField & { fieldKind: "map" },
  key: string,
  text: string,
): boolean {
  if (field.mapKind === "message") return false;
  const mapKey = scalarFromText(field.mapKey, key);
  const value = valueFromText(field, text);
  if (value === undefined || mapKey === undefined || mapKey instanceof Uint8Array) return false;
  const map = holder.get(field);
  if (map.has(mapKey)) return false;
  map.set(mapKey, value);
  return true;
}

type ScalarOrEnum = DescField &
  ({ scalar: NonNullable<DescField["scalar"]> } | { enum: NonNullable<DescField["enum"]> });

function valueFromText(field: ScalarOrEnum, text: string): ScalarValue | undefined {
  return field.enum === undefined ? scalarFromText(field.scalar, text) : enumFromText(field.enum, text);
}
