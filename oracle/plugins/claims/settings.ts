/** The settings of the plugin claims. */
import * as z from "zod";
import { OPERATOR_SECRET_LENGTH, SHORT_OPERATOR_SECRET } from "../../framework/plugin-routes.ts";

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

const blankIsUnset = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === "" ? undefined : text.trim()));

/** `CLAIMS_URL`: the receiver of claims; without it, claims are only marked. `CLAIMS_TOKEN`: the bearer token for the receiver. */
export const claimsConfig = z.object({
  CREDIT_LEDGER: z.custom<object>((binding) => typeof binding === "object" && binding !== null),
  CRON_SECRET: z.string().min(OPERATOR_SECRET_LENGTH, { error: SHORT_OPERATOR_SECRET }),
  CLAIMS_URL: blankIsUnset.refine((text) => text === undefined || isAddress(text), {
    error: "must be an http or https address",
  }),
  CLAIMS_TOKEN: blankIsUnset,
  CREDITS_BACKEND: z.string().optional(),
});
export type ClaimsConfig = z.output<typeof claimsConfig>;
