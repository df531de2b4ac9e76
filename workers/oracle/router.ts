/**
 * The oracle's Hono app: what runs around every route, the oracle's own routes, then those of its plugins. An unknown path
 * and a wrong method alike are a 404 `Cannot <METHOD> <path>`.
 */
import { Hono } from "hono";
import { describeThrown } from "../platform/log.ts";
import { addCorsHeaders, preflightResponse, readEdgePolicy } from "../platform/http/cors.ts";
import type { Result } from "../platform/result.ts";
import { failureOfThrown, refuse, unknownPath, type OracleHono } from "./http/failures.ts";
import { rateLimitHeaders } from "./http/rate-limit.ts";
import type { OracleRoute } from "./http/route.ts";
import { aboutRoutes } from "./routes/about.ts";
import { delegationRoutes } from "./routes/delegation.ts";
import { messageRoutes } from "./routes/messages.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { socketRoutes } from "./routes/sockets.ts";
import { transcriptRoutes } from "./routes/transcript.ts";
import type { OracleRuntime } from "./runtime.ts";

/** Called with whatever is thrown while a request is handled. */
export type OnError = (error: unknown, source: string) => void;

export interface RouterOptions {
  /** While it fails, every route does. */
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly pluginRoutes: readonly OracleRoute[];
  readonly onError?: OnError | undefined;
}

export const ownRoutes: readonly OracleRoute[] = [
  ...sessionRoutes,
  ...runRoutes,
  ...messageRoutes,
  ...transcriptRoutes,
  ...delegationRoutes,
  ...aboutRoutes,
];

export function createRouter({ runtime, pluginRoutes, onError }: RouterOptions): Hono<OracleHono> {
  // The raw path, so that an escaped parameter is decoded once; a slash at its end is ignored.
  const app = new Hono<OracleHono>({ getPath: (_request, options) => withoutSlash(options?.env?.path ?? "/") });
  // Outside what runs around the other routes: the object writes these responses, cross-origin headers included.
  app.route("/", socketRoutes);
  app.use(async (c, next) => {
    const policy = readEdgePolicy(c.env.env);
    // A plain OPTIONS gets the same response, since no route has that method.
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
    return next();
  });
  for (const route of [...ownRoutes, ...pluginRoutes]) route.mount(app);
  app.notFound((c) => refuse(c, unknownPath));
  app.onError((error, c) => {
    onError?.(error, "http");
    c.env.log.error("request-failed", { reason: describeThrown(error) });
    return refuse(c, failureOfThrown(error));
  });
  return app;
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
