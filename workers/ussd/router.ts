/**
 * The gateway's one Hono app (contract/ussd.md section 1): the limit before everything, then who may reach the session
 * endpoint at all, then the routes. It is called by servers, so no route answers a preflight.
 */
import { Hono, type Handler } from "hono";
import { newFailure } from "../platform/failure.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { describeThrown } from "../platform/log.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, UNAVAILABLE } from "../platform/phone-reply.ts";
import { listsAddress } from "./access/address-list.ts";
import { readUssdConfig } from "./config.ts";
import { refuse, unknownRoute, type UssdContext, type UssdHono } from "./context.ts";
import { textReply, tooManyRequests } from "./replies.ts";
import { admit, tellLimit } from "./access/request-limit.ts";
import { readUssdRequest } from "./request.ts";
import { debugRoute, sessionListRoute } from "./routes/debug.ts";
import {
  linkDidRoute,
  metricsRoute,
  resetPinRoute,
  rotatePinsRoute,
  statisticsRoute,
  unlockRoute,
} from "./routes/operations.ts";
import { adapterOf, overLimitReply, providerRoute } from "./routes/providers.ts";
import { stepRoute } from "./routes/sessions.ts";
import { equalTexts } from "../platform/digest.ts";

const ROOT = "/api/ussd";
/** What follows it is the secret of `USSD_PATH_SECRET`. */
const GATE = `${ROOT}/g/`;
const PROVIDERS = "/providers/";

const NO_RULES = { serviceCodes: [], phonePlusOptional: false };

export function composeRoutes(): Hono<UssdHono> {
  // The raw path, so that an escaped id is decoded once; a slash at its end means nothing.
  const app = new Hono<UssdHono>({ getPath: (_request, options) => routedPath(options?.env?.path ?? "/") });

  app.use(async (c, next) => {
    const config = readUssdConfig(c.env.env);
    if (!config.ok) return misconfigured(c);
    const { TRUST_PROXY_ENABLED: enabled, TRUST_PROXY_HOPS: hops } = config.value;
    const address = clientAddress(c.req.raw, { enabled, hops });
    c.set("config", config.value);
    c.set("address", address);
    const admission = await admit(c.env, config.value, address);
    if (admission?.admitted === false) c.res = overLimit(c, admission.retryAfter);
    else await next();
    if (admission !== undefined) tellLimit(c.res.headers, admission);
    return undefined;
  });

  only(app, ["POST"], ROOT, (c) => gatewayRoute(c, ""));
  app.all(`${GATE}:secret/*`, (c) => gatewayRoute(c, routedPath(c.env.path).slice(GATE.length)));
  app.all(`${GATE}:secret`, (c) => gatewayRoute(c, routedPath(c.env.path).slice(GATE.length)));
  app.all(`${ROOT}${PROVIDERS}*`, (c) => gatewayRoute(c, ""));

  only(app, ["GET"], `${ROOT}/sessions`, sessionListRoute);
  only(app, ["GET"], `${ROOT}/debug/:sessionId`, (c) => debugRoute(c, lastSegment(c)));
  const customer = `${ROOT}/ops/customers/:customerId`;
  only(app, ["POST"], `${customer}/unlock`, (c) => unlockRoute(c, c.req.param("customerId") ?? ""));
  only(app, ["POST"], `${customer}/reset-pin`, (c) => resetPinRoute(c, c.req.param("customerId") ?? ""));
  only(app, ["POST"], `${customer}/did`, (c) => linkDidRoute(c, c.req.param("customerId") ?? ""));
  only(app, ["POST"], `${ROOT}/ops/pins/rotate`, rotatePinsRoute);
  only(app, ["GET"], `${ROOT}/ops/stats`, statisticsRoute);
  only(app, ["GET"], `${ROOT}/ops/metrics`, metricsRoute);

  app.notFound(unknownRoute);
  app.onError((thrown, c) => {
    c.env.log.error("request-failed", { reason: describeThrown(thrown) });
    return isSessionEndpoint(c) ? textReply(UNAVAILABLE) : refuse(c, newFailure("unavailable", UNAVAILABLE.body));
  });
  return app;
}

/** Other methods are told which ones there are; HEAD comes with GET. */
function only(app: Hono<UssdHono>, methods: readonly string[], path: string, handle: Handler<UssdHono>): void {
  app.on([...methods], path, handle);
  const allow = methods.includes("GET") ? ["GET", "HEAD"] : methods;
  app.all(path, (c) => refuse(c, newFailure("method_not_allowed", "Method Not Allowed"), { Allow: allow.join(", ") }));
}

/**
 * What telecom gateways call: the session endpoint or a provider's. Where a secret is configured they are there only
 * beneath it, where addresses are listed only for those; for all others there is nothing. `gated`: the path after `/g/`.
 */
async function gatewayRoute(c: UssdContext, gated: string): Promise<Response> {
  const { USSD_ALLOWED_IPS: allowed, USSD_PATH_SECRET: secret } = c.var.config;
  if (allowed.length > 0 && !listsAddress(allowed, c.var.address)) return unknownRoute(c);
  const [presented = "", ...rest] = gated.split("/");
  if (secret === undefined ? gated !== "" : !(await equalTexts(presented, secret))) return unknownRoute(c);
  const path = secret === undefined ? routedPath(c.env.path).slice(ROOT.length) : ["", ...rest].join("/");
  if (path.startsWith(PROVIDERS)) {
    const { name, below } = splitProvider(path);
    return providerRoute(c, name, below);
  }
  if (path !== "") return unknownRoute(c);
  if (c.req.method === "POST") return stepRoute(c);
  return refuse(c, newFailure("method_not_allowed", "Method Not Allowed"), { Allow: "POST" });
}

function splitProvider(path: string): { readonly name: string; readonly below: string } {
  const [name = "", ...rest] = path.slice(PROVIDERS.length).split("/");
  return { name, below: rest.length === 0 ? "" : `/${rest.join("/")}` };
}

function overLimit(c: UssdContext, retryAfter: number): Response {
  if (isSessionEndpoint(c)) return textReply(TOO_MANY_REQUESTS, 429);
  const at = c.env.path.indexOf(PROVIDERS);
  const adapter = at < 0 ? undefined : adapterOf(splitProvider(c.env.path.slice(at)).name);
  if (adapter !== undefined) return overLimitReply(adapter);
  return tooManyRequests(retryAfter);
}

/** A caller who sends nonsense is told so even then; everyone else that the service is not there (decisions 4.1). */
async function misconfigured(c: UssdContext): Promise<Response> {
  c.env.log.error("ussd-misconfigured");
  if (!isSessionEndpoint(c)) return refuse(c, newFailure("unavailable", "Service temporarily unavailable"));
  const verdict = await readUssdRequest(c.req.raw, NO_RULES);
  return textReply(verdict.ok ? UNAVAILABLE : INVALID_INPUT);
}

function isSessionEndpoint(c: UssdContext): boolean {
  const path = routedPath(c.env.path);
  return c.req.method === "POST" && (path === ROOT || (path.startsWith(GATE) && !path.includes(PROVIDERS)));
}

function lastSegment(c: UssdContext): string {
  const path = routedPath(c.env.path);
  return path.slice(path.lastIndexOf("/") + 1);
}

function routedPath(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
