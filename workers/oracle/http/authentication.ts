/**
 * Authenticates callers: the DID that an invocation or a delegation proves, for routes and for sockets. Failed
 * authentications are limited per address, but many people may share an address: a valid token is accepted whatever
 * others send, and a request without a token, which any web page can make its reader send, does not count.
 */
import type { Next } from "hono";
import { createMiddleware } from "hono/factory";
import type { SocketAuthenticator } from "../../../oracle/settings.ts";
import { hasCredentials } from "../../../platform/auth/authenticator.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import type { Authentication } from "../../../platform/http/route-declaration.ts";
import type { ApiDescription } from "../../../platform/openapi.ts";
import { failure, success } from "../../../platform/result.ts";
import { sameSecret } from "../../../oracle/framework/same-secret.ts";
import type { OracleRuntime } from "../runtime.ts";
import { refuse, unknownPath, type OracleContext, type OracleHono } from "./failures.ts";

const authenticate = createMiddleware<OracleHono>(async (c, next) => {
  const { authenticator, failedAuthentications } = c.var.runtime;
  const { headers } = c.req.raw;
  const authenticated = await authenticator.authenticate(headers, c.env.log);
  if (!authenticated.ok) {
    const isWrong = authenticated.error.code === "unauthenticated" && hasCredentials(headers);
    const address = clientNetwork(c.req.raw, readProxyTrust(c.env.env));
    return refuse(c, (isWrong ? failedAuthentications?.judge(address, "wrong") : undefined) ?? authenticated.error);
  }
  c.set("caller", authenticated.value);
  await next();
  // Caches treat `Authorization` as private, but not the header `x-ucan-delegation`.
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});

/** A route for users: an invocation with its marker header, or a delegation alone. */
export const signedIn: Authentication<OracleHono, Failure> = {
  middleware: [authenticate],
  security: [["invocation", "authType"], ["delegation"]],
  failures: [
    newFailure("unauthenticated", "Invalid UCAN invocation"),
    newFailure("forbidden", "This oracle is open only to listed DIDs; ask its operator to add yours"),
    newFailure("rate_limited", "Too many requests"),
    newFailure("unavailable", "Identity resolution unavailable"),
  ],
};

const notAnOperator = newFailure("unauthenticated", "The operator's secret is missing or wrong", { retryable: false });
const BEARER = /^Bearer +(.*\S) *$/i;

/** A route for operators, who know the secret. */
export function knowing(secret: string): Authentication<OracleHono, Failure> {
  const check = createMiddleware<OracleHono>((c, next) => checkSecret(c, next, secret));
  return { middleware: [check], security: [["operator"]], failures: [notAnOperator] };
}

/** A route for the operator of the deployment, who knows ADMIN_TOKEN; without that variable, it does not exist. */
export const administering: Authentication<OracleHono, Failure> = {
  middleware: [
    createMiddleware<OracleHono>((c, next) => {
      const { ADMIN_TOKEN } = c.var.runtime.config;
      return ADMIN_TOKEN === undefined ? Promise.resolve(refuse(c, unknownPath)) : checkSecret(c, next, ADMIN_TOKEN);
    }),
  ],
  security: [["operator"]],
  failures: [notAnOperator, unknownPath],
};

async function checkSecret(c: OracleContext, next: Next, secret: string): Promise<Response | void> {
  const given = BEARER.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!(await sameSecret(given, secret))) {
    const address = clientNetwork(c.req.raw, readProxyTrust(c.env.env));
    const attempts = given === undefined ? undefined : c.var.runtime.failedAuthentications;
    return refuse(c, attempts?.judge(address, "wrong") ?? notAnOperator);
  }
  await next();
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
}

/** A public route. */
export const open: Authentication<OracleHono, Failure> = { middleware: [], security: [], failures: [] };

export const securitySchemes: ApiDescription["securitySchemes"] = {
  invocation: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "UCAN 0.9.1",
    description: "Base64 CAR of a UCAN invocation signed by the user; read only together with `X-Auth-Type: ucan`.",
  },
  authType: { type: "apiKey", in: "header", name: "X-Auth-Type", description: "The literal value `ucan`." },
  operator: { type: "http", scheme: "bearer", description: "The secret of the oracle's operator for this route." },
  delegation: {
    type: "apiKey",
    in: "header",
    name: "x-ucan-delegation",
    description: "Base64 CAR of a user-to-oracle delegation; accepted alone, or together with an invocation.",
  },
};

/** For the sockets of a session: they share the authenticator, its cache, and the limit on failed authentications. */
export function createSocketAuthenticator({
  authenticator,
  failedAuthentications,
  config,
}: Pick<OracleRuntime, "authenticator" | "failedAuthentications" | "config">): SocketAuthenticator {
  return {
    requestsPerMinute: config.ORACLE_RATE_LIMIT_PER_MINUTE,
    async verify(tokens, address, log) {
      const caller = await authenticator.authenticateHandshake(tokens, log);
      if (caller.ok) {
        const { did, delegation, isProvenByDelegation } = caller.value;
        if (isProvenByDelegation !== true || delegation === undefined) return success({ did });
        return success({ did, delegationExpiry: delegation.expiration });
      }
      const hasTokens = tokens.invocation !== undefined || tokens.delegation !== undefined;
      const isWrong = hasTokens && caller.error.code === "unauthenticated";
      return failure((isWrong ? failedAuthentications?.judge(address, "wrong") : undefined) ?? caller.error);
    },
  };
}
