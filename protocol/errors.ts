/** The one error body of the oracle's JSON routes, and the words in it that programs may rely on. */
import * as z from "zod";
import { growing, type TypeOf } from "./json.ts";

/** Which token was refused, or that none was sent. */
export const unauthorizedCode = growing(
  ["missing_authentication", "invalid_invocation", "invalid_delegation"],
  "missing_authentication",
);
/** Why the token that was sent was refused. */
export const unauthorizedReason = growing(
  ["expired", "not_yet_valid", "wrong_audience", "malformed", "bad_signature", "capability", "too_long"],
  "malformed",
);

export const errorBody = z
  .object({
    statusCode: z.int().meta({ description: "The same as the HTTP status." }),
    message: z.string().meta({ description: "A sentence for the user." }),
    error: z.string().meta({ description: "The reason phrase." }),
    requestId: z.string(),
  })
  .catchall(z.unknown())
  .meta({
    id: "OracleError",
    description:
      "Some errors have more members: `code` and `retryable` where a limit was met, a 401 `code` and `reason`, a 502 `kind` and, when the model's service named a wait, `retryAfterMs`.",
  });
export type ErrorBody = TypeOf<typeof errorBody>;

export const unauthorizedBody = errorBody
  .extend({
    code: unauthorizedCode.meta({ description: "Which token was refused, or that none was sent." }),
    reason: z.optional(unauthorizedReason).meta({
      description:
        "Why the token that you sent was refused; absent when there was none. `expired` and `not_yet_valid`: its times. `wrong_audience`: it is for another DID than the `id` of `/.well-known/did.json`. `malformed`: not the base64 of a UCAN 0.9.1 in a CAR. `bad_signature`: its content was changed, or another key signed it. `capability`: an invocation must hold exactly one, such as `*` on `ixo:oracle`, and proofs must cover what cites them. `too_long`: it expires too far ahead, or never.",
    }),
  })
  .meta({ id: "OracleUnauthorized" });
