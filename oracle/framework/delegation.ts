/** A verified delegation from the user to the oracle, from which invocations are minted. */
import * as z from "zod";
import type { TypeOf } from "../../protocol/json.ts";

/** A verified delegation from the user to the oracle. */
export const delegation = z.object({
  /** Base64 of the CAR, as the user sent it. */
  token: z.string(),
  /** Unix seconds of the earliest expiry in the chain; null when nothing in it expires. */
  expiration: z.number().nullable(),
  capabilities: z.array(z.object({ can: z.string(), with: z.string() })),
});

export type Delegation = TypeOf<typeof delegation>;
