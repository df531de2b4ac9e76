/**
 * One click instead of copied keys: gives the secrets of a development machine to the console in this machine's own
 * browser. docs/security.md lists the other possible senders of requests to this machine, and why each is refused.
 */
import * as z from "zod";
import { textVariable } from "../../platform/config.ts";
import { newFailure } from "../../platform/failure.ts";
import { oracleError } from "../../platform/http/error-bodies.ts";
import { LOOPBACK, refusalOfDeveloper } from "../../platform/staff/loopback.ts";
import type { Exchange } from "../../platform/surface.ts";

export const DEVELOPMENT_SIGN_IN_PATH = "/console/development-sign-in";

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
  const reason = refusalOfDeveloper(request);
  if (reason !== undefined) return oracleError(newFailure("forbidden", reason), failed);
  const { DEV_API_KEY, ADMIN_TOKEN, USSD_OPERATOR_TOKEN } = secrets.parse(env);
  return Response.json(
    { apiKey: DEV_API_KEY, operatorToken: ADMIN_TOKEN, phoneOperatorToken: USSD_OPERATOR_TOKEN },
    { headers: { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" } },
  );
}
