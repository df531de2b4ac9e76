/**
 * JSON from storage of our own, an object's or a table's: parsed by a schema like every other input, so that a damaged row
 * fails by name.
 */
import type * as z from "zod";
import { parseJson } from "./parse-json.ts";

/** The value, or nothing when the text is not JSON or does not fit the schema. */
export function readStoredJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok) return undefined;
  const checked = schema.safeParse(parsed.value);
  return checked.success ? checked.data : undefined;
}

/** The same where there is nothing to fall back on. `what` names the row's kind in the error; its content stays out. */
export function parseStoredJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  what: string,
): z.output<Schema> {
  const value = readStoredJson(schema, text);
  if (value === undefined) throw new Error(`a stored ${what} is damaged`);
  return value;
}
