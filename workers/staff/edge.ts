/** How the staff surface declares its routes: authentication, the form of failures, and limits. */
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import type { AuditChange } from "../../platform/audit/audit.ts";
import { textVariable } from "../../platform/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { databaseOf } from "../../platform/database/database-of.ts";
import { equalTexts } from "../../platform/digest.ts";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { describeIssues, readJsonBody } from "../../platform/http/body.ts";
import { guessabilityOf, type AttemptLimit } from "../../platform/http/attempt-limit.ts";
import { problemDetails } from "../../platform/http/error-bodies.ts";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { routesOf, type Reply, type Route } from "../../platform/http/route.ts";
import type { Authentication } from "../../platform/http/route-declaration.ts";
import { admitStaff, SIGNED_OUT, type StaffSession } from "../../platform/staff/session.ts";
import type { StaffRates } from "./rates.ts";
import type { Exchange } from "../../platform/surface.ts";
import { success } from "../../platform/result.ts";

/** Bytes: the response of a security key has a few thousand. */
const BODY_BYTES = 32_768;

const operatorToken = z.object({ ADMIN_TOKEN: textVariable().catch(undefined) });

export interface StaffHono {
  Bindings: Exchange;
  Variables: {
    now: number;
    rates: StaffRates;
    operation: string;
    /** The limit on wrong ADMIN_TOKENs. */
    attempts: AttemptLimit;
    /** In a write, its first change also writes its audit row. */
    database: Database;
    /** What the write changed, for the audit log. */
    change: AuditChange | undefined;
    /** Undefined for the holder of ADMIN_TOKEN, and on public routes. */
    session: StaffSession | undefined;
  };
}

export type StaffContext = Context<StaffHono>;
export type StaffRoute = Route<StaffHono, string>;

export function refuse(c: StaffContext, failure: Failure): Response {
  const { path, requestId } = c.env;
  const headers = {
    "Cache-Control": "no-store",
    ...(failure.retryAfter === undefined ? {} : { "Retry-After": String(failure.retryAfter) }),
  };
  return problemDetails(failure, { method: c.req.method, path, requestId }, { headers });
}

function limited(c: StaffContext, counted: string): Response | undefined {
  const wait = c.var.rates.take(counted, c.var.now);
  if (wait === 0) return undefined;
  return refuse(c, newFailure("rate_limited", `Too many requests; wait ${wait} s`, { retryAfter: wait }));
}

const networkOf = (c: StaffContext) => clientNetwork(c.req.raw, readProxyTrust(c.env.env));

/** Requests before a sign-in, limited for each network. */
export const open: Authentication<StaffHono, string> = {
  middleware: [async (c, next) => limited(c, `network ${networkOf(c)}`) ?? next()],
  security: [[]],
  failures: ["rate_limited"],
};

/** A session whose role may call the route. */
export const bySession: Authentication<StaffHono, string> = {
  middleware: [async (c, next) => (await admit(c)) ?? next()],
  security: [["staffSession"]],
  failures: ["unauthenticated", "forbidden", "rate_limited"],
};

async function admit(c: StaffContext): Promise<Response | undefined> {
  const { now, operation } = c.var;
  const excess = limited(c, `network ${networkOf(c)}`);
  if (excess !== undefined) return excess;
  const admitted = await admitStaff(c.req.raw, { database: databaseOf(c.env.env), now, operation });
  if (!admitted.ok) return refuse(c, admitted.error);
  if (admitted.value === undefined) return refuse(c, SIGNED_OUT);
  c.set("session", admitted.value);
  return undefined;
}

/** A session, or the operator's ADMIN_TOKEN: that is how the first administrator is invited. */
export const bySessionOrOperator: Authentication<StaffHono, string> = {
  middleware: [
    async (c, next) => {
      const authorization = c.req.header("Authorization");
      if (authorization === undefined) return (await admit(c)) ?? next();
      const excess = limited(c, `network ${networkOf(c)}`);
      if (excess !== undefined) return excess;
      const token = operatorToken.parse(c.env.env).ADMIN_TOKEN ?? "";
      const presented = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
      const isRight = token !== "" && (await equalTexts(presented, token));
      const waiting = c.var.attempts.judge(networkOf(c), isRight ? guessabilityOf(token) : "wrong");
      if (waiting !== undefined) return refuse(c, waiting);
      if (isRight) return next();
      return refuse(c, newFailure("unauthenticated", "This is not the operator's ADMIN_TOKEN"));
    },
  ] satisfies MiddlewareHandler<StaffHono>[],
  security: [["staffSession"], ["adminToken"]],
  failures: ["unauthenticated", "forbidden", "rate_limited"],
};

export const route = routesOf<StaffHono, string, object>({
  refuse,
  send: (_c, { status = 200, body, headers = {} }: Reply) =>
    body === undefined
      ? new Response(null, { status, headers: { "Cache-Control": "no-store", ...headers } })
      : Response.json(body, { status, headers: { "Cache-Control": "no-store", ...headers } }),
  extras: () => ({}),
  readBody: (c, rule) =>
    rule.read === undefined
      ? readJsonBody(c.req.raw, rule.schema, rule.limit ?? BODY_BYTES)
      : Promise.resolve(success(undefined)),
  invalid: (_part, error) => newFailure("invalid_request", describeIssues(error)),
  labels: {
    always: [],
    parts: { params: [], query: [], headers: [], body: [], idempotent: [], ifMatch: [] },
    of: ({ code }) => code,
    responses: () => ({}),
  },
});
