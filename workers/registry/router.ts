/**
 * The registry's one Hono app: middleware around every route, then the routes. Unknown paths and wrong methods get
 * problem responses too.
 */
import { Hono, type MiddlewareHandler } from "hono";
import type { JsonObject } from "../../platform/json.ts";
import { describeThrown } from "../../platform/log.ts";
import { buildOpenApi } from "../../platform/openapi.ts";
import type { Result } from "../../platform/result.ts";
import { type RegistryHono, type RegistryRuntime, refuse, refusesWith } from "./context.ts";
import { resolutionProblem } from "./did-resolution/failure-result.ts";
import { RESOLUTION_PATHS, resolutionRoutes } from "./did-resolution/route.ts";
import { failureOfThrown, registryFailure } from "./failures.ts";
import { GRAPHQL_PATH, graphqlRoutes, mountGraphql } from "./graphql/routes.ts";
import { graphqlProblem } from "./graphql/transport.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import { audited } from "./http/audited.ts";
import type { RegistryRoute } from "./http/route.ts";
import { securitySchemes } from "./http/schemas.ts";
import { URL_BYTES } from "./limits.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { changeRoutes } from "./routes/changes.ts";
import { documentRoutes } from "./routes/document-items.ts";
import { domainListRoutes } from "./routes/domain-lists.ts";
import { domainMdRoutes } from "./routes/domain-md.ts";
import { domainTypeRoutes } from "./routes/domain-types.ts";
import { domainViewRoutes } from "./routes/domain-views.ts";
import { domainRoutes } from "./routes/domains.ts";
import { importRoutes } from "./routes/imports.ts";
import { proposalRoutes } from "./routes/proposals.ts";
import { serviceRoutes } from "./routes/services.ts";
import { labelRoutes } from "./routes/labels.ts";
import { voterRoutes } from "./routes/voters.ts";
import { voteRoutes } from "./routes/votes.ts";
import { webhookDeliveryRoutes } from "./routes/webhook-deliveries.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

const resourceRoutes: readonly RegistryRoute[] = [
  ...domainTypeRoutes,
  ...domainRoutes,
  ...domainListRoutes,
  ...documentRoutes,
  ...domainViewRoutes,
  ...domainMdRoutes,
  ...resolutionRoutes,
  ...proposalRoutes,
  ...voteRoutes,
  ...serviceRoutes,
  ...voterRoutes,
  ...labelRoutes,
  ...changeRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
  ...importRoutes,
  ...apiKeyRoutes,
];

/** Every route of the registry. */
export const routes: readonly RegistryRoute[] = [...resourceRoutes, ...graphqlRoutes];

export type MakeRuntime = (env: Env) => Promise<Result<RegistryRuntime>>;

export function composeRoutes(runtimeOf: MakeRuntime): Hono<RegistryHono> {
  // The raw path, so that an escaped parameter is decoded once; a trailing slash is ignored.
  const app = new Hono<RegistryHono>({ getPath: (_request, options) => routedPath(options?.env?.path ?? "/") });
  app.use(GRAPHQL_PATH, refusesWith(graphqlProblem));
  app.use(RESOLUTION_PATHS, refusesWith(resolutionProblem));
  app.use(crossOrigin);
  app.use(async (c, next) => {
    if (c.req.url.length > URL_BYTES) {
      return refuse(c, registryFailure("validation_failed", `The address must not be longer than ${URL_BYTES} bytes`));
    }
    const runtime = await runtimeOf(c.env.env);
    if (!runtime.ok) return refuse(c, runtime.error);
    c.set("runtime", runtime.value);
    await next();
    for (const [name, value] of Object.entries(c.var.rateHeaders ?? {})) c.res.headers.set(name, value);
    // Responses contain user text; never let a browser sniff it as HTML.
    c.res.headers.set("X-Content-Type-Options", "nosniff");
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && c.res.ok && c.env.path.startsWith("/v1/")) {
      c.executionCtx.waitUntil(runtime.value.waker.wakeSoon(c.env.log));
    }
    if (isRead && c.env.path.startsWith("/v1/") && !c.res.headers.has("Cache-Control")) {
      c.res.headers.set("Cache-Control", "private, no-cache");
    }
  });
  mountGraphql(app);
  for (const { declaration } of resolutionRoutes) {
    app.options(declaration.path, () => new Response(null, { status: 204, headers: { Allow: "GET, HEAD, OPTIONS" } }));
  }
  for (const route of resourceRoutes) {
    const { id, method } = route.declaration;
    const naming: MiddlewareHandler<RegistryHono> = async (c, next) => {
      c.set("operation", id);
      await next();
    };
    route.mount(app, method === "get" ? [] : [audited(id)], [naming]);
  }

  app.notFound((c) => {
    const methods = methodsAt(app.routes, c.req.path);
    if (methods.length === 0) return refuse(c, registryFailure("not_found", `Nothing exists at ${c.env.path}`));
    const allowed = methods.join(", ");
    const message = `${c.env.path} takes ${allowed}`;
    return refuse(c, registryFailure("method_not_allowed", message), { Allow: allowed });
  });
  app.onError((error, c) => {
    c.env.log.error("request-failed", { reason: describeThrown(error) });
    return refuse(c, failureOfThrown(error));
  });
  return app;
}

function routedPath(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A mounted route. */
interface MountedRoute {
  readonly method: string;
  /** In the router's notation: `/v1/voters/:did`. */
  readonly path: string;
}

/**
 * The methods of a path for `Allow`, in alphabetical order; empty if the path does not exist. Middleware around every
 * route has no method.
 */
export function methodsAt(routes: readonly MountedRoute[], path: string): readonly string[] {
  const methods = new Set(
    routes.filter((route) => route.method !== "ALL" && covers(route.path, path)).map(({ method }) => method),
  );
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

function covers(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((segment, at) => (segment.startsWith(":") ? given[at] !== "" : segment === given[at]));
}

export function describeRegistry(): JsonObject {
  return buildOpenApi({
    title: "Domain registry",
    version: "1",
    description: "Records of domains, their verification by vote, and their DID documents.",
    tags: [
      { name: "Domains", description: "Create, find, change and deactivate domains" },
      { name: "Verification", description: "Proposals, votes, and the permissions of verified domains" },
      { name: "Governance", description: "The voter roll" },
      { name: "Bulk", description: "Bulk import and export of domains" },
      { name: "Changes", description: "The feed of changes, and webhooks that report them" },
      { name: "API keys", description: "API keys, managed by operators" },
      { name: "Resolution", description: "DID documents and GraphQL" },
    ],
    securitySchemes,
    routes,
  });
}
