/**
 * The two UCANs of a chat: the invocation that proves who is calling, and the delegation that lets the oracle use the user's other
 * services. Both are sent as base64 of a CAR.
 */
import { DELEGATED, DELEGATION_LIFETIME, INVOCATION_LIFETIME, INVOKED } from "../../sdk/src/core/signer.ts";
import { issueToken, type TokenClaims, type TokenIssuer } from "../../sdk/src/core/ucan-token.ts";

/** @param now Unix seconds; `lifetime` in seconds. */
export async function mintInvocation(
  issuer: TokenIssuer,
  audience: string,
  now: number,
  lifetime = INVOCATION_LIFETIME,
): Promise<string> {
  return await mint(issuer, { audience, capabilities: INVOKED, expiration: now + lifetime });
}

/** @param now Unix seconds; `lifetime` in seconds. */
export async function mintDelegation(
  issuer: TokenIssuer,
  audience: string,
  now: number,
  lifetime = DELEGATION_LIFETIME,
): Promise<string> {
  return await mint(issuer, { audience, capabilities: DELEGATED, expiration: now + lifetime });
}

async function mint(issuer: TokenIssuer, claims: TokenClaims): Promise<string> {
  return Buffer.from(await issueToken(issuer, claims)).toString("base64");
}
