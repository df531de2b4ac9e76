/**
 * The oracle's Hono app: middleware around every route, the oracle's own routes, then those of its plugins. An unknown
 * path and a wrong method are both a 404 `Cannot <METHOD> <path>`.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { describeThrown } from "../../platform/log.ts";
import { addCorsHeaders, preflightResponse, readEdgePolicy } from "../../platform/http/cors.ts";
import type { Caller } from "../../platform/auth/authenticator.ts";
import type { Result } from "../../platform/result.ts";
import { failureOfThrown, internalError, refuse, unknownPath, type OracleHono } from "./http/failures.ts";
import { rateLimitHeaders } from "./http/limits.ts";
import type { OracleRoute } from "./http/route.ts";
import type { ErrorSource } from "../../oracle/framework/app-options.ts";
import type { RouteMiddleware } from "../../oracle/framework/plugin-routes.ts";
import type { PluginEdge } from "../../oracle/boot/boot-options.ts";
import type { RouteShape } from "../../oracle/boot/route-overlap.ts";
import { aboutRoutes } from "./routes/about.ts";
import { delegationRoutes } from "./routes/delegation.ts";
import { personalDataRoutes } from "./routes/me.ts";
import { peopleRoutes } from "./routes/people.ts";
import { messageRoutes } from "./routes/messages.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { socketRoutes } from "./routes/sockets.ts";
import { transcriptRoutes } from "./routes/transcript.ts";
import type { OracleRuntime } from "./runtime.ts";

export interface RouterOptions {
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly pluginRoutes: readonly OracleRoute[];
  /** The plugins whose HTTP middleware runs around every authenticated route. */
  readonly edges: readonly Pick<PluginEdge, "plugin" | "context" | "middlewares">[];
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly onError: (error: unknown, source: ErrorSource) => void;
}

export const ownRoutes: readonly OracleRoute[] = [
  ...sessionRoutes,
  ...runRoutes,
  ...messageRoutes,
  ...transcriptRoutes,
  ...delegationRoutes,
  ...personalDataRoutes,
  ...peopleRoutes,
  ...aboutRoutes,
];

/** Routes that no plugin's route may overlap. */
export const reservedRoutes: readonly RouteShape[] = [
  { method: "*", path: "/socket.io/*" },
  ...ownRoutes.map(({ declaration: { method, path } }) => ({ method: method.toUpperCase(), path })),
];

export function createRouter({ runtime, pluginRoutes, edges, clock, onError }: RouterOptions): Hono<OracleHono> {
  const personalData = { plugins: edges, clock, onError };
  // The raw path, so that an escaped parameter is decoded once; a trailing slash is ignored.
  const app = new Hono<OracleHono>({ getPath: (_request, options) => withoutSlash(options?.env?.path ?? "/") });
  // Outside the middleware of the other routes: the object writes these responses, including cross-origin headers.
  app.route("/", socketRoutes);
  app.use(async (c, next) => {
    const policy = readEdgePolicy(c.env.env);
    // A plain OPTIONS gets the preflight response too, because no route has that method.
    if (c.req.method === "OPTIONS") return preflightResponse(c.req.raw, policy);
    await next();
    addCorsHeaders(c.res, c.req.raw, policy);
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
    c.set("personalData", personalData);
    return next();
  });
  const around = edges.flatMap(({ plugin, middlewares }) =>
    middlewares.map((middleware) => guarded(plugin.name, middleware, onError)),
  );
  for (const route of [...ownRoutes, ...pluginRoutes]) route.mount(app, around);
  app.notFound((c) => refuse(c, unknownPath));
  app.onError((error, c) => {
    const failed = failureOfThrown(error);
    if (failed.code === "invalid_request") return refuse(c, failed);
    onError(error, "http");
    const { plugin } = c.var;
    c.env.log.error("request-failed", { ...(plugin === undefined ? {} : { plugin }), reason: describeThrown(error) });
    return refuse(c, failed);
  });
  return app;
}

/**
 * Sends the response for a middleware that throws. An error of the route inside it never arrives here: hono passes it to `onError`
 * of the app.
 */
function guarded(
  plugin: string,
  middleware: RouteMiddleware,
  onError: RouterOptions["onError"],
): MiddlewareHandler<OracleHono> {
  return async (c, next) => {
    const caller: Caller | undefined = c.get("caller");
    // An operator's route, which knows its caller by a secret.
    if (caller === undefined) return next();
    c.set("user", { did: caller.did });
    try {
      return await (middleware as unknown as MiddlewareHandler<OracleHono>)(c, next);
    } catch (thrown) {
      c.env.log.error("route-middleware-failed", { plugin, reason: describeThrown(thrown) });
      onError(thrown, `plugin:${plugin}`);
      return refuse(c, internalError);
    }
  };
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
