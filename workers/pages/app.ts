/**
 * The paths that belong to no single surface: the root, health, the console, the API reference and the OpenAPI
 * documents. Their content comes from the surfaces of the request's host.
 */
import { Hono, type Context } from "hono";
import { etag } from "hono/etag";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { CONSOLE_PATH, hasConsole, readConsoleConfig } from "../../platform/console-config.ts";
import { addCorsHeaders, preflightResponse, readEdgePolicy } from "../../platform/http/cors.ts";
import { oracleError } from "../../platform/http/error-bodies.ts";
import { isOpenedInBrowser, ofUnknownPath } from "../../platform/http/unknown-path.ts";
import type { Exchange, Surface } from "../../platform/surface.ts";
import type { SurfaceName } from "../../platform/surface-name.ts";
import { sharedProblems } from "./config.ts";
import { answerConsole, isConsolePath } from "./console.ts";
import { HOST_NAMEPLATE, hostDocument, listDocuments, surfaceDocument, type Nameplate } from "./documents.ts";
import { describeRoot, examineHealth, type Surfaces } from "./health.ts";
import { referenceAsset, referencePage } from "./reference.ts";

const DEVELOPMENT = "development";

interface PagesHono {
  Bindings: Exchange;
}

export interface PagesAppParts {
  readonly surfaces: Surfaces;
  /** The name of the deployment, if it is an author's oracle rather than this project. */
  readonly nameplate?: (env: Env) => Nameplate;
  /** The people of the console, at `/staff`, and the metrics. */
  readonly staff?: Pick<Surface, "fetch">;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export function createPagesApp({
  surfaces,
  nameplate,
  staff,
  clock = () => Date.now(),
}: PagesAppParts): Pick<Surface, "fetch" | "configProblems"> {
  const app = new Hono<PagesHono>({ strict: false });
  // Not at load, because the platform's clock is stopped there.
  let startedAt: number | undefined;

  app.get("/", (c) => {
    c.header("Vary", "Accept", { append: true });
    if (leadsToConsole(c)) return c.redirect(CONSOLE_PATH);
    const { title } = nameplate?.(c.env.env) ?? HOST_NAMEPLATE;
    return c.json(describeRoot(c.env.env, new Date(clock()), title));
  });
  app.on("GET", ["/health", "/healthz"], async (c) => {
    const { env, served } = c.env;
    const own = c.env.path === "/healthz" ? ownHealth(c.env, surfaces) : undefined;
    if (own !== undefined) return c.json(own.record, own.healthy ? 200 : 503, { "Cache-Control": "no-store" });
    const now = clock();
    startedAt ??= now;
    const { healthy, record } = await examineHealth({ env, served, surfaces, now: new Date(now), startedAt });
    return c.json(record, healthy ? 200 : 503, { "Cache-Control": "no-store" });
  });
  for (const documents of ["/openapi.json", "/openapi/*", "/docs-json", "/docs/openapi.json"])
    app.use(documents, etag());
  app.on("GET", ["/openapi.json", "/docs-json", "/docs/openapi.json"], async (c) =>
    c.json(await hostDocument(c.env.env, c.env.served, surfaces, nameplate?.(c.env.env))),
  );
  app.get("/openapi/:file{.+\\.json}", async (c) => {
    const name = c.req.param("file").slice(0, -".json".length) as SurfaceName;
    const document = await surfaceDocument(name, c.env.env, c.env.served, surfaces, nameplate?.(c.env.env));
    return document === undefined ? unknownRoute(c) : c.json(document);
  });
  app.get("/docs", async (c) => {
    if (assetsOf(c.env.env) === undefined) return unknownRoute(c);
    return referencePage(await listDocuments(c.env.env, c.env.served, surfaces), hasConsole(c.env.env));
  });
  app.get("/docs/*", async (c) => {
    const assets = assetsOf(c.env.env);
    const asset = assets === undefined ? undefined : await referenceAsset(c.req.raw, assets);
    return asset ?? unknownRoute(c);
  });
  app.on(["POST", "PUT", "PATCH", "DELETE"], ["/", "/health", "/healthz"], (c) =>
    refuse(c, newFailure("method_not_allowed", `Method ${c.req.method} is not allowed here`), { Allow: "GET, HEAD" }),
  );
  app.notFound(unknownRoute);

  return {
    configProblems: sharedProblems,
    async fetch(request, exchange, context) {
      startedAt ??= clock();
      const policy = readEdgePolicy(exchange.env);
      const answer = async (): Promise<Response> => {
        // Without CORS, because no other origin uses the console.
        if (isConsolePath(exchange.path)) return answerConsole(request, exchange);
        if (staff !== undefined && isStaffPath(exchange.path)) return staff.fetch(request, exchange, context);
        if (request.method === "OPTIONS") return preflightResponse(request, policy);
        return addCorsHeaders(await app.fetch(request, exchange, context), request, policy);
      };
      const [only, ...others] = exchange.served;
      const guard = only === undefined || others.length > 0 ? undefined : surfaces[only]?.guardHost;
      return guard === undefined ? answer() : guard(request, exchange, answer);
    },
  };
}

function isStaffPath(path: string): boolean {
  return path.startsWith("/staff/") || path === "/metrics";
}

/** A browser on a development machine, where the user typed the bare address. Programs always get JSON. */
function leadsToConsole(c: Context<PagesHono>): boolean {
  const config = readConsoleConfig(c.env.env);
  const isDevelopment = config.ok && config.value.environment === DEVELOPMENT;
  return isDevelopment && hasConsole(c.env.env) && isOpenedInBrowser(c.req.raw);
}

/** An author's oracle has none: the API reference belongs to this project. */
function assetsOf({ ASSETS }: Partial<Env>): Fetcher | undefined {
  return ASSETS;
}

/** If a host serves one surface, `/healthz` belongs to that surface. */
function ownHealth(
  { env, served }: Exchange,
  surfaces: Surfaces,
): ReturnType<NonNullable<Surface["ownHealth"]>> | undefined {
  const [only, ...others] = served;
  return only === undefined || others.length > 0 ? undefined : surfaces[only]?.ownHealth?.(env);
}

function unknownRoute(c: Context<PagesHono>): Response {
  return ofUnknownPath(refuse(c, newFailure("not_found", `Cannot ${c.req.method} ${c.env.path}`)));
}

function refuse(c: Context<PagesHono>, failure: Failure, headers: Readonly<Record<string, string>> = {}): Response {
  const { path, requestId } = c.env;
  return oracleError(failure, { method: c.req.method, path, requestId }, { headers });
}
