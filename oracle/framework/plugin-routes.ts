/** A plugin's HTTP routes. */
import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { JsonValue } from "../../platform/json.ts";
import type { Refusal } from "./admission.ts";
import type { OutsideContext } from "./context.ts";
import type { PluginKv, PluginTexts } from "./storage.ts";

/** How many characters an operator's secret has at least: whoever guesses at the rate of many addresses finds none of them. */
export const OPERATOR_SECRET_LENGTH = 16;
export const SHORT_OPERATOR_SECRET = `must have at least ${OPERATOR_SECRET_LENGTH} characters`;

/**
 * A route. Schemas check what they describe before the handler runs, and put it into the OpenAPI document. The caller is
 * signed in unless the route is public.
 */
export interface PluginRoute<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete" | "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute, with parameters as `:name`. */
  readonly path: string;
  /** Open to everybody. */
  readonly public?: boolean;
  /**
   * How many requests of a public route one network may make in a minute, in each isolate; further ones are a 429. Without it, as many
   * as come: a route that costs something sets it.
   */
  readonly requestsPerMinute?: number;
  /** For operators: open to whoever sends this as `Authorization: Bearer`. It is checked before the rest of the request is read. */
  readonly operatorSecret?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** JSON, at most 16 KiB. Without it, the handler reads the request's body itself. */
  readonly body?: Body;
  /** The JSON of the response by its status. */
  readonly responses?: Readonly<Record<number, PluginResponse>>;
  /** The `operationId` of the API reference; made of method and path when left out. */
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  /** The heading under which the API reference lists it; the plugin's title when left out. */
  readonly tag?: string;
  /** Answers, or refuses with `refuse(code, message)` in the oracle's error format. */
  handler(
    request: Request,
    ctx: RouteContext<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Response | Refusal> | Response | Refusal;
}

export interface PluginResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly example?: JsonValue;
}

/** Declares a route with its parameters, query and body typed by their schemas. */
export function route<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(declared: PluginRoute<Params, Query, Body>): PluginRoute {
  return declared;
}

/** One request to a plugin's route. */
export interface RouteContext<
  Params = Readonly<Record<string, unknown>>,
  Query = Readonly<Record<string, unknown>>,
  Body = unknown,
> extends OutsideContext {
  readonly requestId: string;
  /** Path parameters: as the `params` schema parsed them, else decoded texts. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Undefined on a public route and on one for operators. */
  readonly user: { readonly did: string } | undefined;
  /** What this plugin keeps for the caller; undefined where `user` is. */
  readonly kv: PluginKv | undefined;
  readonly texts: PluginTexts | undefined;
}

/** A Hono middleware. It runs once the caller is known: `c.get("user")` is `{did}`. */
export type RouteMiddleware = MiddlewareHandler<{ Variables: { user: { readonly did: string } } }>;

/** A path as routes are declared; `(.*)` at its end covers every path below. Without a method: every method. */
export interface RoutePattern {
  readonly path: string;
  readonly method?: string;
}
