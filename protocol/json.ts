/** JSON values as types and schemas, and how types are derived from the schemas of this folder. */
import * as z from "zod";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** The type that a schema describes, immutable at every level. */
export type TypeOf<Schema extends z.ZodType> = Immutable<z.output<Schema>>;
/** The input type of the schema: members with a default are optional. */
export type InputOf<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

/** An index signature is unchanged, because JSON objects are already immutable. */
type Immutable<Value> = [JsonValue] extends [Value]
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : Value extends object
      ? string extends keyof Value
        ? Readonly<Value>
        : { readonly [Name in keyof Value]: Immutable<Value[Name]> }
      : Value;

/** ISO 8601, UTC. */
export const timestamp = () => z.string().meta({ format: "date-time" });

/** Any JSON object, whose members another party defines. */
export const jsonObject = (error = "must be an object") =>
  z
    .custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value), { error })
    .meta({ type: "object", additionalProperties: true });

/**
 * A list of values that can grow. A client that is older than the server reads an unknown value as `fallback` instead
 * of refusing the whole record.
 */
export function growing<const Words extends readonly [string, ...string[]]>(words: Words, fallback: Words[number]) {
  // Without `default`, the schema documents the values but not how a client reads others.
  return z.enum(words).catch(fallback).meta({ default: undefined });
}

/** Levels of nesting: 0 for a scalar. Iterative, so that no input can exhaust the stack. */
export function depthOf(value: unknown): number {
  let depth = 0;
  let level = [value].filter(isContainer);
  for (; level.length > 0; depth += 1) {
    level = level.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return depth;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The name of an event as the name of a schema: `tool_call` is `ToolCall`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
