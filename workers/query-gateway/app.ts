/**
 * The query gateway's surface (contract D): HTTP and JSON in, gRPC out. Picks the deployment of a request by host and mount
 * and gives every answer its last headers; one request's way is serve.ts.
 */
import { clientAddress } from "../platform/http/client-address.ts";
import type { JsonObject } from "../platform/json.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import type { EntitySource } from "../platform/ports.ts";
import type { Exchange, Surface } from "../platform/surface.ts";
import { addCrossOrigin } from "./answer/cross-origin.ts";
import { faultBody, faultResponse } from "./answer/error-body.ts";
import { createBuiltGateways } from "./built-gateways.ts";
import { problem, readGatewayConfig } from "./deployments/config.ts";
import type { Deployment } from "./deployments/deployment.ts";
import { prefixCollisions } from "./deployments/planned-routes.ts";
import { GRPC, internalFault } from "./gateway-fault.ts";
import type { Gateway } from "./gateway.ts";
import { healthOf } from "./health.ts";
import { describeGateway } from "./openapi/describe-gateway.ts";
import { serve } from "./serve.ts";

/** What the app takes from outside. */
export interface QueryGatewayParts {
  /** Entities for the embedded node. */
  readonly source: (env: Env) => EntitySource;
  /** The built-in descriptor image. */
  readonly image: ArrayBuffer;
  /** Which other surface owns a path, if any. */
  readonly otherOwnerOf: (path: string) => string | undefined;
  readonly platform?: Partial<GatewayPlatform>;
}

export interface GatewayPlatform {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sharedCache: () => Pick<Cache, "match" | "put"> | undefined;
  /** For what no single request is the reason of. */
  readonly log: Logger;
}

const workerPlatform: GatewayPlatform = {
  clock: () => Date.now(),
  random: () => Math.random(),
  fetch: (url, init) => fetch(url, init),
  sharedCache: () => (typeof caches === "undefined" ? undefined : caches.default),
  log: createLogger({ surface: "query-gateway", requestId: "isolate" }),
};

export function createQueryGatewayApp({ source, image, otherOwnerOf, platform = {} }: QueryGatewayParts): Surface {
  const complete = { ...workerPlatform, ...platform };
  const built = createBuiltGateways((env) => ({
    ...complete,
    image: new Uint8Array(image),
    source: source(env),
    otherOwnerOf,
  }));
  /** Hundreds of kilobytes that anyone may ask for. */
  const documents = new WeakMap<Gateway, { readonly document: JsonObject | undefined }>();

  return {
    async fetch(request, exchange, context) {
      const gateway = await built.of(exchange.env);
      if (!gateway.ok) return faultResponse(internalFault, faultBody(internalFault));
      const answered = await answer(gateway.value, request, exchange, context, complete.clock);
      const response = request.method === "HEAD" ? withoutBody(answered) : answered;
      response.headers.set("X-Content-Type-Options", "nosniff");
      return response;
    },
    configProblems(env) {
      const gateway = built.known(env);
      if (gateway !== undefined) return gateway.ok ? [] : gateway.error;
      const config = readGatewayConfig(env);
      if (!config.ok) return config.error;
      // The rest takes the images, which health does not wait for.
      return config.value.deployments.flatMap((settings, index) =>
        prefixCollisions(settings, otherOwnerOf).map((reason) => problem(`/deployments/${index}: ${reason}`)),
      );
    },
    async openapi(env) {
      const gateway = await built.of(env);
      if (!gateway.ok) return undefined;
      const made = documents.get(gateway.value) ?? { document: describeGateway(gateway.value.deployments) };
      documents.set(gateway.value, made);
      return made.document;
    },
    health: (env) => ({ gateway: { ...healthOf(env, built.known(env)) } }),
    ownHealth(env) {
      const record = healthOf(env, built.known(env));
      return { healthy: record.status === "ok", record };
    },
  };
}

async function answer(
  { deployments, config, cache, flights }: Gateway,
  request: Request,
  { path, log }: Exchange,
  context: ExecutionContext,
  clock: () => number,
): Promise<Response> {
  const found = deployments.find(({ settings }) => isFor(settings.match, request, path));
  if (found === undefined) {
    const fault = { code: GRPC.notFound, message: "Not Found" };
    return faultResponse(fault, faultBody(fault));
  }
  const response = await serve(found, {
    request,
    path: path.slice(found.settings.match.mount?.length ?? 0),
    address: () => clientAddress(request, config.proxies),
    cache,
    flights,
    clock,
    log,
    waitUntil: (work) => context.waitUntil(work),
  });
  addCrossOrigin(response.headers, request, found.settings.cors);
  return response;
}

/** Of errors and streams too, which ends a stream that nobody reads. */
function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => undefined);
  return new Response(null, { status: response.status, headers: response.headers });
}

/** A host is named with its port or without. */
function isFor({ host, mount }: Deployment["settings"]["match"], { url }: Request, path: string): boolean {
  if (mount !== undefined && !path.startsWith(`${mount}/`)) return false;
  if (host === undefined) return true;
  const asked = new URL(url).host;
  return host === asked || host === asked.replace(/:\d+$/, "");
}
