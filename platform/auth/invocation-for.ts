/**
 * An invocation for one capability of this oracle, as a user's client brings it beside a message. Its issuer says
 * "do this one thing for me"; its chain shows that they may. Whether it was used before is for the caller to remember.
 */
import { fail } from "../failure.ts";
import { failure, success, type Result } from "../result.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { CLOCK_SKEW, verifyChain } from "./proof-chain.ts";
import type { TokenIssue } from "./token-issue.ts";
import { readToken } from "./ucan-token.ts";

export interface InvocationFor {
  /** Of the outermost UCAN: the same token, the same CID. */
  readonly cid: string;
  readonly issuer: string;
  /** The issuer of the first UCAN in the chain that grants the capability; the issuer itself when it cites none. */
  readonly root: string;
  /** Unix seconds of the earliest expiry in the chain. */
  readonly expiration: number;
  /** Of the token alone, whatever its chain: until then the same CID may come back. */
  readonly ownExpiration: number;
}

export interface InvocationForOptions {
  /** The DIDs that this oracle answers to. */
  readonly audiences: readonly string[];
  readonly resolver: KeyResolver;
  /** Unix seconds. */
  readonly now: number;
}

type Wanted = { readonly can: string; readonly with: string };

/** The failure's message says why in words; the token is not in it. */
export async function verifyInvocationFor(
  text: string,
  wanted: Wanted,
  options: InvocationForOptions,
): Promise<Result<InvocationFor>> {
  const verified = await verify(text, wanted, options);
  if (verified.ok) return verified;
  if (verified.error === "unresolvable")
    return fail("unavailable", "The keys of the invocation's issuer cannot be looked up now");
  return fail("forbidden", `The invocation cannot be used: ${wordsOf(verified.error, wanted)}`);
}

/** What costs nothing is checked before the signatures. */
async function verify(
  text: string,
  wanted: Wanted,
  { audiences, resolver, now }: InvocationForOptions,
): Promise<Result<InvocationFor, TokenIssue>> {
  const token = await readToken(text);
  if (!token.ok) return token;
  const { outermost } = token.value;
  if (!audiences.includes(outermost.audience)) return failure("audience");
  // One that never expires would have to be remembered for ever.
  if (outermost.expiration === null) return failure("over-long");
  const chain = await verifyChain(token.value, resolver);
  if (!chain.ok) return chain;
  const root = chain.value.rootOf(wanted);
  if (root === undefined) return failure("capability");
  const expiration = Math.min(outermost.expiration, chain.value.expiration ?? Infinity);
  if (expiration <= now) return failure("expired");
  if (chain.value.notBefore !== null && chain.value.notBefore > now + CLOCK_SKEW) return failure("not yet valid");
  return success({
    cid: outermost.cid,
    issuer: outermost.issuer,
    root,
    expiration,
    ownExpiration: outermost.expiration,
  });
}

function wordsOf(issue: Exclude<TokenIssue, "unresolvable">, { can, with: resource }: Wanted): string {
  if (issue === "capability") return `it does not permit ${can} on ${resource}, or only under conditions`;
  return words[issue];
}

const words: Readonly<Record<Exclude<TokenIssue, "unresolvable" | "capability">, string>> = {
  "malformed CAR": "it is not the base64 of a UCAN 0.9.1 in a CAR",
  signature: "its content was changed, or another key signed it",
  "proof chain": "its proofs do not cover its capabilities, or were issued to others",
  audience: "it is for another oracle",
  issuer: "another user issued it",
  expired: "it has expired",
  "not yet valid": "it is not valid yet",
  "over-long": "it never expires",
  revoked: "it was revoked",
};
