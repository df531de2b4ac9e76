/**
 * The registry's one Hono app: what runs around every route, then the routes. Unknown paths and wrong methods are
 * problems too (contract/registry.md section 2).
 */
import { Hono } from "hono";
import { describeThrown } from "../platform/log.ts";
import type { Result } from "../platform/result.ts";
import { refuse, type RegistryHono, type RegistryRuntime } from "./context.ts";
import { resolutionRoutes } from "./did-resolution/route.ts";
import { URL_BYTES } from "./limits.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import type { RegistryRoute } from "./http/route.ts";
import { methodsAt } from "./methods-at.ts";
import { graphqlRoutes } from "./graphql/routes.ts";
import { registryFailure } from "./failures.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { cardRoutes } from "./routes/card.ts";
import { changeRoutes } from "./routes/changes.ts";
import { compositeRoutes } from "./routes/composite.ts";
import { documentRoutes } from "./routes/document-items.ts";
import { domainListRoutes } from "./routes/domain-lists.ts";
import { domainTypeRoutes } from "./routes/domain-types.ts";
import { domainMdRoutes } from "./routes/domain-md.ts";
import { domainRoutes } from "./routes/domains.ts";
import { exportRoutes } from "./routes/export.ts";
import { historyRoutes } from "./routes/history.ts";
import { importRoutes } from "./routes/imports.ts";
import { proposalListRoutes } from "./routes/proposal-lists.ts";
import { proposalRoutes } from "./routes/proposals.ts";
import { serviceRoutes } from "./routes/services.ts";
import { verificationRuleRoutes } from "./routes/verification-rules.ts";
import { voteRoutes } from "./routes/votes.ts";
import { voterRoutes } from "./routes/voters.ts";
import { webhookDeliveryRoutes } from "./routes/webhook-deliveries.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { failureOfThrown } from "./storage-failure.ts";

/** Every route of the registry. */
export const routes: readonly RegistryRoute[] = [
  ...domainTypeRoutes,
  ...cardRoutes,
  ...apiKeyRoutes,
  ...verificationRuleRoutes,
  ...voterRoutes,
];

export type MakeRuntime = (env: Env) => Promise<Result<RegistryRuntime>>;

export function composeRoutes(runtimeOf: MakeRuntime): Hono<RegistryHono> {
  // The raw path, so that an escaped parameter is decoded once; a slash at its end means nothing.
  const app = new Hono<RegistryHono>({ getPath: (_request, options) => routedPath(options?.env?.path ?? "/") });
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
    // Names and descriptions are other people's: no browser shall take them for a page.
    c.res.headers.set("X-Content-Type-Options", "nosniff");
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead && c.res.ok && c.env.path.startsWith("/v1/")) {
      c.executionCtx.waitUntil(runtime.value.waker.wakeSoon(c.env.log));
    }
    if (isRead && c.env.path.startsWith("/v1/") && !c.res.headers.has("Cache-Control")) {
      c.res.headers.set("Cache-Control", "private, no-cache");
    }
  });
  for (const route of routes) route.mount(app);
  for (const mounted of [
    domainRoutes,
    domainListRoutes,
    documentRoutes,
    historyRoutes,
    compositeRoutes,
    domainMdRoutes,
    resolutionRoutes,
    proposalRoutes,
    proposalListRoutes,
    voteRoutes,
    serviceRoutes,
    changeRoutes,
    webhookRoutes,
    webhookDeliveryRoutes,
    importRoutes,
    exportRoutes,
    graphqlRoutes,
  ]) {
    app.route("/", mounted);
  }

  app.notFound((c) => {
    const methods = methodsAt(app.routes, c.req.path);
    if (methods.length === 0) return refuse(c, registryFailure("not_found", `There is nothing at ${c.env.path}`));
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
