/** Routes behind this know their caller: the DID that the invocation or the delegation proves, and nothing else. */
import { createMiddleware } from "hono/factory";
import { refuse, type OracleHono } from "../context.ts";

export const signedIn = createMiddleware<OracleHono>(async (c, next) => {
  const authenticated = await c.var.runtime.authenticator.authenticate(c.req.raw.headers);
  if (!authenticated.ok) return refuse(c, authenticated.error);
  c.set("caller", authenticated.value);
  await next();
});
