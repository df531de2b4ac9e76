/**
 * Authenticates callers: the decision table of OR-23 to OR-28 over the two tokens in a request or a socket's handshake.
 * An invalid invocation never falls back to the delegation.
 */
import { fail, newFailure, type Failure } from "../failure.ts";
import type { Logger } from "../log.ts";
import { failure, success, type Result } from "../result.ts";
import { verifyDelegationToken, type VerifiedDelegation } from "./delegation.ts";
import type { KeyResolver } from "./did-resolver.ts";
import { DEFAULT_MAX_TTL, identifyInvoker, type Identity } from "./invocation.ts";
import { verifyInvocationFor, type InvocationFor } from "./invocation-for.ts";
import { refusalReasonOf, type TokenIssue } from "./token-issue.ts";
import type { Capability } from "./ucan-token.ts";
import { createExpiringCache, createVerificationCache, type VerificationCache } from "./verification-cache.ts";

export const MISSING_AUTHENTICATION =
  "Missing UCAN authentication: provide Authorization: Bearer <invocation> with X-Auth-Type: ucan, or an x-ucan-delegation header";
/** Used where a delegation alone does not sign in. */
export const INVOCATION_REQUIRED =
  "A delegation alone does not sign in to this oracle: send Authorization: Bearer <invocation> with X-Auth-Type: ucan";
/** Used where only some DIDs can sign in. */
export const NOT_ALLOWED = "This oracle is open only to listed DIDs; ask its operator to add yours";
export const INVALID_INVOCATION = "Invalid UCAN invocation";
export const INVALID_DELEGATION = "Invalid UCAN delegation";

/** The member `code` of a 401: which token was refused, or that there was none. The values are part of the API. */
export const REFUSAL_CODES = ["missing_authentication", "invalid_invocation", "invalid_delegation"] as const;

/** Seconds. */
const RESOLUTION_RETRY_AFTER = 5;

export interface Caller {
  readonly did: string;
  /** The valid delegation in the request, from the caller. */
  readonly delegation?: VerifiedDelegation;
  /** The caller is proven by the delegation alone: there was no invocation, or an expired one. */
  readonly isProvenByDelegation?: true;
}

export interface Tokens {
  readonly invocation?: string | undefined;
  readonly delegation?: string | undefined;
}

/**
 * Failures are `unauthenticated` with one of the messages above, `forbidden` with the reason `not_allowed` for a DID
 * that cannot sign in here, or `unavailable` if a DID could not be looked up. The reason of an `unauthenticated` names
 * the refused token and its detail the cause, neither of which discloses more than the caller's own token.
 */
export interface Authenticator {
  authenticate(headers: Headers, log?: Logger): Promise<Result<Caller>>;
  authenticateTokens(tokens: Tokens, log?: Logger): Promise<Result<Caller>>;
  /**
   * Like `authenticateTokens`, but an invocation whose only fault is expiry is accepted with a valid delegation of its
   * issuer: existing clients send a stale one on every reconnect.
   */
  authenticateHandshake(tokens: Tokens, log?: Logger): Promise<Result<Caller>>;
  /** For `POST /delegation`: `invalid_request` with `Invalid delegation: <reason>`, or `unavailable`. */
  verifyDelegation(token: string, expectedIssuer: string): Promise<Result<VerifiedDelegation>>;
  /** Its user has revoked the delegations with these CIDs: copies of them can no longer sign in here. */
  revoked(did: string, cids: readonly string[]): void;
  /** Whether the token is for that capability of this oracle: `forbidden` with the reason as text, or `unavailable`. */
  verifyInvocation(token: string, capability: Pick<Capability, "can" | "with">): Promise<Result<InvocationFor>>;
}

export interface AuthenticatorOptions {
  /** ORACLE_DID and, if set, ORACLE_ENTITY_DID. */
  readonly audiences: readonly string[];
  /** Seconds; `UCAN_AUTH_MAX_TTL_SECONDS`. */
  readonly maxTtlSeconds?: number;
  /** Whether a delegation without a valid invocation authenticates; true by default. */
  readonly allowsBareDelegation?: boolean;
  /**
   * The DIDs that can sign in, and callers to whom one of them delegated the capability. Everyone if empty or omitted.
   */
  readonly allowedDids?: readonly string[];
  readonly resolver: KeyResolver;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly cache?: VerificationCache;
  /** Whether the user has revoked the delegation with that CID; without it, revocation is off. */
  readonly isRevoked?: (did: string, cid: string) => Promise<boolean>;
}

