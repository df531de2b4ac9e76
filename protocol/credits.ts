/** Credits for clients and operators: a number with at most six decimals. Programs count whole micro-credits. */
import * as z from "zod";
import { growing, timestamp, type TypeOf } from "./json.ts";

/** Micro-credits per credit. */
export const MICRO = 1_000_000;
/** Maximum credits of one grant: a thousand dollars at the usual 1,000 credits per dollar. */
export const LARGEST_GRANT = 1_000_000;
/** Maximum characters of a grant's key. */
export const GRANT_KEY_LENGTH = 200;

export function creditsOf(micro: number): number {
  return micro / MICRO;
}

export function microOf(credits: number): number {
  return Math.round(credits * MICRO);
}

export const creditAmount = z
  .number()
  .positive()
  .max(LARGEST_GRANT)
  .refine((credits) => Math.abs(credits * MICRO - microOf(credits)) < 1e-3, {
    error: "must have at most six decimals",
  })
  .refine((credits) => microOf(credits) > 0, { error: "must be at least 0.000001" });

export const CLAIM_ID = /^claim_[0-9a-f]{32}$/;

/** `open` until it is sent, `submitted` until it is paid. */
export const claimStatus = growing(["open", "submitted", "settled"], "open");

/** The cost of a turn, as it is claimed from its payer. */
export const claimRecord = z
  .object({
    id: z.string().regex(CLAIM_ID),
    amount: z.number().meta({ description: "Usage credits." }),
    status: claimStatus,
    createdAt: timestamp(),
  })
  .meta({ id: "Claim" });
export type ClaimRecord = TypeOf<typeof claimRecord>;

export const claimList = z.object({
  claims: z.array(claimRecord),
  next: z.string().optional().meta({ description: "The `cursor` of the next page. Absent on the last page." }),
});

export const creditsRecord = z
  .object({
    balance: z.number().meta({ description: "Available usage credits." }),
    held: z.number().meta({ description: "Usage credits on hold for turns that have not ended." }),
  })
  .meta({ id: "Credits" });

/** Characters of a DID. */
const DID_LENGTH = 512;
export const payerDid = z
  .string()
  .max(DID_LENGTH)
  .regex(/^did:[a-z0-9]+:[\w.:%-]+$/);
