/**
 * What a surface is to the dispatcher: a name and a function from a request to a response, with the request's own
 * circumstances passed beside it. Surfaces know nothing of each other.
 */
import type { ConfigProblem } from "./config.ts";
import type { JsonObject } from "./json.ts";
import type { Logger } from "./log.ts";
import type { SurfaceName } from "./surface-name.ts";

/** The circumstances of one request. Hono apps receive it as their bindings: `c.env.requestId`, `c.env.env`. */
export interface Exchange {
  readonly env: Env;
  readonly requestId: string;
  readonly log: Logger;
  /** The path exactly as it came in, undecoded, without the query. */
  readonly path: string;
  /** The surfaces that the request's host serves. */
  readonly served: readonly SurfaceName[];
}

export interface Surface {
  fetch(request: Request, exchange: Exchange, context: ExecutionContext): Response | Promise<Response>;
  /** Every wrong variable of the surface's slice; empty when it is well configured. */
  configProblems(env: Env): readonly ConfigProblem[];
  /** Whether the surface adds a route at this raw path to those that the table of surfaces gives it. */
  addsPath?(env: Env, path: string): boolean;
  /** The surface's OpenAPI 3.1 document, or nothing while it has none. Its content may have to be read first. */
  openapi?(env: Env): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Wraps the shared paths of a host that serves this surface alone: its limit on callers holds there too. */
  guardHost?(request: Request, exchange: Exchange, answer: () => Promise<Response>): Promise<Response>;
  /** Members that the surface adds to `GET /health`. */
  health?(env: Env): JsonObject | Promise<JsonObject>;
  /** `GET /healthz` of a host that serves this surface alone; the whole `/health` if it has no other one. */
  ownHealth?(env: Env): { readonly healthy: boolean; readonly record: JsonObject };
}
