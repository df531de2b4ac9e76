/**
 * A surface as the dispatcher sees it: a name and a function from a request to a response, which also gets the
 * circumstances of the request. Surfaces know nothing of each other.
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
  /** The exact path of the request, undecoded, without the query. */
  readonly path: string;
  /** The surfaces that the request's host serves. */
  readonly served: readonly SurfaceName[];
}

export interface Surface {
  fetch(request: Request, exchange: Exchange, context: ExecutionContext): Response | Promise<Response>;
  /** Every wrong variable of the surface's configuration; empty if it is valid. */
  configProblems(env: Env): readonly ConfigProblem[];
  /** Whether the surface adds a route at this raw path to those in the table of surfaces. */
  addsPath?(env: Env, path: string): boolean;
  /** The surface's OpenAPI 3.1 document, if it has one. Its content may have to be read first. */
  openapi?(env: Env): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Wraps the shared paths of a host that serves only this surface, so that its rate limit applies there too. */
  guardHost?(request: Request, exchange: Exchange, answer: () => Promise<Response>): Promise<Response>;
  /** Members that the surface adds to `GET /health`. */
  health?(env: Env): JsonObject | Promise<JsonObject>;
  /** The surface's own lines of `GET /metrics`; rejects if they cannot be read. */
  metrics?(env: Env): Promise<readonly string[]>;
  /** `GET /healthz` of a host that serves only this surface; the whole `/health` by default. */
  ownHealth?(env: Env): { readonly healthy: boolean; readonly record: JsonObject };
}
