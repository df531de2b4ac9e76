/** Query parameters that several surfaces have in common, as schemas: they validate and they describe themselves. */
import * as z from "zod";
import type { Failure } from "../failure.ts";

export interface WholeNumberRule {
  readonly minimum: number;
  /** The value of an absent parameter. */
  readonly fallback: number;
  /** What a greater value is cut to; none means no bound. */
  readonly clamp?: number;
  readonly description: string;
}

/** Decimal digits only, and no more than a number holds exactly: neither `1e3` nor ` 7` nor an empty text is a whole number to us. */
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

/** What a path parameter, a query parameter or a header fails with when it does not fit its schema. */
export function failsWith<Schema extends z.ZodType>(schema: Schema, failure: Failure): Schema {
  ownFailures.add(schema, { failure });
  return schema;
}

/** The members of a part, each with its own failure where it has one. */
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
