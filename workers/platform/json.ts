/** JSON values as types, and a parse that answers with a value instead of throwing. */
import { failure, success, type Result } from "./result.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

export function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text) as unknown);
  } catch (error) {
    return failure(error instanceof Error ? error.message : "not JSON");
  }
}

/** How many levels of lists and objects lie in one another: 0 for a scalar. Does not recurse, so any input is safe. */
export function depthOf(value: unknown): number {
  let depth = 0;
  let level = [value].filter(isContainer);
  for (; level.length > 0; depth += 1) {
    level = level.flatMap((each) => (Object.values(each) as unknown[]).filter(isContainer));
  }
  return depth;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
