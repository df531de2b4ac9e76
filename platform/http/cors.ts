/**
 * Cross-origin headers, which each surface decides itself. `*` never allows credentials; a listed origin is reflected
 * with them; an unlisted origin gets no allow header, so that the browser refuses.
 */
import * as z from "zod";
import { oncePerIsolate, textVariable } from "../config.ts";

export interface CorsPolicy {
  /** `"*"`, or the exact origins that can call with credentials. */
  readonly origins: "*" | readonly string[];
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
}

const corsOrigin = z.object({ CORS_ORIGIN: textVariable() });

/**
 * The policy of the paths for `CORS_ORIGIN`: the oracle's and the shared ones. Read separately, because the errors of a
 * misconfigured surface have these headers too.
 */
export const readEdgePolicy: (env: object) => CorsPolicy = oncePerIsolate((env: object) =>
  edgePolicy(parseOrigins(corsOrigin.safeParse(env).data?.CORS_ORIGIN)),
);

function edgePolicy(origins: CorsPolicy["origins"]): CorsPolicy {
  return {
    origins,
    methods: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"],
    allowedHeaders: [
      "Content-Type",
      "Authorization",
      "x-ucan-delegation",
      "x-matrix-access-token",
      "x-matrix-homeserver",
      "x-did",
      "x-request-id",
      "x-auth-type",
      "x-timezone",
    ],
    exposedHeaders: ["X-Request-Id", "x-run-id"],
  };
}

/** `CORS_ORIGIN`: `*`, or a comma-separated list of origins; unset or blank means `*`. */
function parseOrigins(text: string | undefined): "*" | readonly string[] {
  const origins = (text ?? "")
    .split(",")
    .map((origin) => origin.trim().replace(/\/$/, ""))
    .filter((origin) => origin !== "");
  return origins.length === 0 || origins.includes("*") ? "*" : origins;
}

/** How long a browser can cache a preflight response, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

export function preflightResponse(request: Request, policy: CorsPolicy): Response {
  const headers = new Headers();
  setCorsHeaders(headers, request, policy);
  headers.set("Access-Control-Allow-Methods", policy.methods.join(", "));
  headers.set("Access-Control-Allow-Headers", policy.allowedHeaders.join(", "));
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_MAX_AGE));
  return new Response(null, { status: 204, headers });
}

/** The headers of every other response of the surface, errors included: without them a browser hides the status. */
function setCorsHeaders(headers: Headers, request: Request, policy: CorsPolicy): void {
  headers.set("Access-Control-Expose-Headers", policy.exposedHeaders.join(", "));
  if (policy.origins === "*") {
    headers.set("Access-Control-Allow-Origin", "*");
    return;
  }
  // In addition to the response's own Vary members.
  headers.append("Vary", "Origin");
  const origin = request.headers.get("Origin");
  if (origin !== null && policy.origins.includes(origin)) {
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Allow-Credentials", "true");
  }
}

/** Adds them to a response with mutable headers. */
export function addCorsHeaders(response: Response, request: Request, policy: CorsPolicy): Response {
  setCorsHeaders(response.headers, request, policy);
  return response;
}
