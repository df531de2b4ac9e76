/**
 * A user's delegation to this oracle, with one check for the header, the socket's handshake and `POST /delegation`. The
 * user is the issuer of the outermost UCAN; rights and expiry come from the verified chain, never from the first block
 * found.
 */
import { failure, success, type Result } from "../result.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { CLOCK_SKEW, verifyChain } from "./proof-chain.ts";
import type { TokenIssue } from "./token-issue.ts";
import { readToken } from "./ucan-token.ts";

export interface VerifiedDelegation {
  /** Base64 of the CAR, as the user sent it. */
  readonly token: string;
  /** The CID of the outermost UCAN, independent of the CAR's encoding. */
  readonly cid: string;
  /** The user's DID. */
  readonly issuer: string;
  /** The oracle's DID to which it was issued. */
  readonly audience: string;
  /** Unix seconds of the earliest expiry in the chain; null if nothing in it expires. */
  readonly expiration: number | null;
  readonly capabilities: readonly { readonly can: string; readonly with: string }[];
}

/** `knownUntil` as in the chain; `now` in Unix seconds. */
export async function verifyDelegationToken(
  text: string,
  audiences: readonly string[],
  resolveKeys: KeyResolver,
  now: number,
): Promise<Result<{ readonly delegation: VerifiedDelegation; readonly knownUntil?: number }, TokenIssue>> {
  const token = await readToken(text);
  if (!token.ok) return token;
  const chain = await verifyChain(token.value, resolveKeys);
  if (!chain.ok) return chain;
  const { outermost, expiration, notBefore, knownUntil } = chain.value;
  if (!audiences.includes(outermost.audience)) return failure("audience");
  if (expiration !== null && expiration <= now) return failure("expired");
  if (notBefore !== null && notBefore > now + CLOCK_SKEW) return failure("not yet valid");
  const delegation = {
    token: text.trim(),
    cid: outermost.cid,
    issuer: outermost.issuer,
    audience: outermost.audience,
    expiration,
    capabilities: outermost.capabilities.map((capability) => ({ can: capability.can, with: capability.with })),
  };
  return success({ delegation, ...(knownUntil !== undefined && { knownUntil }) });
}
