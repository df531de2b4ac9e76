/** The Hono context of the gateway's routes, and its error responses. */
import type { Context } from "hono";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { phoneGatewayError } from "../../../platform/http/error-bodies.ts";
import type { Exchange } from "../../../platform/surface.ts";
import type { UssdConfig } from "../config.ts";
import type { OpenOracleUsers } from "../people/open-people.ts";
import type { OperatorAuth } from "./access.ts";

export interface UssdHono {
  Bindings: Exchange;
  Variables: {
    config: UssdConfig;
    /** The client's address, as limits and lists identify it. */
    address: string;
    operator: OperatorAuth;
    /** The route's id, by which the table of roles names it. */
    operation: string | undefined;
    /** The member of staff whose session the request has. */
    staffId: string | undefined;
    openOracle: OpenOracleUsers;
    /** Whom the act concerns, for the audit log, if the path does not name it. */
    subject: string | undefined;
  };
}

export type UssdContext = Context<UssdHono>;

export function errorResponse(
  c: UssdContext,
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { path, requestId } = c.env;
  return phoneGatewayError(failure, { method: c.req.method, path, requestId }, { headers });
}

export function notFound(c: UssdContext): Response {
  return errorResponse(c, newFailure("not_found", "Not Found"));
}

export function methodNotAllowed(c: UssdContext, methods: readonly string[]): Response {
  return errorResponse(c, newFailure("method_not_allowed", "Method Not Allowed"), { Allow: methods.join(", ") });
}

/** Continues the work after the reply. */
export function inBackground(c: UssdContext, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work);
}
