/** Sets fields of a message from texts. The rules that differ between path and query are their callers'. */
import type { DescField } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import type { FieldChain } from "../field-path.ts";
import { enumFromText, scalarFromText, type ScalarValue } from "./scalars.ts";
import { messageFromText } from "./well-known.ts";

/** Whether another member of the field's oneof holds a value. */
function isRivalSet(message: ReflectMessage, field: DescField): boolean {
  const chosen = field.oneof && message.oneofCase(field.oneof);
  return chosen !== undefined && chosen !== field;
}

/** The message that holds the last field of a chain, its parents made as needed; `undefined` where a rival is set. */
export function holderOf(
  root: ReflectMessage,
  chain: FieldChain,
  rivals: "refuse" | "replace",
): ReflectMessage | undefined {
  let holder = root;
  for (const field of chain.slice(0, -1)) {
    if (field.fieldKind !== "message" || (rivals === "refuse" && isRivalSet(holder, field))) return undefined;
    const child = holder.get(field);
    if (!isReflectMessage(child)) return undefined;
    if (!holder.isSet(field)) holder.set(field, child);
    holder = child;
  }
  const last = chain.at(-1);
  return last !== undefined && rivals === "refuse" && isRivalSet(holder, last) ? undefined : holder;
}

/** Sets a field that is neither list nor map; false when the text is none of its values. */
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

/** Appends to a list of scalars or enum values; false for other lists and for texts that are no value. */
export function addToList(holder: ReflectMessage, field: DescField & { fieldKind: "list" }, text: string): boolean {
  if (field.listKind === "message") return false;
  const value = valueFromText(field, text);
  if (value === undefined) return false;
  holder.get(field).add(value);
  return true;
}

/** Adds an entry to a map of scalars or enum values; false when the key is taken or either text is no value. */
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
