/**
 * The oracle's one Hono app: what runs around every route, the oracle's own routes, then its plugins'. Unknown paths
 * and wrong methods alike are `Cannot <METHOD> <path>` (contract/oracle.md section 3.3).
 */
import { Hono } from "hono";
import { fail, newFailure, type Failure } from "../platform/failure.ts";
import { describeThrown } from "../platform/log.ts";
import type { Operation } from "../platform/openapi.ts";
import { describeIssues, readJsonBody } from "../platform/http/body.ts";
import { success, type Result } from "../platform/result.ts";
import { refuse, type OracleContext, type OracleHono, type OracleRuntime } from "./context.ts";
import { publicSecurity, signedInSecurity } from "./description.ts";
import { crossOrigin } from "./middleware/cross-origin.ts";
import { countBefore, countBeside, rateLimitHeaders } from "./middleware/rate-limit.ts";
import { signedIn } from "./middleware/signed-in.ts";
import type { PluginRequest, PluginRoute, RoutePattern } from "../../durable-objects/chat-session/plugin.ts";
import { isExcluded } from "./plugins/plugin-loading.ts";
import { BODY_TIME_MS, SMALL_BODY_BYTES } from "../../protocol/limits.ts";
import { delegationRoutes } from "./routes/delegation.ts";
import { didDocumentRoutes } from "./routes/did-document.ts";
import { historyRoutes } from "./routes/history.ts";
import { messageRoutes } from "./routes/messages.ts";
import { modelRoutes } from "./routes/models.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { socketRoutes } from "./routes/sockets.ts";

/** Told of whatever is thrown while a request is answered. */
export type OnError = (error: unknown, source: string) => void;

/** A plugin's route together with what it takes to call it. */
export interface MountedRoute {
  readonly operation: Operation;
  readonly handle: PluginRoute["handle"];
}

export interface RouterParts {
  /** A fault keeps every route from answering. */
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly pluginRoutes: readonly MountedRoute[];
  readonly onError?: OnError;
}

export function composeRoutes({ runtime, pluginRoutes, onError }: RouterParts): Hono<OracleHono> {
  // The raw path, so that an escaped parameter is decoded once; a slash at its end means nothing.
  const app = new Hono<OracleHono>({ getPath: (_request, options) => routedPath(options?.env?.path ?? "/") });
  // Before what runs around every other route: the object writes these answers, cross-origin headers included.
  app.route("/", socketRoutes);
  app.use(crossOrigin);
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("X-Content-Type-Options", "nosniff");
  });
  app.use(rateLimitHeaders);
  app.use(async (c, next) => {
    const ready = await runtime();
    if (!ready.ok) {
      c.env.log.error("oracle-not-ready", { reason: ready.error.message });
      return refuse(c, ready.error);
    }
    c.set("runtime", ready.value);
    return next();
  });
  for (const routes of [
    sessionRoutes,
    messageRoutes,
    historyRoutes,
    runRoutes,
    delegationRoutes,
    modelRoutes,
    didDocumentRoutes,
  ]) {
    app.route("/", routes);
  }
  for (const route of pluginRoutes) mountPluginRoute(app, route);
  app.notFound((c) => refuse(c, newFailure("not_found", `Cannot ${c.req.method} ${c.env.path}`)));
  app.onError((error, c) => {
    onError?.(error, "http");
    c.env.log.error("request-failed", { reason: describeThrown(error) });
    return refuse(c, faultOf(error));
  });
  return app;
}

export function describePluginRoute(route: PluginRoute, excluded: readonly RoutePattern[]): MountedRoute {
  const security = isExcluded(route.operation, excluded) ? publicSecurity : signedInSecurity;
  return { operation: { ...route.operation, security }, handle: (request) => route.handle(request) };
}

function mountPluginRoute(app: Hono<OracleHono>, { operation, handle }: MountedRoute): void {
  const count = operation.method === "get" ? countBeside : countBefore;
  const guards = operation.security.length === 0 ? [] : [signedIn, count];
  app.on(operation.method.toUpperCase(), [operation.path], ...guards, async (c) => {
    const input = await inputOf(c, operation);
    if (!input.ok) return refuse(c, input.error);
    return handle({
      request: c.req.raw,
      env: c.env.env,
      params: c.req.param(),
      ...input.value,
      caller: operation.security.length === 0 ? undefined : c.var.caller,
      oracleDid: c.var.runtime.identity.did,
      requestId: c.env.requestId,
      log: c.env.log,
    });
  });
}

/** What the route describes of its input holds before its plugin sees any of it. A parameter names a thing: 404. */
async function inputOf(
  c: OracleContext,
  { params, query, headers, body }: Operation,
): Promise<Result<Pick<PluginRequest, "query" | "body">>> {
  if (params?.safeParse(c.req.param()).success === false) {
    return fail("not_found", `Cannot ${c.req.method} ${c.env.path}`);
  }
  const asked = query?.safeParse(c.req.query());
  if (asked?.success === false) return fail("invalid_request", describeIssues(asked.error));
  const sent = headers?.safeParse(c.req.header());
  if (sent?.success === false) return fail("invalid_request", describeIssues(sent.error));
  if (body === undefined) return success({ query: asked?.data ?? {}, body: undefined });
  const read = await readJsonBody(c.req.raw, body.schema, SMALL_BODY_BYTES, { timeMs: BODY_TIME_MS });
  return read.ok ? success({ query: asked?.data ?? {}, body: read.value }) : read;
}

function routedPath(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Seconds. */
const OVERLOAD_RETRY_AFTER = 1;

/** A rejected call to an object: worth another try when the platform says so, a bug of ours otherwise. */
function faultOf(error: object): Failure {
  const busy =
    ("overloaded" in error && error.overloaded === true) || ("retryable" in error && error.retryable === true);
  if (!busy) return newFailure("internal", "Internal server error");
  return newFailure("unavailable", "The service is busy; please try again", { retryAfter: OVERLOAD_RETRY_AFTER });
}
