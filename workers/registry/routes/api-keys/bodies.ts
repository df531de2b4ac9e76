/** What an operator sends to make or rotate a key (contract/registry.md section 9). */
import * as z from "zod";
import { isDid } from "../../did.ts";
import { wellFormed } from "../../domain/shape.ts";
import { parseTime } from "../../domain/time.ts";
import { roles, scopes } from "../../scopes.ts";

/** Characters. */
const LONGEST_LABEL = 200;
/** Seconds: a week, long enough to reach every machine that holds the old key. */
const LONGEST_OVERLAP = 604_800;
/** Seconds: a day. */
const USUAL_OVERLAP = 86_400;

/** `now` in milliseconds since 1970: a key that has ended already would be of no use. */
export function keyBody(now: number) {
  return z
    .strictObject({
      label: z.string().trim().min(1).max(LONGEST_LABEL).check(wellFormed),
      did: z.string().refine(isDid, { error: "must be a DID", params: { reason: "invalid_did" } }),
      scopes: z
        .array(z.enum(scopes))
        .min(1)
        .transform((named) => scopes.filter((scope) => named.includes(scope))),
      role: z.enum(roles).nullable().default(null),
      expiresAt: z
        .string()
        .nullable()
        .default(null)
        .transform((text, context): number | null => {
          if (text === null) return null;
          const time = parseTime(text)?.milliseconds;
          if (time !== undefined && time > now) return time;
          const [reason, message] =
            time === undefined ? ["format", "must be an RFC 3339 time"] : ["range", "must lie in the future"];
          context.addIssue({ code: "custom", message, params: { reason } });
          return z.NEVER;
        }),
    })
    .refine(({ role, scopes }) => role !== null || !scopes.includes("verification:propose"), {
      path: ["role"],
      error: "is required for the scope verification:propose",
      params: { reason: "required" },
    });
}

export const rotationBody = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(LONGEST_OVERLAP)
    .default(USUAL_OVERLAP)
    .meta({ description: "How long the old key works beside the new one." }),
});
