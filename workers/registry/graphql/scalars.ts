/** The scalars beside GraphQL's own (contract/registry.md section 7.2). A `Datetime` is milliseconds inside, text outside. */
import { GraphQLError, GraphQLScalarType } from "graphql";
import { parseTime, printTime } from "../domain/time.ts";

export const datetimeType = new GraphQLScalarType<number, string>({
  name: "Datetime",
  description: "A time by RFC 3339, in UTC when it is answered. Without a zone it is taken as UTC.",
  coerceOutputValue: (value) => (typeof value === "number" ? printTime(value) : String(value)),
  coerceInputValue(value) {
    const instant = typeof value === "string" ? parseTime(value) : undefined;
    if (instant === undefined) throw new GraphQLError("Datetime must be a time such as 2026-01-01T00:00:00Z");
    return instant.milliseconds;
  },
});

export const jsonType = new GraphQLScalarType<unknown>({
  name: "JSON",
  description: "Any JSON value, as itself and not as text.",
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
});

export const cursorType = new GraphQLScalarType<string, string>({
  name: "Cursor",
  description: "A place in a list, bound to its order. Opaque; base64 of `arrayconnection:N` is understood too.",
  coerceOutputValue: String,
  coerceInputValue(value) {
    if (typeof value !== "string") throw new GraphQLError("Cursor must be a string");
    return value;
  },
});
