/**
 * The rate limit per user DID (contract/oracle.md section 3.5), counted exactly by the user's vault. A route counts in
 * one of three ways: before it acts, beside a read that is harmless when refused, or within a vault call of its own.
 */
import { createMiddleware } from "hono/factory";
import type { Admission, Counted } from "../../../durable-objects/user-store/rpc.ts";
import { newFailure } from "../../platform/failure.ts";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { refuse, type OracleContext, type OracleHono } from "../context.ts";
import { userStore } from "../objects.ts";
import { countTurn } from "../turn-budget.ts";

/** For routes that change something: nothing happens until the request is admitted. */
export const countBefore = createMiddleware<OracleHono>(async (c, next) => {
  const admission = await admit(c);
  if (!admission.admitted) return refuseExcess(c, admission);
  c.set("admission", admission);
  await next();
});

/**
 * For the route that starts turns: counts the request, and the turn against the limits of the day. Whether a turn beyond
 * them is refused is the route's to say: a message that was sent before starts none.
 */
export const countTurnBefore = createMiddleware<OracleHono>(async (c, next) => {
  const { env } = c.env;
  const { caller, runtime } = c.var;
  const address = clientNetwork(c.req.raw, readProxyTrust(env));
  const { admission, turn } = await countTurn(env, runtime.config, caller.did, address);
  if (turn === undefined) return refuseExcess(c, admission);
  c.set("admission", admission);
  c.set("turn", turn);
  await next();
});

/** For reads elsewhere: counts while the route works, so that the count costs no time of its own. */
export const countBeside = createMiddleware<OracleHono>(async (c, next) => {
  const [admission] = await Promise.all([admit(c), next()]);
  if (admission.admitted) {
    c.set("admission", admission);
    return;
  }
  await c.res.body?.cancel();
  c.res = undefined;
  c.res = refuseExcess(c, admission);
});

/** For routes whose own vault call carried the count: the answer from its value, or the refusal. */
export function answerAdmitted<Value>(
  c: OracleContext,
  { admission, value }: Counted<Value>,
  answer: (value: Value) => Response,
): Response {
  if (!admission.admitted || value === undefined) return refuseExcess(c, admission);
  c.set("admission", admission);
  return answer(value);
}

/** Tells the caller where he stands, on every answer to a request that was counted. */
export const rateLimitHeaders = createMiddleware<OracleHono>(async (c, next) => {
  await next();
  const { admission } = c.var;
  if (admission === undefined) return;
  c.res.headers.set("X-RateLimit-Limit", String(admission.limit));
  c.res.headers.set("X-RateLimit-Remaining", String(admission.remaining));
});

function admit(c: OracleContext): Promise<Admission> {
  return userStore(c.env.env, c.var.caller.did).countRequest(c.var.runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE);
}

function refuseExcess(c: OracleContext, admission: Admission): Response {
  c.set("admission", admission);
  return refuse(c, newFailure("rate_limited", "Too many requests", { retryAfter: Math.max(1, admission.retryAfter) }));
}
