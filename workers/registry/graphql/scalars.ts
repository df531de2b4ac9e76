/**
 * The scalars of the schema, and the global ids of its nodes. A `Datetime` is milliseconds internally and text
 * externally.
 */
import { GraphQLError, GraphQLScalarType } from "graphql";
import { parseJson } from "../../../platform/json.ts";
import { parseTime, printTime } from "../domain/time.ts";

export const datetimeType = new GraphQLScalarType<number, string>({
  name: "Datetime",
  description: "An RFC 3339 time. Answers are in UTC, and a time without a zone is read as UTC.",
  coerceOutputValue: (value) => (typeof value === "number" ? printTime(value) : String(value)),
  coerceInputValue(value) {
    const instant = typeof value === "string" ? parseTime(value) : undefined;
    if (instant === undefined) throw new GraphQLError("Datetime must be a time such as 2026-01-01T00:00:00Z");
    return instant.milliseconds;
  },
});

export const jsonType = new GraphQLScalarType<unknown>({
  name: "JSON",
  description: "Any JSON value, not encoded as a string.",
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
});

export const cursorType = new GraphQLScalarType<string, string>({
  name: "Cursor",
  description: "A place in a list, bound to its order. Opaque; base64 of `arrayconnection:N` is accepted too.",
  coerceOutputValue: String,
  coerceInputValue(value) {
    if (typeof value !== "string") throw new GraphQLError("Cursor must be a string");
    return value;
  },
});

export type Collection = "entities" | "iids";

/** The id of the root query itself. */
export const QUERY_NODE_ID = "query";

export function nodeIdOf(collection: Collection, id: string): string {
  return btoa(JSON.stringify([collection, id]));
}

/** Undefined for a text that is not the id of a node. */
export function parseNodeId(nodeId: string): { readonly collection: Collection; readonly id: string } | undefined {
  let text;
  try {
    text = atob(nodeId);
  } catch {
    return undefined;
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) return undefined;
  const [collection, id, ...more] = parsed.value as unknown[];
  if ((collection !== "entities" && collection !== "iids") || typeof id !== "string" || more.length > 0)
    return undefined;
  return { collection, id };
}
