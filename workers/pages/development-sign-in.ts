/**
 * One click instead of copied keys: gives the secrets of a development machine to the console in this machine's own
 * browser. docs/security.md lists the other possible senders of requests to this machine, and why each is refused.
 */
import * as z from "zod";
import { textVariable } from "../../platform/config.ts";
import { newFailure } from "../../platform/failure.ts";
import { oracleError } from "../../platform/http/error-bodies.ts";
import type { Exchange } from "../../platform/surface.ts";

export const DEVELOPMENT_SIGN_IN_PATH = "/console/development-sign-in";

/** Names that every resolver resolves to the machine itself (RFC 6761), and its two loopback addresses. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/;
/** A tunnel or proxy adds one of these, so the caller may be anywhere, whatever the host is called. */
const FORWARDING_HEADERS = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Real-IP",
  "Via",
];

const blankIsUnset = textVariable().catch(undefined);
const secrets = z.object({ DEV_API_KEY: blankIsUnset, ADMIN_TOKEN: blankIsUnset, USSD_OPERATOR_TOKEN: blankIsUnset });

/** Whether the page offers it: only if the request for it would be granted. */
export function hasDevelopmentSignIn(environment: string, url: string): boolean {
  return environment === "development" && LOOPBACK.test(new URL(url).hostname);
}

export function answerDevelopmentSignIn(
  request: Request,
  { env, path, requestId }: Exchange,
  { environment }: { readonly environment: string },
): Response {
  const failed = { method: request.method, path, requestId };
  if (environment !== "development") {
    return oracleError(newFailure("not_found", `Cannot ${request.method} ${path}`), failed);
  }
  const reason = refusalOf(request);
  if (reason !== undefined) return oracleError(newFailure("forbidden", reason), failed);
  const { DEV_API_KEY, ADMIN_TOKEN, USSD_OPERATOR_TOKEN } = secrets.parse(env);
  return Response.json(
    { apiKey: DEV_API_KEY, operatorToken: ADMIN_TOKEN, phoneOperatorToken: USSD_OPERATOR_TOKEN },
    { headers: { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" } },
  );
}

function refusalOf({ url, headers }: Request): string | undefined {
  const { hostname, origin } = new URL(url);
  if (!LOOPBACK.test(hostname)) {
    return "Development sign-in works only on the machine that runs the server: open the console at http://localhost";
  }
  if (FORWARDING_HEADERS.some((name) => headers.has(name))) {
    return "Development sign-in does not accept requests through a proxy: sign in with an API key";
  }
  const site = headers.get("Sec-Fetch-Site") ?? "same-origin";
  if (headers.get("Origin") !== origin || site !== "same-origin") {
    return "Development sign-in accepts only requests of the console's own page: open the console and sign in there";
  }
  return undefined;
}
