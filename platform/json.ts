/** JSON: its types, parsing without throwing, and JSON that is read back from storage. */
import type * as z from "zod";
import { jsonFault } from "./json-fault.ts";
import { type Result, failure, success } from "./result.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
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

/** Whether JSON shows all of a value: no map, set, function or number beyond JSON's; a date is shown as its text. */
export function isPlainJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "bigint";
  if (value instanceof Date) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlainJson);
}

/** The text of the value with the members of every object in order: equal for equal values, whatever texts they hold. */
export function canonicalJson(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

/** The error says where the text stops being JSON, and holds nothing of the text itself. */
export function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text) as unknown);
  } catch {
    return failure(jsonFault(text) ?? "not JSON");
  }
}

/**
 * Where an object of the text names one member twice, such as `line 2, column 7: …`; undefined when none does. Parsers differ in
 * which of the two they keep. `value` is what `parseJson` made of the text, in which a second member replaced the first.
 */
export function repeatedMember(text: string, value: unknown): string | undefined {
  const colons = text.match(STRING_OR_COLON)?.reduce((count, token) => (token === ":" ? count + 1 : count), 0) ?? 0;
  return colons === membersOf(value) ? undefined : jsonFault(text, { uniqueNames: true });
}

/** Outside of strings JSON has a colon behind each name and nowhere else. */
const STRING_OR_COLON = /"[^"\\]*(?:\\.[^"\\]*)*"|:/g;

/** Members of all objects in the value. Does not recurse. */
function membersOf(value: unknown): number {
  let members = 0;
  let level = [value].filter(isContainer);
  while (level.length > 0) {
    for (const each of level) if (!Array.isArray(each)) members += Object.keys(each).length;
    level = level.flatMap((each) => (Object.values(each) as unknown[]).filter(isContainer));
  }
  return members;
}

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

/**
 * A foreign text as it stands in a prompt: between quotes on one line. JSON itself lets three line ends stand (NEL, LS, PS).
 */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
