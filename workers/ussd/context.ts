/** What the gateway's routes share: the request's circumstances, the configuration that was read, how to refuse. */
import type { Context } from "hono";
import type { Fault } from "../platform/errors.ts";
import { fault } from "../platform/errors.ts";
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

export function refuse(c: UssdContext, reason: Fault): Response {
  return phoneGatewayError(reason, { method: c.req.method, path: c.env.path, requestId: c.env.requestId });
}

export function unknownRoute(c: UssdContext): Response {
  return refuse(c, fault("not_found", "Not Found"));
}

/** Settled after the reply. */
export function inBackground(c: UssdContext, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work);
}
