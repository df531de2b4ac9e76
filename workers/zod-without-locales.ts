/**
 * In place of `zod/v4` in the Worker (`alias` in wrangler.toml). @ai-sdk/openai-compatible imports the object `z`, so the bundler
 * keeps everything that zod's own `z` has, with error messages in fifty languages: 52 KB compressed. This `z` has what that package uses.
 */
import * as z from "zod";

export * from "zod";
const used = {
  any: z.any,
  array: z.array,
  boolean: z.boolean,
  enum: z.enum,
  literal: z.literal,
  looseObject: z.looseObject,
  number: z.number,
  object: z.object,
  record: z.record,
  string: z.string,
  union: z.union,
  unknown: z.unknown,
};
export { used as z };
