/**
 * Routes behind these know their caller. In this order (contract/registry.md section 9): the brake on an address that
 * keeps failing, the credentials, the rate of the key, its scope.
 */
import { createMiddleware } from "hono/factory";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { OpenableSurface } from "../config.ts";
import type { Caller } from "../caller.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { findCaller } from "../keys/find-caller.ts";
import { insufficientScope, registryFailure, unauthenticated, invalidToken } from "../failures.ts";
import type { Failure } from "../../platform/failure.ts";
import type { RateKind } from "../rates.ts";
import { holds, type Scope } from "../scopes.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { presentedSecret } from "./credentials.ts";
import { countRequest } from "./rate-limit.ts";

/** Any valid key, or one that holds `scope`. GET and HEAD count as reads, the rest as writes, unless `kind` says. */
export function keyed(scope?: Scope, kind?: "read" | "write") {
  return createMiddleware<RegistryHono>(async (c, next) => {
    const admitted = await admitKey(c, scope, kind);
    if (!admitted.ok) return refuse(c, admitted.error);
    c.set("caller", admitted.value);
    await next();
  });
}

/**
 * For what may be read without a key unless REGISTRY_PUBLIC_READS closes it. A key that is sent must be valid all the
 * same; without one the address is counted.
 */
export function openFor(surface: OpenableSurface) {
  return createMiddleware<RegistryHono>(async (c, next) => {
    const isOpen = c.var.runtime.config.REGISTRY_PUBLIC_READS.includes(surface);
    const secret = presentedSecret(c.req.raw.headers);
    if (isOpen && secret.ok && secret.value === undefined) {
      const excess = countRequest(c, "public", addressOf(c));
      if (excess !== undefined) return refuse(c, excess);
      return next();
    }
    const admitted = await admitKey(c, isOpen ? undefined : "domains:read", "read");
    if (!admitted.ok) return refuse(c, admitted.error);
    c.set("caller", admitted.value);
    return next();
  });
}

/** What a request is told that proves nothing. */
interface Refusals {
  readonly missing: Failure;
  readonly wrong: Failure;
}

const keyRefusals: Refusals = { missing: unauthenticated().error, wrong: invalidToken().error };
const operatorRefusals: Refusals = {
  missing: unauthenticated("Send the operator's token: Authorization: Bearer <ADMIN_TOKEN>. API keys do not open this")
    .error,
  wrong: invalidToken("This is not the operator's ADMIN_TOKEN, which these routes ask for; API keys do not open them")
    .error,
};

/** Key management: ADMIN_TOKEN as a bearer and nothing else; an API key opens none of it, whatever its scopes. */
export const operatorOnly = createMiddleware<RegistryHono>(async (c, next) => {
  const { secrets } = c.var.runtime;
  if (c.req.header("Authorization") === undefined && c.req.header("X-API-Key") !== undefined) {
    return refuse(c, operatorRefusals.missing);
  }
  const isToken = async (digest: string) => (secrets.isAdminToken(digest) ? true : undefined);
  const proven = await prove(c, isToken, operatorRefusals);
  return proven.ok ? next() : refuse(c, proven.error);
});

async function admitKey(c: RegistryContext, scope: Scope | undefined, kind?: RateKind): Promise<Result<Caller>> {
  const caller = await prove(c, (digest, secret) =>
    findCaller(c.var.runtime, { secret, digest }, (work) => c.executionCtx.waitUntil(work)),
  );
  if (!caller.ok) return caller;
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  const excess = countRequest(c, kind ?? (reads ? "read" : "write"), caller.value.keyId);
  if (excess !== undefined) return failure(excess);
  if (scope === undefined) return caller;
  c.set("scope", scope);
  if (!holds(caller.value.scopes, scope)) return insufficientScope(scope);
  return caller;
}

/** How long a good secret is told from a guessed one; milliseconds. It is looked up at every request all the same. */
const RECOGNITION_LIFETIME = 600_000;

/**
 * A request without credentials is no attempt: any web page can make its reader send one. One address may be many
 * people's, so whoever was let in a while ago is heard, whatever others do there.
 */
async function prove<Proof>(
  c: RegistryContext,
  examine: (digest: string, secret: string) => Promise<Proof | undefined>,
  { missing, wrong } = keyRefusals,
): Promise<Result<Proof>> {
  const { attempts, recognised, clock } = c.var.runtime;
  const secret = presentedSecret(c.req.raw.headers);
  if (secret.ok && secret.value === undefined) return failure(missing);
  const address = addressOf(c);
  const brake = attempts?.refusal(address);
  const digest = secret.ok && secret.value !== undefined ? await sha256Hex(secret.value) : "";
  if (brake !== undefined && recognised.get(digest) === undefined) return failure(braked(brake.retryAfter ?? 1));
  if (!secret.ok || secret.value === undefined) {
    attempts?.failed(address);
    return secret.ok ? failure(missing) : secret;
  }
  const proof = await examine(digest, secret.value);
  if (proof !== undefined) {
    recognised.set(digest, true, clock() + RECOGNITION_LIFETIME);
    return success(proof);
  }
  attempts?.failed(address);
  return failure(wrong);
}

function braked(retryAfter: number): Failure {
  return registryFailure("rate_limited", "Too many failed attempts to authenticate; wait before the next", {
    retryAfter: Math.max(1, retryAfter),
  });
}

function addressOf(c: RegistryContext): string {
  return clientNetwork(c.req.raw, readProxyTrust(c.env.env));
}
