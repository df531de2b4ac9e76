/**
 * The gateway's Hono app: the rate limit first, then the routes. Telecom gateways reach theirs only from a listed
 * address and with the path secret, if these are configured. All callers are servers, so no route answers a preflight.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { newFailure } from "../../../platform/failure.ts";
import { describeThrown } from "../../../platform/log.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, UNAVAILABLE } from "../../../platform/phone-reply.ts";
import { readUssdConfig } from "../config.ts";
import {
  addressOf,
  allowsGateway,
  authenticateOperator,
  countRequest,
  setLimitHeaders,
  tooManyRequests,
} from "./access.ts";
import { audited, isAudited } from "./audited.ts";
import { errorResponse, methodNotAllowed, notFound, type UssdContext, type UssdHono } from "./context.ts";
import { providerEndpoint, providerOverLimit, providers, sessionEndpoint, textReply } from "./gateway-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import type { OpenOracleUsers } from "../people/open-people.ts";
import { peopleRoutes } from "./people-routes.ts";
import { parseRequest } from "./request.ts";
import { sessionRoutes } from "./session-routes.ts";

const ROOT = "/api/ussd";
/** Followed by the secret of `USSD_PATH_SECRET`. */
const SECRET_ROOT = `${ROOT}/g/`;
const PROVIDERS = "/providers/";

export function createRouter(openOracle: OpenOracleUsers): Hono<UssdHono> {
  // The raw path, so that an escaped id is decoded once; a trailing slash is ignored.
  const app = new Hono<UssdHono>({ getPath: (_request, options) => routedPath(options?.env?.path ?? "/") });

  app.use(async (c, next) => {
    const config = readUssdConfig(c.env.env);
    if (!config.ok) return misconfigured(c);
    const address = addressOf(c.req.raw, config.value);
    c.set("config", config.value);
    c.set("address", address);
    c.set("openOracle", openOracle);
    const operator = await authenticateOperator(c.req.header("Authorization"), config.value.USSD_OPERATOR_TOKEN);
    c.set("operator", operator);
    const counted = await countRequest(c.env, config.value, { address, isOperator: operator === "granted" });
    if (counted?.admitted === false) c.res = overLimit(c, counted.retryAfter);
    else await next();
    if (counted !== undefined) setLimitHeaders(c.res.headers, counted);
    return undefined;
  });

  app.on("POST", [ROOT], gatewayRoute);
  otherMethods(app, ROOT, ["POST"]);
  app.all(`${SECRET_ROOT}*`, gatewayRoute);
  app.all(`${ROOT}${PROVIDERS}*`, gatewayRoute);

  for (const route of [...sessionRoutes, ...operationRoutes, ...peopleRoutes]) {
    const { method, path, id } = route.declaration;
    const naming: MiddlewareHandler<UssdHono> = async (c, next) => {
      c.set("operation", id);
      await next();
    };
    route.mount(app, isAudited(method, id) ? [audited] : [], [naming]);
    otherMethods(app, path, method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]);
  }

  app.notFound(notFound);
  app.onError((thrown, c) => {
    c.env.log.error("request-failed", { reason: describeThrown(thrown) });
    return isSessionEndpoint(c)
      ? textReply(UNAVAILABLE)
      : errorResponse(c, newFailure("unavailable", UNAVAILABLE.body));
  });
  return app;
}

function otherMethods(app: Hono<UssdHono>, path: string, allowed: readonly string[]): void {
  app.all(path, (c) => methodNotAllowed(c, allowed));
}

/** The session endpoint or a provider's. With a path secret they exist only below it. */
async function gatewayRoute(c: UssdContext): Promise<Response> {
  const routed = routedPath(c.env.path);
  const [secret, ...rest] = routed.startsWith(SECRET_ROOT) ? routed.slice(SECRET_ROOT.length).split("/") : [];
  if (!(await allowsGateway(c.var.config, c.var.address, secret))) return notFound(c);
  const path = secret === undefined ? routed.slice(ROOT.length) : ["", ...rest].join("/");
  if (path.startsWith(PROVIDERS)) {
    const { name, below } = splitProvider(path);
    return providerEndpoint(c, name, below);
  }
  if (path !== "") return notFound(c);
  return c.req.method === "POST" ? sessionEndpoint(c) : methodNotAllowed(c, ["POST"]);
}

/** `path` begins with `PROVIDERS`; `below` is the part after the name. */
function splitProvider(path: string): { readonly name: string; readonly below: string } {
  const [name = "", ...rest] = path.slice(PROVIDERS.length).split("/");
  return { name, below: rest.length === 0 ? "" : `/${rest.join("/")}` };
}

function overLimit(c: UssdContext, retryAfter: number): Response {
  if (isSessionEndpoint(c)) return textReply(TOO_MANY_REQUESTS, 429);
  const at = c.env.path.indexOf(PROVIDERS);
  const { name, below } = splitProvider(at < 0 ? "" : c.env.path.slice(at));
  const adapter = providers.get(name);
  return adapter === undefined ? tooManyRequests(retryAfter) : providerOverLimit(adapter, below);
}

/** An invalid request still gets the text for invalid input (PH-12). */
async function misconfigured(c: UssdContext): Promise<Response> {
  c.env.log.error("ussd-misconfigured");
  if (!isSessionEndpoint(c)) return errorResponse(c, newFailure("unavailable", "Service temporarily unavailable"));
  const parsed = await parseRequest(c.req.raw, { serviceCodes: [], phonePlusOptional: false });
  return textReply(parsed.ok ? UNAVAILABLE : INVALID_INPUT);
}

function isSessionEndpoint(c: UssdContext): boolean {
  const path = routedPath(c.env.path);
  return c.req.method === "POST" && (path === ROOT || (path.startsWith(SECRET_ROOT) && !path.includes(PROVIDERS)));
}

function routedPath(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
