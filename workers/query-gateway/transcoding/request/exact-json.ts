/** JSON whose integers of 64 bits are exact: such a number becomes a `bigint`. */
import type { JsonValue } from "@bufbuild/protobuf";

export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [member: string]: ExactJson };

/** No 64-bit integer has more digits. */
const LONG_INTEGER = /^-?\d{16,20}$/;

/** @throws SyntaxError for invalid JSON. */
export function parseExactJson(text: string): ExactJson {
  // The plain parse is several times faster, and nearly always enough.
  return JSON.parse(text, /\d{16}/.test(text) ? exactly : undefined) as ExactJson;
}

/** The reviver's third argument, which the language's types lack: the text of a primitive. */
function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && LONG_INTEGER.test(source) ? BigInt(source) : value;
}

export function isObject(json: ExactJson): json is { readonly [member: string]: ExactJson } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Compact, with every digit. */
export function exactText(json: ExactJson): string {
  if (typeof json === "bigint") return json.toString();
  if (Array.isArray(json)) return `[${(json as readonly ExactJson[]).map(exactText).join(",")}]`;
  if (isObject(json)) {
    const members = Object.entries(json).map(([name, value]) => `${JSON.stringify(name)}:${exactText(value)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(json);
}

/** Without `bigint`: as a decimal text for 64-bit integers, as the nearest number where JSON means a number. */
export function plain(json: ExactJson, long: boolean): JsonValue {
  if (typeof json === "bigint") return long ? json.toString() : Number(json);
  if (Array.isArray(json)) return (json as readonly ExactJson[]).map((item) => plain(item, false));
  if (isObject(json))
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, plain(value, false)]));
  return json as string | number | boolean | null;
}
