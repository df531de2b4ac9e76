/**
 * The requests that a user may make in a minute, counted exactly by their user vault, in one of three ways: before a route
 * acts, while a harmless read runs, or by the call to the store that the route makes anyway (`countedValue`). And those that
 * one network may make of a public route.
 */
import { createMiddleware } from "hono/factory";
import type { Admission, Counted } from "../../../oracle/user-vault-rpc.ts";
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import { createRateWindow, type RateWindow } from "../../../platform/rate-window.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { countRun } from "../daily-limits.ts";
import { userVault } from "../objects.ts";
import { refuse, type OracleContext, type OracleHono } from "./failures.ts";

/** For routes that change something, and for reads that cost much: nothing happens until the request is allowed. */
export const countBefore = createMiddleware<OracleHono>(async (c, next) => {
  const result = await countRequest(c);
  c.set("rateLimit", result);
  return result.admitted ? next() : refuse(c, rateLimited(result));
});

/** For small reads: counts at the same time, so that counting costs no time. */
export const countMeanwhile = createMiddleware<OracleHono>(async (c, next) => {
  const [result] = await Promise.all([countRequest(c), next()]);
  c.set("rateLimit", result);
  if (result.admitted) return;
  await c.res.body?.cancel();
  c.res = undefined;
  c.res = refuse(c, rateLimited(result));
});

/**
 * For the route that starts runs: counts the request, and the run against the limits of the day. The route itself rejects a
 * run beyond those, because a message that was sent before starts none.
 */
export const countRunBefore = createMiddleware<OracleHono>(async (c, next) => {
  const { env } = c.env;
  const { caller, runtime } = c.var;
  const address = clientNetwork(c.req.raw, readProxyTrust(env));
  const { rateLimit, run } = await countRun(env, runtime.config, caller.did, address);
  c.set("rateLimit", rateLimit);
  if (run === undefined) return refuse(c, rateLimited(rateLimit));
  c.set("counted", run);
  return next();
});

const MINUTE_MS = 60_000;
/** Networks that an isolate remembers for each public route with a limit; the one longest without a request leaves first. */
const NETWORKS = 10_000;

/** For a public route: at most `limit` requests a minute from one network, counted in this isolate. `clock`: Unix milliseconds. */
export function countNetwork(limit: number, clock: () => number) {
  const windows = createExpiringCache<RateWindow>(NETWORKS, clock);
  return createMiddleware<OracleHono>(async (c, next) => {
    const network = clientNetwork(c.req.raw, readProxyTrust(c.env.env));
    const window = windows.get(network) ?? createRateWindow(MINUTE_MS);
    const admission = window.take(clock(), limit);
    if (!admission.admitted) return refuse(c, rateLimited(admission));
    windows.set(network, window, clock() + MINUTE_MS);
    return next();
  });
}

/** The value of a store call that counted the request. */
export function countedValue<Value>(c: OracleContext, { admission, value }: Counted<Value>): Result<Value> {
  c.set("rateLimit", admission);
  return admission.admitted && value !== undefined ? success(value) : failure(rateLimited(admission));
}

/** The caller's limit, on every response to a request that was counted. */
export const rateLimitHeaders = createMiddleware<OracleHono>(async (c, next) => {
  await next();
  const { rateLimit } = c.var;
  if (rateLimit === undefined) return;
  c.res.headers.set("X-RateLimit-Limit", String(rateLimit.limit));
  c.res.headers.set("X-RateLimit-Remaining", String(rateLimit.remaining));
});

export function rateLimited({ retryAfter }: Admission): Failure {
  return newFailure("rate_limited", "Too many requests", { retryAfter: Math.max(1, retryAfter) });
}

function countRequest(c: OracleContext): Promise<Admission> {
  return userVault(c.env.env, c.var.caller.did).countRequest(c.var.runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE);
}
