/**
 * Routes behind this know their caller: the DID that the invocation or the delegation proves, and nothing else. Failed
 * attempts are braked per address, but one address may be many people's: whoever signed in before is still heard, and
 * a request without any token, which every web page can make its reader send, is no attempt.
 */
import { createMiddleware } from "hono/factory";
import { hasCredentials } from "../../platform/auth/authenticator.ts";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import { refuse, type OracleHono } from "../context.ts";

export const signedIn = createMiddleware<OracleHono>(async (c, next) => {
  const { authenticator, attempts } = c.var.runtime;
  const { headers } = c.req.raw;
  const address = clientNetwork(c.req.raw, readProxyTrust(c.env.env));
  const refusal = attempts?.refusal(address);
  if (refusal !== undefined && !(await authenticator.recognises(headers))) return refuse(c, refusal);
  const authenticated = await authenticator.authenticate(headers, c.env.log);
  if (!authenticated.ok) {
    if (authenticated.error.code === "unauthenticated" && hasCredentials(headers)) attempts?.failed(address);
    return refuse(c, authenticated.error);
  }
  c.set("caller", authenticated.value);
  await next();
  // A token in a header of ours does not tell caches that the answer is private, as Authorization would.
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
});
