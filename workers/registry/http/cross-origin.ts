/**
 * Cross-origin headers of the registry: any web page may use GraphQL and DID resolution, without credentials; `/v1` is
 * only for the origins in REGISTRY_CORS_ORIGINS.
 */
import { createMiddleware } from "hono/factory";
import { oncePerIsolate } from "../../../platform/config.ts";
import { addCorsHeaders, preflightResponse, type CorsPolicy } from "../../../platform/http/cors.ts";
import { readRegistryConfig } from "../config.ts";
import type { RegistryHono } from "../context.ts";

const shared = {
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  allowedHeaders: [
    "Authorization",
    "X-API-Key",
    "Content-Type",
    "If-Match",
    "If-None-Match",
    "Idempotency-Key",
    "X-Request-Id",
  ],
  exposedHeaders: [
    "ETag",
    "Location",
    "Link",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-Id",
    "Idempotent-Replayed",
  ],
};

const openPolicy: CorsPolicy = { ...shared, origins: "*" };

/** A wrong configuration allows no origin. */
const keyedPolicy: (env: Env) => CorsPolicy = oncePerIsolate((env: Env) => {
  const config = readRegistryConfig(env);
  return { ...shared, origins: config.ok ? config.value.REGISTRY_CORS_ORIGINS : [] };
});

export const crossOrigin = createMiddleware<RegistryHono>(async (c, next) => {
  const policy = /^\/v1(?:\/|$)/.test(c.env.path) ? keyedPolicy(c.env.env) : openPolicy;
  const isPreflight = c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") !== undefined;
  if (isPreflight) return preflightResponse(c.req.raw, policy);
  await next();
  addCorsHeaders(c.res, c.req.raw, policy);
});
