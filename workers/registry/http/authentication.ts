/**
 * Authentication of routes: `auth: keyed(scope)`, `openFor(surface)` or `operatorOnly`. RG-24 defines the order of the
 * checks: the credentials, the limit on failed authentications, the rate of the key, its scope.
 */
import type { MiddlewareHandler } from "hono";
import { sha256Hex } from "../../../platform/digest.ts";
import type { Failure } from "../../../platform/failure.ts";
import { guessabilityOf } from "../../../platform/http/attempt-limit.ts";
import { type Counted, clientNetwork, clientNetworks, readProxyTrust } from "../../../platform/http/client-address.ts";
import type { Authentication } from "../../../platform/http/route-declaration.ts";
import { type Result, failure, success } from "../../../platform/result.ts";
import { admitStaff, hasStaffCookie } from "../../../platform/staff/session.ts";
import { type Caller, type Scope, holds } from "../caller.ts";
import type { OpenableSurface } from "../config.ts";
import { type RegistryContext, type RegistryHono, refuse } from "../context.ts";
import {
  type RegistryReason,
  insufficientScope,
  invalidToken,
  refused,
  registryFailure,
  unauthenticated,
} from "../failures.ts";
import { callerOfReader, callerOfStaff, findCaller } from "../keys/caller-of-key.ts";
import { tooManyRows } from "../store/refused-query.ts";
import { type RateKind, WINDOW_SECONDS } from "./request-rates.ts";

type RegistryAuthentication = Authentication<RegistryHono, RegistryReason>;

const keyFailures: readonly RegistryReason[] = [
  "conflicting_credentials",
  "unauthenticated",
  "invalid_token",
  "role_not_allowed",
  "rate_limited",
];

/**
 * Any valid key, or a key with `scope`. GET and HEAD count as reads, other methods as writes, unless `kind` is given.
 */
export function keyed(scope?: Scope, kind?: "read" | "write"): RegistryAuthentication {
  return {
    security: [["apiKey"], ["apiKeyHeader"]],
    failures: scope === undefined ? keyFailures : [...keyFailures, "insufficient_scope"],
    middleware: [lettingIn((c) => authenticateKey(c, scope, kind))],
  };
}

/**
 * For resources that can be read without a key unless REGISTRY_PUBLIC_READS closes them. A key in the request must
 * still be valid; without a key, the client address is rate-limited.
 */
export function openFor(surface: OpenableSurface): RegistryAuthentication {
  return {
    security: [[], ["apiKey"], ["apiKeyHeader"]],
    failures: [...keyFailures, "insufficient_scope"],
    middleware: [
      lettingIn((c) => {
        const isOpen = c.var.runtime.config.REGISTRY_PUBLIC_READS.includes(surface);
        const secret = presentedSecret(c.req.raw.headers);
        const isAnonymous = isOpen && c.env.reader === undefined && secret.ok && secret.value === undefined;
        if (!isAnonymous) return authenticateKey(c, isOpen ? undefined : "domains:read", "read");
        return admitPublic(c);
      }),
    ],
  };
}

/** Failures for missing or wrong credentials. */
interface CredentialFailures {
  readonly missing: Failure;
  readonly wrong: Failure;
}

const ofKeys: CredentialFailures = { missing: unauthenticated().error, wrong: invalidToken().error };
const ofOperator: CredentialFailures = {
  missing: unauthenticated(
    "Send the operator's token: Authorization: Bearer <ADMIN_TOKEN>. API keys are not accepted here",
  ).error,
  wrong: invalidToken(
    "This is not the operator's ADMIN_TOKEN, which these routes require; API keys are not accepted here",
  ).error,
};

/** Key management: accepts only ADMIN_TOKEN as bearer token. API keys are refused, whatever their scopes. */
export const operatorOnly: RegistryAuthentication = {
  security: [["adminToken"]],
  failures: keyFailures,
  middleware: [
    lettingIn(async (c) => {
      const { secrets } = c.var.runtime;
      const staff = await staffCaller(c);
      if (!staff.ok || staff.value !== undefined) return staff;
      if (c.req.header("Authorization") === undefined && c.req.header("X-API-Key") !== undefined) {
        return failure(ofOperator.missing);
      }
      const isToken = async (digest: string) => (secrets.isAdminToken(digest) ? true : undefined);
      const proven = await prove(c, isToken, ofOperator);
      return proven.ok ? success(undefined) : proven;
    }),
  ],
};

/** Authenticates the caller, or passes anonymous requests where that is allowed. */
function lettingIn(
  authenticate: (c: RegistryContext) => Promise<Result<Caller | undefined>>,
): MiddlewareHandler<RegistryHono> {
  return async (c, next) => {
    const caller = await authenticate(c);
    if (!caller.ok) return refuse(c, caller.error);
    if (caller.value !== undefined) c.set("caller", caller.value);
    return next();
  };
}

