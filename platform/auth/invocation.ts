/**
 * An invocation as proof of identity: its issuer calls this oracle. The delegation decides about rights at other
 * services.
 */
import { failure, success, type Result } from "../result.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { CLOCK_SKEW, verifyChain } from "./proof-chain.ts";
import type { TokenIssue } from "./token-issue.ts";
import { readToken, type Ucan } from "./ucan-token.ts";

/** Seconds; `UCAN_AUTH_MAX_TTL_SECONDS` lowers it (existing clients use 900). */
export const DEFAULT_MAX_TTL = 86_400;

const ORACLE_ABILITY = /^(?:\*|oracle\/(?:\*|[^/*\s]+))$/;
const ORACLE_RESOURCES = ["ixo:oracle", "ixo:*"];

export interface InvocationRules {
  /** The DIDs that this oracle answers to. */
  readonly audiences: readonly string[];
  /** Maximum remaining lifetime of an invocation in seconds, without clock skew. */
  readonly maxTtl: number;
}

export interface Identity {
  readonly issuer: string;
  /** The DID that first delegated the capability, if it is not the issuer. */
  readonly root?: string;
  /** Unix seconds of the earliest expiry in the chain. */
  readonly expiration: number;
  /** The time as it is in the chain. */
  readonly knownUntil?: number;
}

/**
 * The identity of an invocation. `now` in Unix seconds. Checks everything except its expiry: the caller compares
 * `expiration`, because a socket's handshake treats an expired one differently. Checks without a cost run before the
 * signature.
 */
export async function identifyInvoker(
  text: string,
  rules: InvocationRules,
  resolveKeys: KeyResolver,
  now: number,
): Promise<Result<Identity, TokenIssue>> {
  const token = await readToken(text);
  if (!token.ok) return token;
  const { outermost } = token.value;
  if (!rules.audiences.includes(outermost.audience)) return failure("audience");
  if (!identifies(outermost, rules.audiences)) return failure("capability");
  const latest = now + rules.maxTtl + CLOCK_SKEW;
  if (outermost.expiration === null || outermost.expiration > latest) return failure("over-long");
  const chain = await verifyChain(token.value, resolveKeys);
  if (!chain.ok) return chain;
  if (chain.value.notBefore !== null && chain.value.notBefore > now + CLOCK_SKEW) return failure("not yet valid");
  const expiration = Math.min(outermost.expiration, chain.value.expiration ?? Infinity);
  const { knownUntil } = chain.value;
  const { issuer, capabilities } = outermost;
  const root = capabilities
    .map((each) => chain.value.rootOf(each))
    .find((each) => each !== undefined && each !== issuer);
  return success({
    issuer,
    ...(root !== undefined && { root }),
    expiration,
    ...(knownUntil !== undefined && { knownUntil }),
  });
}

/** Exactly one capability, on this oracle: a token minted for `mcp/call` or similar is not an identity. */
function identifies({ capabilities, issuer }: Ucan, audiences: readonly string[]): boolean {
  const [capability, ...others] = capabilities;
  if (capability === undefined || others.length > 0) return false;
  return ORACLE_ABILITY.test(capability.can) && [...ORACLE_RESOURCES, ...audiences, issuer].includes(capability.with);
}