/** Milliseconds for which an isolate caches that a delegation is not revoked. A socket's handshake always checks. */
export const REVOCATION_CHECK_LIFETIME = 10_000;
/** Milliseconds for which an isolate caches that a delegation is revoked. */
const REVOKED_LIFETIME = 3_600_000;
/** Delegations whose revocation is cached per isolate, about 200 bytes each. */
const REVOCATION_CAPACITY = 4_096;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { audiences, maxTtlSeconds = DEFAULT_MAX_TTL, allowsBareDelegation = true, resolver, clock } = options;
  const cache = options.cache ?? createVerificationCache(clock);
  const revocations = createExpiringCache<boolean>(REVOCATION_CAPACITY, clock);
  const allowedDids = new Set(options.allowedDids);
  const seconds = (): number => Math.floor(clock() / 1000);

  /** `expired` is separate because it is the only issue left when it is reported: see `identifyInvoker`. */
  async function identify(token: string): Promise<Result<Identity, TokenIssue> & { readonly expired?: Identity }> {
    const known = await cache.recall("invocation", token);
    if (known !== undefined) return success(known);
    const now = seconds();
    const identity = await identifyInvoker(token, { audiences, maxTtl: maxTtlSeconds }, resolver, now);
    if (!identity.ok) return identity;
    const { issuer, root, expiration, knownUntil } = identity.value;
    if (expiration <= now) return { ok: false, error: "expired", expired: identity.value };
    await cache.remember(
      token,
      { kind: "invocation", issuer, ...(root !== undefined && { root }), expiration },
      knownUntil,
    );
    return identity;
  }

  /** `isFresh`: asks the user's store, ignoring the cache. */
  async function judgeDelegation(token: string, isFresh = false): Promise<Result<VerifiedDelegation, TokenIssue>> {
    const delegation = await verifyDelegation(token);
    return delegation.ok && (await isRevoked(delegation.value, isFresh)) ? failure("revoked") : delegation;
  }

  async function isRevoked({ issuer, cid }: VerifiedDelegation, isFresh: boolean): Promise<boolean> {
    if (options.isRevoked === undefined) return false;
    const key = revocationKey(issuer, cid);
    const known = revocations.get(key);
    if (known === true || (known === false && !isFresh)) return known;
    const isGone = await options.isRevoked(issuer, cid);
    // It may have been revoked here meanwhile.
    if (revocations.get(key) === true) return true;
    revocations.set(key, isGone, clock() + (isGone ? REVOKED_LIFETIME : REVOCATION_CHECK_LIFETIME));
    return isGone;
  }

  async function verifyDelegation(token: string): Promise<Result<VerifiedDelegation, TokenIssue>> {
    const known = await cache.recall("delegation", token);
    if (known !== undefined) {
      const { kind: _, ...verification } = known;
      return success({ token: token.trim(), ...verification });
    }
    const checked = await verifyDelegationToken(token, audiences, resolver, seconds());
    if (!checked.ok) return checked;
    const { delegation, knownUntil } = checked.value;
    const { token: _, ...verification } = delegation;
    await cache.remember(token, { kind: "delegation", ...verification }, knownUntil);
    return success(delegation);
  }

  function admitted(caller: Caller, root: string | undefined, log?: Logger): Result<Caller> {
    if (allowedDids.size === 0 || allowedDids.has(caller.did) || allowedDids.has(root ?? "")) return success(caller);
    log?.info("authentication-refused", { credential: "did", reason: "not_allowed" });
    return fail("forbidden", NOT_ALLOWED, { reason: "not_allowed" });
  }

  async function decide(tokens: Tokens, isHandshake: boolean, log?: Logger): Promise<Result<Caller>> {
    const { invocation, delegation } = tokens;
    if (invocation === undefined) return byDelegationAlone(delegation, isHandshake, log);
    const identity = await identify(invocation);
    if (identity.ok) {
      const { issuer, root } = identity.value;
      return admitted(await withDelegation(issuer, delegation, isHandshake, log), root, log);
    }
    if (isHandshake && allowsBareDelegation && identity.expired !== undefined) {
      const { issuer, root } = identity.expired;
      const caller = await withDelegation(issuer, delegation, isHandshake, log);
      if (caller.delegation !== undefined) return admitted({ ...caller, isProvenByDelegation: true }, root, log);
    }
    log?.info("authentication-refused", { credential: "invocation", reason: identity.error });
    return failure(refusal(identity.error, INVALID_INVOCATION, "invalid_invocation"));
  }

  async function byDelegationAlone(
    token: string | undefined,
    isHandshake: boolean,
    log?: Logger,
  ): Promise<Result<Caller>> {
    if (token === undefined) {
      return fail("unauthenticated", MISSING_AUTHENTICATION, { reason: "missing_authentication" });
    }
    if (!allowsBareDelegation) {
      log?.info("authentication-refused", { credential: "delegation", reason: "invocation_required" });
      const details = [{ reason: "invocation_required", message: INVOCATION_REQUIRED }];
      return fail("unauthenticated", INVOCATION_REQUIRED, { reason: "missing_authentication", details });
    }
    const delegation = await judgeDelegation(token, isHandshake);
    if (delegation.ok) {
      const did = delegation.value.issuer;
      return admitted({ did, delegation: delegation.value, isProvenByDelegation: true }, undefined, log);
    }
    log?.info("authentication-refused", { credential: "delegation", reason: delegation.error });
    return failure(refusal(delegation.error, INVALID_DELEGATION, "invalid_delegation"));
  }

  async function withDelegation(
    did: string,
    token: string | undefined,
    isHandshake: boolean,
    log?: Logger,
  ): Promise<Caller> {
    if (token === undefined) return { did };
    const delegation = await judgeDelegation(token, isHandshake);
    if (delegation.ok && delegation.value.issuer === did) return { did, delegation: delegation.value };
    log?.info("delegation-ignored", { reason: delegation.ok ? "issuer" : delegation.error });
    return { did };
  }

  return {
    authenticate: (headers, log) => decide(tokensOf(headers), false, log),
    authenticateTokens: (tokens, log) => decide(tokens, false, log),
    authenticateHandshake: (tokens, log) => decide(tokens, true, log),
    verifyInvocation: (token, capability) =>
      verifyInvocationFor(token, capability, { audiences, resolver, now: seconds() }),
    revoked(did, cids) {
      for (const cid of cids) revocations.set(revocationKey(did, cid), true, clock() + REVOKED_LIFETIME);
    },
    async verifyDelegation(token, expectedIssuer) {
      const delegation = await judgeDelegation(token, true);
      const issue = delegation.ok ? "issuer" : delegation.error;
      if (delegation.ok && delegation.value.issuer === expectedIssuer) return delegation;
      return failure(
        issue === "unresolvable" ? unresolvable() : newFailure("invalid_request", `Invalid delegation: ${issue}`),
      );
    },
  };
}