async function authenticateKey(c: RegistryContext, scope: Scope | undefined, kind?: RateKind): Promise<Result<Caller>> {
  const { reader } = c.env;
  const staff = reader === undefined ? await staffCaller(c) : success(undefined);
  if (!staff.ok) return staff;
  const byKey = () => (reader === undefined ? proveKey(c) : success(callerOfReader(reader)));
  const caller = staff.value === undefined ? await byKey() : success(staff.value);
  if (!caller.ok) return caller;
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  const excess = countRequest(c, kind ?? (reads ? "read" : "write"), caller.value.keyId);
  if (excess !== undefined) return failure(excess);
  // The table of roles has admitted the operation.
  if (scope === undefined || staff.value !== undefined) return caller;
  c.set("scope", scope);
  return holds(caller.value.scopes, scope) ? caller : insufficientScope(scope);
}

/** The member of staff whose session's cookie came without a key, if the role may call this route. */
async function staffCaller(c: RegistryContext): Promise<Result<Caller | undefined>> {
  if (!hasStaffCookie(c.req.raw)) return success(undefined);
  const { database, clock } = c.var.runtime;
  const operation = c.get("operation") ?? "";
  const admitted = await admitStaff(c.req.raw, { database, now: clock(), operation });
  if (admitted.ok) return success(admitted.value === undefined ? undefined : callerOfStaff(admitted.value));
  const { code, message } = admitted.error;
  return refused(code === "forbidden" ? "role_not_allowed" : "unauthenticated", message);
}

function proveKey(c: RegistryContext): Promise<Result<Caller>> {
  const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
  return prove(c, (digest, secret) => findCaller(c.var.runtime, { secret, digest }, later), ofKeys);
}

/** A request without credentials is not a failed attempt, because any web page can make its reader send one. */
async function prove<Proof>(
  c: RegistryContext,
  examine: (digest: string, secret: string) => Promise<Proof | undefined>,
  { missing, wrong }: CredentialFailures,
): Promise<Result<Proof>> {
  const { attempts } = c.var.runtime;
  const secret = presentedSecret(c.req.raw.headers);
  if (secret.ok && secret.value === undefined) return failure(missing);
  const proof =
    secret.ok && secret.value !== undefined ? await examine(await sha256Hex(secret.value), secret.value) : undefined;
  const isRight = secret.ok && secret.value !== undefined && proof !== undefined;
  const limited = attempts?.judge(addressOf(c), isRight ? guessabilityOf(secret.value) : "wrong");
  if (limited !== undefined) {
    const message = "Too many failed attempts to authenticate; wait before you try again";
    return refused("rate_limited", message, { retryAfter: Math.max(1, limited.retryAfter ?? 1) });
  }
  if (!secret.ok) return secret;
  return proof === undefined ? failure(wrong) : success(proof);
}

export const CREDENTIAL_HEADERS = ["Authorization", "X-API-Key"] as const;

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const BARE = /^[\x21-\x7e]+$/;

/** The secret in `Authorization: Bearer` or `X-API-Key`; undefined if the request has neither. */
export function presentedSecret(headers: Headers): Result<string | undefined> {
  const authorization = headers.get("Authorization");
  const apiKey = headers.get("X-API-Key")?.trim();
  const bearer = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== null && bearer === undefined) return unauthenticated("Authorization must be: Bearer <API key>");
  if (apiKey !== undefined && !BARE.test(apiKey)) return unauthenticated("X-API-Key must contain one API key");
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    const details = CREDENTIAL_HEADERS.map((header) => ({
      header,
      reason: "conflicting_credentials",
      message: "Differs from the other header",
    }));
    return refused("conflicting_credentials", "Authorization and X-API-Key contain different keys; send one of them", {
      details,
    });
  }
  return success(bearer ?? apiKey);
}

/** Counts the request. The response has the rate headers whether it is allowed or refused. */
function countRequest(c: RegistryContext, kind: RateKind, who: string): Failure | undefined {
  const { admitted, limit, remaining, retryAfter } = c.var.runtime.rates.take(kind, who);
  // The window slides, so the whole quota is available again after one window at most.
  const seconds = admitted ? WINDOW_SECONDS : Math.max(1, retryAfter);
  c.set("rateHeaders", {
    "RateLimit-Policy": `"${kind}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${kind}";r=${remaining};t=${seconds}`,
  });
  if (admitted) return undefined;
  return registryFailure("rate_limited", `Too many requests; wait ${seconds} s`, { retryAfter: seconds });
}

/** Each network that contains the address has a rate limit, and all callers without a key share one budget. */
async function admitPublic(c: RegistryContext): Promise<Result<undefined>> {
  const [own, site] = clientNetworks(c.req.raw, readProxyTrust(c.env.env));
  const excess = countRequest(c, "public", own.name) ?? (site && countSite(c, site));
  if (excess !== undefined) return failure(excess);
  const wait = await c.var.runtime.deployment.admitPublic();
  return wait === 0 ? success(undefined) : failure(tooManyRows("public", wait).failure);
}

/** The rate headers describe the caller's own network. */
function countSite(c: RegistryContext, { name, share }: Counted): Failure | undefined {
  const { admitted, retryAfter } = c.var.runtime.rates.take("public", name, share);
  if (admitted) return undefined;
  return registryFailure("rate_limited", `Too many requests from your network; wait ${retryAfter} s`, { retryAfter });
}

function addressOf(c: RegistryContext): string {
  return clientNetwork(c.req.raw, readProxyTrust(c.env.env));
}
