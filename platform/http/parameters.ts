/** Query parameters that several surfaces share, as schemas that validate and document them. */
import * as z from "zod";
import type { Failure } from "../failure.ts";

export interface WholeNumberRule {
  readonly minimum: number;
  /** The value of an absent parameter. */
  readonly fallback: number;
  /** Greater values are cut to this; unlimited if absent. */
  readonly clamp?: number;
  readonly description: string;
}

/**
 * Decimal digits only, and no more than a number can represent exactly: `1e3`, ` 7` and an empty text are not whole numbers.
 */
const DIGITS = /^\d+$/;

export function wholeNumber({ minimum, fallback, clamp, description }: WholeNumberRule) {
  const rule = `must be a whole number of at least ${minimum}`;
  const bound = clamp ?? Number.MAX_SAFE_INTEGER;
  return z
    .preprocess(
      (text) =>
        typeof text === "string" && DIGITS.test(text) && Number.isSafeInteger(Number(text))
          ? Math.min(Number(text), bound)
          : text,
      z.int({ error: rule }).min(minimum, { error: rule }).default(fallback),
    )
    .meta({
      description: clamp === undefined ? description : `${description} Values above ${clamp} are read as ${clamp}.`,
    });
}

const ownFailures = z.registry<{ readonly failure: Failure }>();

/** The failure of a path parameter, a query parameter or a header that does not match its schema. */
export function failsWith<Schema extends z.ZodType>(schema: Schema, failure: Failure): Schema {
  ownFailures.add(schema, { failure });
  return schema;
}

/** The members of a part, each with its own failure if it has one. */
export function membersOf({ shape }: z.ZodObject): readonly Member[] {
  return Object.entries<z.core.$ZodType>(shape).map(([name, schema]) => {
    return { name, schema, ownFailure: ownFailures.get(schema)?.failure };
  });
}

interface Member {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly ownFailure: Failure | undefined;
}
