/**
 * Equality of two JSON values as JSON Schema defines it, independent of the order of members. Callers limit the depth of values.
 */
import { isJsonObject, type JsonValue } from "../../platform/json.ts";

export function same(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  const comparable = typeof one === "object" && typeof other === "object" && one !== null && other !== null;
  return comparable && canonical(one) === canonical(other);
}

const texts = new WeakMap<object, string>();

/** Equal values have equal texts; the text of a list or an object is cached. */
export function canonical(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = texts.get(value) ?? sorted(value);
  texts.set(value, text);
  return text;
}

function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
