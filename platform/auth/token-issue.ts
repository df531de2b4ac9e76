/**
 * Why a token is refused. The first eight are the reasons of `POST /delegation`; an invocation has two more.
 * `unresolvable` is separate: the keys could not be looked up.
 */
export type DelegationIssue =
  | "malformed CAR"
  | "signature"
  | "proof chain"
  | "audience"
  | "issuer"
  | "expired"
  | "not yet valid"
  | "revoked";

export type TokenIssue = DelegationIssue | "capability" | "over-long" | "unresolvable";

/** Why a token was refused, as a 401 reports it. The values are part of the API. */
export const REFUSAL_REASONS = [
  "expired",
  "not_yet_valid",
  "wrong_audience",
  "malformed",
  "bad_signature",
  "capability",
  "too_long",
  "invocation_required",
  "revoked",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const reasons: Readonly<Record<Exclude<TokenIssue, "unresolvable">, RefusalReason>> = {
  "malformed CAR": "malformed",
  signature: "bad_signature",
  "proof chain": "capability",
  audience: "wrong_audience",
  issuer: "capability",
  expired: "expired",
  "not yet valid": "not_yet_valid",
  revoked: "revoked",
  capability: "capability",
  "over-long": "too_long",
};

export function refusalReasonOf(issue: Exclude<TokenIssue, "unresolvable">): RefusalReason {
  return reasons[issue];
}