function revocationKey(did: string, cid: string): string {
  return `${did} ${cid}`;
}

/** Whether the request has any credentials. */
export function hasCredentials(headers: Headers): boolean {
  const { invocation, delegation } = tokensOf(headers);
  return invocation !== undefined || delegation !== undefined;
}

/** Authorization counts only as `Bearer <token>` with `X-Auth-Type: ucan`, in any letter case (OR-21). */
function tokensOf(headers: Headers): Tokens {
  const selected = headers.get("X-Auth-Type")?.trim().toLowerCase() === "ucan";
  const bearer = /^bearer\s+(\S.*)$/is.exec(headers.get("Authorization")?.trim() ?? "");
  const delegation = headers.get("x-ucan-delegation")?.trim();
  return { invocation: selected ? bearer?.[1] : undefined, delegation: delegation === "" ? undefined : delegation };
}

function refusal(issue: TokenIssue, message: string, reason: (typeof REFUSAL_CODES)[number]): Failure {
  if (issue === "unresolvable") return unresolvable();
  return newFailure("unauthenticated", message, {
    reason,
    details: [{ reason: refusalReasonOf(issue), message: issue }],
  });
}

function unresolvable(): Failure {
  return newFailure("unavailable", "Identity resolution unavailable", { retryAfter: RESOLUTION_RETRY_AFTER });
}
