/**
 * Cross-origin headers of the oracle (contract/oracle.md section 3.2): on every answer, errors included, and a
 * preflight on any path before authentication. A plain OPTIONS is answered alike, since no route has that method.
 */
import { createMiddleware } from "hono/factory";
import { addCorsHeaders, preflightResponse, readEdgePolicy } from "../../platform/http/cors.ts";
import type { OracleHono } from "../context.ts";

export const crossOrigin = createMiddleware<OracleHono>(async (c, next) => {
  const policy = readEdgePolicy(c.env.env);
  if (c.req.method === "OPTIONS") return preflightResponse(c.req.raw, policy);
  await next();
  addCorsHeaders(c.res, c.req.raw, policy);
});
