/** How the gateway declares its operators' routes: authentication, the form of failures, and their documentation. */
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { fail, newFailure, type Failure } from "../../../platform/failure.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { readBody } from "../../../platform/http/body.ts";
import { routesOf, type Reply, type Route } from "../../../platform/http/route.ts";
import type { OperationResponse } from "../../../platform/openapi.ts";
import { parseJson } from "../../../platform/json.ts";
import { admitStaff, hasStaffCookie } from "../../../platform/staff/session.ts";
import { success } from "../../../platform/result.ts";
import { errorResponse, notFound, type UssdContext, type UssdHono } from "./context.ts";
import type { Authentication } from "../../../platform/http/route-declaration.ts";

export type OperatorRoute = Route<UssdHono, FailureStatus>;

type FailureStatus = 400 | 401 | 403 | 404 | 409 | 429 | 503;

/** Bytes: a DID is the longest value in most of these bodies. */
const MAX_BODY_BYTES = 4_096;

const failureResponses: Readonly<Record<FailureStatus, OperationResponse>> = {
  400: { description: "The query or the body is invalid" },
  401: { description: "The operator's token is missing or wrong" },
  403: { description: "The role of this member of staff cannot call the route" },
  404: { description: "Unknown, or no token is configured" },
  409: { description: "Conflict with another customer" },
  429: {
    description: "Over the limit per minute and address",
    headers: { "Retry-After": "Whole seconds" },
  },
  503: { description: "The service is unavailable" },
};

const requireOperator: MiddlewareHandler<UssdHono> = async (c, next) => {
  const { operator } = c.var;
  if (hasStaffCookie(c.req.raw)) {
    const asked = { database: databaseOf(c.env.env), now: Date.now(), operation: c.get("operation") ?? "" };
    const admitted = await admitStaff(c.req.raw, asked);
    if (!admitted.ok) return errorResponse(c, admitted.error);
    if (admitted.value !== undefined) {
      c.set("staffId", admitted.value.id);
      return next();
    }
  }
  if (operator === "granted") return next();
  return operator === "disabled" ? notFound(c) : errorResponse(c, newFailure("unauthenticated", "Unauthorized"));
};

/** Open in development; elsewhere the routes do not exist for requests without a token. */
const requireOperatorOutsideDevelopment: MiddlewareHandler<UssdHono> = async (c, next) => {
  if (c.var.config.ENVIRONMENT === "development") return next();
  const hasCredentials = c.req.header("Authorization") !== undefined || hasStaffCookie(c.req.raw);
  return hasCredentials ? requireOperator(c, next) : notFound(c);
};

/** Requires the token in every environment. */
export const operator: Authentication<UssdHono, FailureStatus> = {
  middleware: [requireOperator],
  security: [["operator"]],
  failures: [401, 403, 404],
};

export const operatorOrDevelopment: Authentication<UssdHono, FailureStatus> = {
  middleware: [requireOperatorOutsideDevelopment],
  security: [[], ["operator"]],
  failures: [401, 403, 404],
};

export const route = routesOf<UssdHono, FailureStatus, object>({
  refuse: failureResponse,
  send: (_c, { status = 200, body, headers = {} }: Reply) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
    }),
  extras: () => ({}),
  async readBody(c, rule) {
    const text = await readBody(c.req.raw, rule.limit ?? MAX_BODY_BYTES);
    if (!text.ok) return text;
    const json = text.value.trim() === "" ? success({}) : parseJson(text.value);
    const checked = json.ok ? (rule.read === undefined ? rule.schema : rule.form).safeParse(json.value) : undefined;
    if (checked?.success) return success(checked.data);
    return fail("invalid_request", "The body does not match the schema of this route");
  },
  invalid: (_part, error) => newFailure("invalid_request", z.prettifyError(error)),
  labels: {
    always: [429, 503],
    parts: { params: [], query: [400], headers: [], body: [400], idempotent: [], ifMatch: [] },
    of: () => 400,
    responses: (statuses) => Object.fromEntries(statuses.map((status) => [status, failureResponses[status]])),
  },
});

/** 400 and 409 have a message; a 404 of an operator's command does not name the route. */
function failureResponse(c: UssdContext, failure: Failure): Response {
  const { code, message } = failure;
  const headers = { "Cache-Control": "no-store" };
  switch (code) {
    case "not_found":
      return Response.json({ error: "Not Found" }, { status: 404, headers });
    case "invalid_request":
    case "too_large":
      return Response.json({ error: "Bad Request", message }, { status: 400, headers });
    case "conflict":
      return Response.json({ error: "Conflict", message }, { status: 409, headers });
    case "storage_full":
      // The declared status of an operator's route that cannot work now.
      return errorResponse(c, newFailure("unavailable", message));
    default:
      return errorResponse(c, failure);
  }
}
