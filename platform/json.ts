/** JSON: its types, parsing without throwing, the place where a text stops being JSON, and JSON from storage. */
import type * as z from "zod";
import { type Result, failure, success } from "./result.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** The nesting depth of lists and objects: 0 for a scalar. Does not recurse, so any input is safe. */
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

/**
 * Whether JSON can represent the whole value: no map, set, function or number beyond JSON's; a date becomes its text.
 */
export function isPlainJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "bigint";
  if (value instanceof Date) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlainJson);
}

/** The text of the value with every object's members in order: equal for equal values, whatever their texts. */
export function canonicalJson(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

/** The error states where the text stops being JSON, and contains nothing of the text itself. */
export function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text) as unknown);
  } catch {
    return failure(jsonFault(text) ?? "not JSON");
  }
}

/**
 * The place where an object names one member twice, such as `line 2, column 7: …`; undefined if there is none. Parsers
 * differ in which of the two they keep. `value` is the result of `parseJson`, in which a second member replaced the
 * first.
 */
export function repeatedMember(text: string, value: unknown): string | undefined {
  const colons = text.match(STRING_OR_COLON)?.reduce((count, token) => (token === ":" ? count + 1 : count), 0) ?? 0;
  return colons === membersOf(value) ? undefined : jsonFault(text, { uniqueNames: true });
}

/** Outside of strings, JSON has a colon after each name and nowhere else. */
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

/** The value, or undefined if the text is not JSON or does not match the schema. */
export function readStoredJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok) return undefined;
  const checked = schema.safeParse(parsed.value);
  return checked.success ? checked.data : undefined;
}

/**
 * Like `readStoredJson`, if there is no fallback. `what` names the row's kind in the error, which does not contain the
 * row.
 */
export function parseStoredJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  what: string,
): z.output<Schema> {
  const value = readStoredJson(schema, text);
  if (value === undefined) throw new Error(`a stored ${what} is damaged`);
  return value;
}

/** A foreign text for a prompt: in quotes on one line. JSON itself does not escape three line ends (NEL, LS, PS). */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * The place where a text stops being JSON (RFC 8259): the runtime's own message often has no position and quotes the
 * text, which may contain a secret. Runs only on texts that failed to parse, and does not recurse. For example `line 2,
 * column 7: expected , or }`; undefined for JSON. Lines and columns are counted from one. With `uniqueNames` a repeated
 * name in an object is a fault too.
 */
export function jsonFault(text: string, { uniqueNames = false } = {}): string | undefined {
  const fault = findFault(text, uniqueNames);
  if (fault === undefined) return undefined;
  const before = text.slice(0, fault.at);
  const line = before.split("\n").length;
  const column = fault.at - before.lastIndexOf("\n");
  return `line ${line}, column ${column}: ${fault.expected}`;
}

interface Fault {
  readonly at: number;
  readonly expected: string;
}

/** The tokens that can follow. */
type State = "value" | "item or ]" | "name" | "name or }" | "colon" | "comma" | "end";

const expectations: Readonly<Record<State, string>> = {
  value: "expected a value",
  "item or ]": "expected a value or ]",
  name: "expected a name in double quotes",
  "name or }": "expected a name in double quotes or }",
  colon: "expected :",
  comma: "expected ,",
  end: "expected nothing more",
};

const REPEATED = "expected a name that this object does not have yet";

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;

function findFault(text: string, uniqueNames: boolean): Fault | undefined {
  const open: ("{" | "[")[] = [];
  /** The names so far in each open object. */
  const names: Set<unknown>[] = [];
  let state: State = "value";
  let at = 0;
  const after = (): State => (open.length === 0 ? "end" : "comma");
  const here = (): Fault => {
    const closing = open.at(-1) === "{" ? " or }" : " or ]";
    return { at, expected: `${expectations[state]}${state === "comma" ? closing : ""}` };
  };

  for (;;) {
    at = endOf(BLANK, text, at) ?? at;
    if (at >= text.length) return state === "end" ? undefined : here();
    const character = text.charAt(at);
    if (state === "end") return here();
    if (state === "colon") {
      if (character !== ":") return here();
      state = "value";
      at += 1;
    } else if (state === "comma") {
      const inObject = open.at(-1) === "{";
      if (character === ",") state = inObject ? "name" : "value";
      else if (character === (inObject ? "}" : "]")) {
        if (open.pop() === "{") names.pop();
        state = after();
      } else return here();
      at += 1;
    } else if (state === "name" || state === "name or }") {
      if (character === "}" && state === "name or }") {
        open.pop();
        names.pop();
        state = after();
        at += 1;
      } else if (character === '"') {
        const end = endOfString(text, at);
        if (typeof end !== "number") return end;
        if (uniqueNames) {
          const name: unknown = JSON.parse(text.slice(at, end));
          if (names.at(-1)?.has(name) === true) return { at, expected: REPEATED };
          names.at(-1)?.add(name);
        }
        at = end;
        state = "colon";
      } else return here();
    } else if (character === "]" && state === "item or ]") {
      open.pop();
      state = after();
      at += 1;
    } else if (character === "{" || character === "[") {
      open.push(character);
      if (character === "{") names.push(new Set());
      state = character === "{" ? "name or }" : "item or ]";
      at += 1;
    } else {
      const end = character === '"' ? endOfString(text, at) : (endOf(LITERAL, text, at) ?? endOf(NUMBER, text, at));
      if (end === undefined) return here();
      if (typeof end !== "number") return end;
      at = end;
      state = after();
    }
  }
}

/** The end of the pattern that begins here; undefined if it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfString(text: string, start: number): number | Fault {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < " ") return { at, expected: "expected \\ escapes instead of control characters in a string" };
    if (character !== "\\") continue;
    const next = text.charAt(at + 1);
    const isEscape = next === "u" ? /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) : /^["\\/bfnrt]$/.test(next);
    if (!isEscape) return { at, expected: "expected an escape such as \\n or \\u00e9" };
    at += 1;
  }
  return { at: text.length, expected: 'expected the closing "' };
}
