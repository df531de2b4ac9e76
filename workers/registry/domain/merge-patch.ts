/** JSON merge patch (RFC 7396) of objects. It recurses, so the patch must be of bounded depth. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";

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
