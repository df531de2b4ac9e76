/**
 * Cross-origin headers, decided by each surface for itself (decisions 1.6). `*` never carries credentials; a named
 * origin is reflected with them; an unlisted origin gets no allow header, so that the browser refuses for us.
 */
export interface CorsPolicy {
  /** `"*"`, or the exact origins that may call with credentials. */
  readonly origins: "*" | readonly string[];
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
}

/** How long a browser may keep a preflight's answer, seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method");
}

export function preflightResponse(request: Request, policy: CorsPolicy): Response {
  const headers = corsHeaders(request, policy);
  headers.set("Access-Control-Allow-Methods", policy.methods.join(", "));
  headers.set("Access-Control-Allow-Headers", policy.allowedHeaders.join(", "));
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_MAX_AGE));
  return new Response(null, { status: 204, headers });
}

/** The headers of every other response of the surface, errors included: without them a browser hides the status. */
export function corsHeaders(request: Request, policy: CorsPolicy): Headers {
  const headers = new Headers();
  headers.set("Access-Control-Expose-Headers", policy.exposedHeaders.join(", "));
  if (policy.origins === "*") {
    headers.set("Access-Control-Allow-Origin", "*");
    return headers;
  }
  headers.set("Vary", "Origin");
  const origin = request.headers.get("Origin");
  if (origin !== null && policy.origins.includes(origin)) {
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Allow-Credentials", "true");
  }
  return headers;
}
