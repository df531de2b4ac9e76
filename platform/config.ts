/**
 * Configuration: each surface parses its own part of the environment once per isolate, by schema. A failure names every
 * wrong variable, with the problem and a valid value, and never contains the wrong value itself, which may be a secret.
 */
import * as z from "zod";
import { failure, success, type Result } from "./result.ts";

export interface ConfigProblem {
  readonly variable: string;
  readonly message: string;
  /** An example of a valid value, if the message does not describe it. */
  readonly example?: string;
}

/** Maps a variable to an example of a valid value. */
export type ConfigExamples = Readonly<Record<string, string>>;

export type ConfigResult<Config> = Result<Config, readonly ConfigProblem[]>;

export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: object,
  examples: ConfigExamples = {},
): ConfigResult<z.output<Schema>> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return success(parsed.data);
  return failure(
    parsed.error.issues.map((issue) => {
      const variable = String(issue.path[0] ?? "environment");
      const example = examples[variable];
      return { variable, message: messageOf(issue), ...(example === undefined ? {} : { example }) };
    }),
  );
}

/** A secret has 16 characters or more, so a shorter name inside a JSON value is not a secret. */
const PLAIN_NAME = /^[A-Za-z]{1,15}$/;

/**
 * Includes the place inside a JSON value. Names that could be secrets are omitted, because an operator may swap names
 * and values.
 */
function messageOf({ code, message, path }: z.core.$ZodIssue): string {
  const place = path
    .slice(1)
    .map((step) => (typeof step === "number" || PLAIN_NAME.test(String(step)) ? `/${String(step)}` : "/*"))
    .join("");
  const text = code === "unrecognized_keys" ? "has an unknown member" : message;
  return place === "" ? text : `${place}: ${text}`;
}

/** Caches the result per environment object, of which the runtime makes one per isolate. */
export function oncePerIsolate<Env extends object, Value>(make: (env: Env) => Value): (env: Env) => Value {
  const made = new WeakMap<Env, { readonly value: Value }>();
  return (env) => {
    const known = made.get(env);
    if (known !== undefined) return known.value;
    const value = make(env);
    made.set(env, { value });
    return value;
  };
}

/** A variable that contains JSON: parsed, then checked by `inner`; unset or blank gives `fallback`. */
export function jsonVariable<Schema extends z.ZodType>(inner: Schema, fallback: unknown) {
  return z
    .string()
    .optional()
    .transform((text, context): unknown => {
      if (text === undefined || text.trim() === "") return fallback;
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(inner);
}

/** A whole number in a variable, with a default. */
export function integerVariable(fallback: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === "" ? fallback : Number(text)))
    .pipe(
      z
        .int({ error: `must be a whole number, such as ${fallback}` })
        .min(minimum, { error: `must be at least ${minimum}, such as ${fallback}` })
        .max(maximum, { error: `must be at most ${maximum}, such as ${fallback}` }),
    );
}

/** `true` or `false` in a variable; anything else is an error. */
export function flagVariable<Fallback extends boolean | undefined>(fallback: Fallback) {
  return z
    .enum(["true", "false", ""], { error: "must be true or false" })
    .optional()
    .transform((text): boolean | Fallback => (text === undefined || text === "" ? fallback : text === "true"));
}

/** An optional text: blank counts as unset, so that `NAME=` in a file turns a setting off. */
export function textVariable() {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === "" ? undefined : text.trim()));
}
