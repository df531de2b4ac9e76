/**
 * Configuration (decisions 1.5): each surface parses its own slice of the environment once per isolate, by schema.
 * A wrong slice is a value that names every wrong variable, never the wrong value itself: it may be a secret.
 */
import * as z from "zod";
import { failure, success, type Result } from "./result.ts";

export interface ConfigProblem {
  readonly variable: string;
  readonly message: string;
}

export type ConfigResult<Config> = Result<Config, readonly ConfigProblem[]>;

export function parseConfig<Schema extends z.ZodType>(schema: Schema, env: object): ConfigResult<z.output<Schema>> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return success(parsed.data);
  return failure(
    parsed.error.issues.map((issue) => ({ variable: String(issue.path[0] ?? "environment"), message: issue.message })),
  );
}

/** Remembers the outcome per environment object, of which the runtime makes one per isolate. */
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

/** A variable that holds JSON: parsed, then checked by `inner`; unset or blank counts as `fallback`. */
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
export function integerVariable(fallback: number, minimum = 0) {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === "" ? fallback : Number(text)))
    .pipe(z.int({ error: "must be a whole number" }).min(minimum, { error: `must be at least ${minimum}` }));
}

/** `true` or `false` in a variable; anything else is a mistake worth naming. */
export function flagVariable(fallback: boolean) {
  return z
    .enum(["true", "false", ""], { error: "must be true or false" })
    .optional()
    .transform((text) => (text === undefined || text === "" ? fallback : text === "true"));
}

/** An optional text: blank counts as unset, so that `NAME=` in a file turns a setting off. */
export function textVariable() {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined || text.trim() === "" ? undefined : text.trim()));
}
