/** CORS of the endpoint: a browser's polling requests come from any origin that the options allow. */

/** How long a browser may remember a preflight; seconds, the most that browsers take. */
const PREFLIGHT_SECONDS = 86_400;

type AllowOrigin = "*" | ((origin: string) => boolean);

export function crossOriginHeaders(request: Request, allowOrigin: AllowOrigin): Record<string, string> {
  const origin = request.headers.get("origin");
  if (allowOrigin === "*") return { "Access-Control-Allow-Origin": "*" };
  // The answer depends on the origin, so that no cache may give it to another.
  if (origin === null || !allowOrigin(origin)) return { Vary: "Origin" };
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
}

export function preflight(request: Request, allowOrigin: AllowOrigin): Response {
  const asked = request.headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      ...crossOriginHeaders(request, allowOrigin),
      "Access-Control-Allow-Methods": "GET, POST",
      "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
      ...(asked === null ? {} : { "Access-Control-Allow-Headers": asked }),
    },
  });
}
