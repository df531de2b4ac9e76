/**
 * An invocation for one capability of this oracle, as a user's client sends it with a message. Its issuer asks for this
 * one action; its chain proves the permission. The caller must remember whether it was used before.
 */
import { fail } from "../failure.ts";
import { failure, success, type Result } from "../result.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { CLOCK_SKEW, verifyChain } from "./proof-chain.ts";
import type { TokenIssue } from "./token-issue.ts";
import { readToken } from "./ucan-token.ts";

export interface InvocationFor {
  /** The CID of the outermost UCAN, which identifies the token. */
  readonly cid: string;
  readonly issuer: string;
  /** The issuer of the first UCAN in the chain that grants the capability; the issuer itself if it cites none. */
  readonly root: string;
  /** Unix seconds of the earliest expiry in the chain. */
  readonly expiration: number;
  /** Expiry of the token alone, without its chain: until then the CID may be presented again. */
  readonly ownExpiration: number;
}

export interface InvocationForOptions {
  /** The DIDs of this oracle. */
  readonly audiences: readonly string[];
  readonly resolver: KeyResolver;
  /** Unix seconds. */
  readonly now: number;
}

type Wanted = { readonly can: string; readonly with: string };

/** The failure's message states the reason as text; it does not contain the token. */
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

/** Checks without a cost run before the signatures. */
async function verify(
  text: string,
  wanted: Wanted,
  { audiences, resolver, now }: InvocationForOptions,
): Promise<Result<InvocationFor, TokenIssue>> {
  const token = await readToken(text);
  if (!token.ok) return token;
  const { outermost } = token.value;
  if (!audiences.includes(outermost.audience)) return failure("audience");
  // A token without expiry would have to be remembered forever.
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
