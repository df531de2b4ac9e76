/** The one error body of the oracle's JSON routes, and the values in it on which programs can rely. */
import * as z from "zod";
import { classCodes, codesIn, limitCodes, runFailureCodes, runNoticeCodes, unauthorizedCodes } from "./error-codes.ts";
import { growing, type TypeOf } from "./json.ts";

export const runErrorCodes = [...codesIn(runFailureCodes), ...codesIn(runNoticeCodes)] as const;
export type RunErrorCode = (typeof runErrorCodes)[number];
/** Every `code` of an error body, of a refused connection and of an `error` frame. */
export const errorCodes = [
  ...codesIn(unauthorizedCodes),
  ...codesIn(limitCodes),
  ...codesIn(classCodes),
  ...runErrorCodes,
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export const errorCode = growing(errorCodes, "unknown");
export const runErrorCode = growing([...runErrorCodes, "unknown"], "unknown");
export const unauthorizedCode = growing(codesIn(unauthorizedCodes), "missing_authentication");
/** Why the token was refused. */
export const unauthorizedReason = growing(
  [
    "expired",
    "not_yet_valid",
    "wrong_audience",
    "malformed",
    "bad_signature",
    "capability",
    "too_long",
    "invocation_required",
    "revoked",
  ],
  "malformed",
);

const isRetryable =
  "Whether the same request can succeed later. For a 401 or 403: whether it can succeed with new tokens.";

export const errorBody = z
  .object({
    statusCode: z.int().meta({ description: "The same as the HTTP status." }),
    message: z.string().meta({ description: "A sentence for the user." }),
    error: z.string().meta({ description: "The reason phrase." }),
    requestId: z.string(),
    code: errorCode.meta({
      description: "The error as one word for programs. New codes are added over time, and plugins add their own.",
    }),
    retryable: z.boolean().meta({ description: isRetryable }),
  })
  .catchall(z.unknown())
  .meta({
    id: "OracleError",
    description:
      "Some errors have more members: a 401 has `reason`, and a 502 has `kind`, `limit` if `kind` is `budget_exhausted`, and `retryAfterMs` if the model service asked for a delay.",
  });
export type ErrorBody = TypeOf<typeof errorBody>;

export const unauthorizedBody = errorBody
  .extend({
    code: unauthorizedCode.meta({ description: "The refused token, or `missing_authentication` if none was sent." }),
    reason: z.optional(unauthorizedReason).meta({
      description:
        "Why the token was refused. Absent if no token was sent. `expired`, `not_yet_valid`: the token is outside its validity period. `wrong_audience`: its audience is not the `id` of `/.well-known/did.json`. `malformed`: it is not the base64 of a UCAN 0.9.1 in a CAR. `bad_signature`: its content was changed, or another key signed it. `capability`: an invocation must have exactly one capability, such as `*` on `ixo:oracle`, and proofs must cover the capabilities that cite them. `too_long`: it expires too far ahead, or never. `invocation_required`: a delegation alone does not sign in here; send an invocation. `revoked`: its user has revoked it; sign a new delegation.",
    }),
  })
  .meta({ id: "OracleUnauthorized" });
