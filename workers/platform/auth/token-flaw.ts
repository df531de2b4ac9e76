/**
 * Why a token is refused. The first seven are the words of `POST /delegation` (contract/oracle.md section 2.6); an
 * invocation has three more of its own, which only the log sees. `unresolvable` is no verdict: an outage kept us from one.
 */
export type DelegationFlaw =
  | "malformed CAR"
  | "signature"
  | "proof chain"
  | "audience"
  | "issuer"
  | "expired"
  | "not yet valid";

export type TokenFlaw = DelegationFlaw | "capability" | "over-long" | "unresolvable";
