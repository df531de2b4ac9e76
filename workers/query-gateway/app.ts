/**
 * The query gateway's surface (contract D): HTTP and JSON in, gRPC out. Picks the deployment of a request by host and mount
 * and gives every answer its last headers; one request's way is serve.ts.
 */
import type { ConfigProblem } from "../platform/config.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import type { EntitySource } from "../platform/ports.ts";
import type { Result } from "../platform/result.ts";
import type { Exchange, Surface } from "../platform/surface.ts";
import { problem, readGatewayConfig } from "./config.ts";
import { addCrossOrigin } from "./cross-origin.ts";
import type { Deployment } from "./deployment.ts";
import { faultBody, faultResponse } from "./error-body.ts";
import { GRPC, internalFault } from "./gateway-fault.ts";
import { healthOf } from "./health.ts";
import { describeGateway } from "./openapi/describe-gateway.ts";
import { prefixCollisions } from "./planned-routes.ts";
import { buildGateway, type Gateway } from "./runtime.ts";
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
  const built = new WeakMap<Env, Result<Gateway, readonly ConfigProblem[]>>();

  /** The value is kept, never the promise: one of a cancelled request would never settle for others. */
  async function gatewayOf(env: Env): Promise<Result<Gateway, readonly ConfigProblem[]>> {
    const known = built.get(env);
    if (known !== undefined) return known;
    const { log } = complete;
    const parts = { ...complete, image: new Uint8Array(image), source: source(env), otherOwnerOf };
    const gateway = await buildGateway(env, parts);
    if (!gateway.ok) log.error("configuration-wrong", { faults: gateway.error.map(({ message }) => message) });
    built.set(env, gateway);
    return gateway;
  }

  return {
    async fetch(request, exchange, context) {
      const gateway = await gatewayOf(exchange.env);
      if (!gateway.ok) return faultResponse(internalFault, faultBody(internalFault));
      const { clock } = complete;
      const answered = await answer(gateway.value, request, exchange, context, clock);
      const response = request.method === "HEAD" ? withoutBody(answered) : answered;
      response.headers.set("X-Content-Type-Options", "nosniff");
      return response;
    },
    configProblems(env) {
      const gateway = built.get(env);
      if (gateway !== undefined) return gateway.ok ? [] : gateway.error;
      const config = readGatewayConfig(env);
      if (!config.ok) return config.error;
      // The rest takes the images, which health does not wait for.
      return config.value.deployments.flatMap((settings, index) =>
        prefixCollisions(settings, otherOwnerOf).map((reason) => problem(`/deployments/${index}: ${reason}`)),
      );
    },
    async openapi(env) {
      const gateway = await gatewayOf(env);
      return gateway.ok ? describeGateway(gateway.value.deployments) : undefined;
    },
    health: (env) => ({ gateway: { ...healthOf(env, builtOf(env)) } }),
    ownHealth(env) {
      const record = healthOf(env, builtOf(env));
      return { healthy: record.status === "ok", record };
    },
  };

  function builtOf(env: Env): Gateway | undefined {
    const gateway = built.get(env);
    return gateway?.ok === true ? gateway.value : undefined;
  }
}

async function answer(
  { deployments, config, cache }: Gateway,
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
