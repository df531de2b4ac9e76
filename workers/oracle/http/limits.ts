/**
 * The limits that apply to a request:
 * - per minute and user, counted exactly by the user vault in one of three ways: before a route acts, while a harmless
 *   read runs, or by the call to the store that the route makes anyway (`countedValue`);
 * - per minute and network, for public routes;
 * - per day, for runs: for the user, then for their address and for the whole oracle, if the operator has set these
 *   limits. Anyone can create any number of DIDs, so the limits of one user alone do not limit what a deployment
 *   spends.
 */
import { createMiddleware } from "hono/factory";
import type { Admission, Counted, DailyLimits, RunReservation, TokenGrant } from "../../../oracle/user-vault-rpc.ts";
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import { createRateWindow, type RateWindow } from "../../../platform/rate-window.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { userVault } from "../objects.ts";
import { refuse, type CountedRun, type OracleContext, type OracleHono } from "./failures.ts";
import { BUDGET_OF_ALL, budgetOfAddress } from "../../../platform/object-names.ts";
import type { OracleConfig } from "../config.ts";

/** For routes that change something, and for expensive reads: nothing happens until the request is allowed. */
export const countBefore = createMiddleware<OracleHono>(async (c, next) => {
  const result = await countRequest(c);
  c.set("rateLimit", result);
  return result.admitted ? next() : refuse(c, rateLimited(result));
});

/** For small reads: counts concurrently, so that counting adds no delay. */
export const countMeanwhile = createMiddleware<OracleHono>(async (c, next) => {
  const [result] = await Promise.all([countRequest(c), next()]);
  c.set("rateLimit", result);
  if (result.admitted) return;
  await c.res.body?.cancel();
  c.res = undefined;
  c.res = refuse(c, rateLimited(result));
});

/**
 * For the route that starts runs: counts the request, and the run against the limits of the day. The route itself
 * rejects a run beyond those, because a message that was sent before starts none.
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
/** Networks that an isolate tracks for each public route with a limit; the least recent one is evicted first. */
const NETWORKS = 10_000;

/**
 * For a public route: at most `limit` requests per minute from one network, counted in this isolate. `clock`: Unix
 * milliseconds.
 */
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

/** The caller's limit, on every response to a counted request. */
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

export interface RunCount {
  readonly rateLimit: Admission;
  /** Absent if the request exceeded the limit per minute. */
  readonly run?: CountedRun;
}

/** A run that does not start is released everywhere. `address` is undefined for a run of another surface. */
export async function countRun(
  env: Env,
  config: OracleConfig,
  did: string,
  address: string | undefined,
): Promise<RunCount> {
  const runKey = crypto.randomUUID();
  const own = userVault(env, did);
  const {
    admission: rateLimit,
    value,
    revision,
  } = await own.countRun(config.ORACLE_RATE_LIMIT_PER_MINUTE, runKey, {
    turns: config.ORACLE_USER_TURNS_PER_DAY,
    tokens: config.ORACLE_USER_TOKENS_PER_DAY,
    running: config.ORACLE_USER_RUNNING_TURNS,
  });
  if (value === undefined) return { rateLimit };
  const exceeds = (limitReached: Failure): RunCount => ({
    rateLimit,
    run: { runKey, release: async () => {}, limitReached },
  });
  if (!value.reserved) return exceeds(userLimitReached(value));
  const counted = [own];
  let { grant } = value;
  const release = async (): Promise<void> => {
    await Promise.all(counted.map((store) => store.releaseRun(runKey)));
  };
  for (const { name, limits, reached } of operatorLimits(config, address)) {
    const store = userVault(env, name);
    const reservation = await store.reserveRun(runKey, limits);
    if (!reservation.reserved) {
      await release();
      return exceeds(reached(reservation));
    }
    counted.push(store);
    grant = lesserGrant(grant, reservation.grant);
  }
  return { rateLimit, run: { runKey, release, grant, ...(revision === undefined ? {} : { revision }) } };
}

function lesserGrant(one: TokenGrant | undefined, other: TokenGrant | undefined): TokenGrant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { tokens: Math.min(one.tokens, other.tokens), until: Math.min(one.until, other.until) };
}

type Exhausted = Extract<RunReservation, { reserved: false }>;

interface OperatorLimit {
  /** The name of the counting object. */
  readonly name: string;
  readonly limits: DailyLimits;
  readonly reached: (exhausted: Exhausted) => Failure;
}

/** The configured limits, the narrower one first. */
function operatorLimits(config: OracleConfig, address: string | undefined): readonly OperatorLimit[] {
  const ofAddress = { turns: config.ORACLE_ADDRESS_TURNS_PER_DAY, tokens: 0 };
  const ofAll = { turns: config.ORACLE_TOTAL_TURNS_PER_DAY, tokens: config.ORACLE_TOTAL_TOKENS_PER_DAY };
  const found: OperatorLimit[] = [];
  if (address !== undefined && ofAddress.turns > 0)
    found.push({ name: budgetOfAddress(address), limits: ofAddress, reached: addressLimitReached });
  if (ofAll.turns > 0 || ofAll.tokens > 0)
    found.push({ name: BUDGET_OF_ALL, limits: ofAll, reached: totalLimitReached });
  return found;
}

function userLimitReached({ exhausted, limit, retryAfter }: Exhausted): Failure {
  if (exhausted === "running" || exhausted === "reserved") {
    const message =
      exhausted === "running"
        ? `The limit of ${limit} running answers is reached. Send this message when one of them is complete.`
        : "Your running answers may use the rest of today's tokens. Send this message when they are complete.";
    const reason = exhausted === "running" ? "running_turn_limit" : "daily_tokens_reserved";
    return newFailure("rate_limited", message, { retryAfter, reason, retryable: true });
  }
  const what = exhausted === "turns" ? `${limit} messages` : `${limit} tokens`;
  return newFailure("rate_limited", `You have used today's ${what}. The limit resets at 00:00 UTC.`, {
    retryAfter,
    reason: exhausted === "turns" ? "daily_turn_limit" : "daily_token_limit",
    retryable: true,
  });
}

function addressLimitReached({ limit, retryAfter }: Exhausted): Failure {
  const message = `Your network has used today's ${limit} messages. The limit resets at 00:00 UTC.`;
  return newFailure("rate_limited", message, { retryAfter, reason: "address_turn_limit", retryable: true });
}

function totalLimitReached({ exhausted, retryAfter }: Exhausted): Failure {
  if (exhausted === "reserved") {
    const message =
      "The answers that this oracle is writing may use the rest of today's budget. Please try again soon.";
    return newFailure("unavailable", message, { retryAfter, reason: "daily_budget_reserved", retryable: true });
  }
  const message = "This oracle has reached its limit for today. The limit resets at 00:00 UTC.";
  return newFailure("unavailable", message, { retryAfter, reason: "daily_budget_exhausted", retryable: true });
}
