/** What the gateway's routes share: the request's circumstances, the configuration that was read, how to refuse. */
import type { Context } from "hono";
import { newFailure, type Failure } from "../platform/failure.ts";
import { phoneGatewayError } from "../platform/http/error-bodies.ts";
import type { Exchange } from "../platform/surface.ts";
import type { UssdConfig } from "./config.ts";

export interface UssdHono {
  Bindings: Exchange;
  Variables: {
    config: UssdConfig;
    /** Whom limits and lists know the caller by. */
    address: string;
  };
}

export type UssdContext = Context<UssdHono>;

export function refuse(c: UssdContext, failure: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const { path, requestId } = c.env;
  return phoneGatewayError(failure, { method: c.req.method, path, requestId }, { headers });
}

export function unknownRoute(c: UssdContext): Response {
  return refuse(c, newFailure("not_found", "Not Found"));
}

/** Settled after the reply. */
export function inBackground(c: UssdContext, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work);
}
