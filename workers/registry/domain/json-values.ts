/** JSON values: equality, JSON pointers (RFC 6901) and merge patches (RFC 7396). */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";

/** Recurses, so it is only for values of bounded depth. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}

/** Escapes a member's name as one token of a pointer. */
export function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Undefined if the pointer leads nowhere. */
export function valueAt(value: unknown, pointer: string): unknown {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return tokens.reduce<unknown>((inner, token) => {
    if (Array.isArray(inner))
      return /^(?:0|[1-9]\d*)$/.test(token) ? (inner as readonly unknown[])[Number(token)] : undefined;
    return isJsonObject(inner) && Object.hasOwn(inner, token) ? inner[token] : undefined;
  }, value);
}

/** Null deletes; an object merges into an object; everything else replaces. Neither argument is changed. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, isJsonObject(change) ? mergePatch(objectOf(merged.get(name)), change) : change);
  }
  return Object.fromEntries(merged);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
