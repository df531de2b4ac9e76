/** Routes behind this know their caller: the DID that the invocation or the delegation proves, and nothing else. */
import { createMiddleware } from "hono/factory";
import { clientAddress, readProxyTrust } from "../../platform/http/client-address.ts";
import { refuse, type OracleHono } from "../context.ts";

export const signedIn = createMiddleware<OracleHono>(async (c, next) => {
  const { authenticator, attempts } = c.var.runtime;
  const address = clientAddress(c.req.raw, readProxyTrust(c.env.env));
  const refusal = attempts?.refusal(address);
  if (refusal !== undefined) return refuse(c, refusal);
  const authenticated = await authenticator.authenticate(c.req.raw.headers, c.env.log);
  if (!authenticated.ok) {
    if (authenticated.error.code === "unauthenticated") attempts?.failed(address);
    return refuse(c, authenticated.error);
  }
  c.set("caller", authenticated.value);
  await next();
});
