/**
 * The query gateway's surface: HTTP and JSON in, gRPC out. Finds the chain profile of a request and adds the final
 * headers to every response, including CORS; serve/serve.ts answers the request.
 */
import { newFailure } from "../../platform/failure.ts";
import { clientNetwork } from "../../platform/http/client-address.ts";
import { ofUnknownPath } from "../../platform/http/unknown-path.ts";
import type { JsonObject } from "../../platform/json.ts";
import { createLogger, type Logger } from "../../platform/log.ts";
import type { EntitySource } from "../../platform/ports.ts";
import type { Exchange, Surface } from "../../platform/surface.ts";
import { unknownPath } from "./deployments/route-plan.ts";
import { ANY_ORIGIN } from "./deployments/settings.ts";
import { createBuiltGateways, entryFor, type Gateway } from "./gateway.ts";
import { areAllNodesDown, healthOf, knownProblems } from "./health.ts";
import { describeGateway } from "./openapi/describe-gateway.ts";
import { refusal } from "./serve/rpc-status.ts";
import { serve } from "./serve/serve.ts";
import { internalError } from "./upstream/node-failures.ts";

/** The app's external dependencies. */
interface QueryGatewayOptions {
  /** Entities for the embedded node. */
  readonly source: (env: Env) => EntitySource;
  /** The built-in descriptor set. */
  readonly image: ArrayBuffer;
  /** The other surface that owns a path, if any. */
  readonly otherOwnerOf: (path: string) => string | undefined;
  readonly platform?: Partial<GatewayPlatform>;
}

export interface GatewayPlatform {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
  /** For events without a request. */
  readonly log: Logger;
}

const workerPlatform: GatewayPlatform = {
  clock: () => Date.now(),
  random: () => Math.random(),
  fetch: (url, init) => fetch(url, init),
  sharedCache: () => (typeof caches === "undefined" ? undefined : caches.default),
  log: createLogger({ surface: "query-gateway", requestId: "isolate" }),
};

export function createQueryGatewayApp({ source, image, otherOwnerOf, platform = {} }: QueryGatewayOptions): Surface {
  const complete = { ...workerPlatform, ...platform };
  const built = createBuiltGateways((env) => ({
    ...complete,
    image: new Uint8Array(image),
    source: source(env),
    otherOwnerOf,
  }));
  /** Cached: hundreds of kilobytes that anyone can request. */
  const documents = new WeakMap<Gateway, { readonly document: JsonObject | undefined }>();

  const healthNow = (env: Env) => healthOf(env, built.known(env), knownProblems(env, built.known(env), otherOwnerOf));

  return {
    async fetch(request, exchange, context) {
      const gateway = await built.of(exchange.env);
      if (!gateway.ok) return refusal(internalError);
      const answered = await answer(gateway.value, request, exchange, context, complete.clock);
      const response = request.method === "HEAD" ? withoutBody(answered) : answered;
      response.headers.set("X-Content-Type-Options", "nosniff");
      return response;
    },
    /** A wrong chain profile fails alone and does not make the service unhealthy. */
    configProblems(env) {
      const { problems, isDown } = knownProblems(env, built.known(env), otherOwnerOf);
      return isDown ? problems : [];
    },
    async openapi(env) {
      const gateway = await built.of(env);
      if (!gateway.ok) return undefined;
      const described = documents.get(gateway.value) ?? { document: describeGateway(gateway.value.deployments) };
      documents.set(gateway.value, described);
      return described.document;
    },
    health: (env) => ({ gateway: { ...healthNow(env) } }),
    /**
     * For load balancers: one wrong profile, or one with unavailable nodes, must not take the others out of service.
     */
    ownHealth(env) {
      const { isDown } = knownProblems(env, built.known(env), otherOwnerOf);
      return { healthy: !isDown && !areAllNodesDown(built.known(env)), record: healthNow(env) };
    },
  };
}

async function answer(
  gateway: Gateway,
  request: Request,
  { path, log }: Exchange,
  context: ExecutionContext,
  clock: () => number,
): Promise<Response> {
  const { config, cache, calls } = gateway;
  const entry = entryFor(gateway, request, path);
  if (entry === undefined) {
    const details = config.isDevelopment
      ? [unknownPath({ deployment: "none", reason: "no host and mount match" })]
      : [];
    return ofUnknownPath(refusal(newFailure("not_found", "Not Found"), { details }));
  }
  const { deployment } = entry;
  if (deployment === undefined) return refusal(internalError);
  const { match, cors } = deployment.settings;
  const response = await serve(deployment, {
    request,
    path: path.slice(match.mount?.length ?? 0),
    address: () => clientNetwork(request, config.proxies),
    cache,
    calls,
    clock,
    log,
    waitUntil: (work) => context.waitUntil(work),
  });
  if (cors !== undefined) addCrossOrigin(response.headers, request, cors);
  return response;
}

/** For errors and streams too; it ends a stream without a reader. */
function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => undefined);
  return new Response(null, { status: response.status, headers: response.headers });
}

interface CrossOrigin {
  readonly origins: readonly string[];
  readonly credentials: boolean;
  /** Seconds that a browser may cache a preflight response. */
  readonly maxAge: number;
}

const ALLOWED_HEADERS =
  "Content-Type, Authorization, X-API-Key, x-cosmos-block-height, grpc-metadata-x-cosmos-block-height, grpc-timeout, if-none-match";
const EXPOSED_HEADERS =
  "Grpc-Metadata-X-Cosmos-Block-Height, X-Cosmos-Block-Height, ETag, Age, Cache-Status, Retry-After, X-Request-Id, " +
  "X-Gateway-Node, Link, Deprecation";

function addCrossOrigin(headers: Headers, request: Request, settings: CrossOrigin): void {
  const allowed = allowedOrigin(headers, request, settings.origins);
  if (allowed === undefined) return;
  headers.set("Access-Control-Allow-Origin", allowed);
  if (settings.credentials) headers.set("Access-Control-Allow-Credentials", "true");
  headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  if (request.method !== "OPTIONS") return;
  headers.set("Access-Control-Allow-Methods", headers.get("Allow") ?? "GET, HEAD, OPTIONS");
  headers.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  headers.set("Access-Control-Max-Age", String(settings.maxAge));
}

/** A response for every origin is identical for all, so caches need not distinguish them. */
function allowedOrigin(headers: Headers, request: Request, origins: readonly string[]): string | undefined {
  if (origins.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  headers.append("Vary", "Origin");
  const origin = request.headers.get("Origin");
  return origin !== null && origins.includes(origin) ? origin : undefined;
}
