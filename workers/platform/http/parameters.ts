/** Query parameters that several surfaces have in common, as schemas: they validate and they describe themselves. */
import * as z from "zod";

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
    .meta({ description: clamp === undefined ? description : `${description} Above ${clamp} counts as ${clamp}.` });
}
