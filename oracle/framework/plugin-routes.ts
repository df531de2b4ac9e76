/** A plugin's HTTP routes. */
import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { JsonValue } from "../../platform/json.ts";
import type { Refusal } from "./admission.ts";
import type { OutsideContext } from "./context.ts";
import type { PluginKv, PluginTexts } from "./storage.ts";

/** Minimum length of an operator's secret: too long to guess, even at the combined rate of many addresses. */
export const OPERATOR_SECRET_LENGTH = 16;
export const SHORT_OPERATOR_SECRET = `must have at least ${OPERATOR_SECRET_LENGTH} characters`;

/**
 * A route. Its schemas validate the request before the handler runs, and describe it in the OpenAPI document. The caller must be
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
  /** Needs no authentication. */
  readonly public?: boolean;
  /**
   * Requests per minute of one network to a public route, per isolate; further ones get a 429. Unlimited by default, so set it for
   * a costly route.
   */
  readonly requestsPerMinute?: number;
  /**
   * For operators: the value that must be sent as `Authorization: Bearer`. It is checked before the rest of the request is read.
   */
  readonly operatorSecret?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** JSON, at most 16 KiB. Without it, the handler reads the request's body. */
  readonly body?: Body;
  /** The JSON of the response by its status. */
  readonly responses?: Readonly<Record<number, PluginResponse>>;
  /** The `operationId` in the API reference; derived from method and path by default. */
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  /** The section of the API reference; the plugin's title by default. */
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
  /** Path parameters, parsed by the `params` schema, or decoded texts without one. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Undefined on public and operators' routes. */
  readonly user: { readonly did: string } | undefined;
  /** Values of this plugin for the caller; undefined if `user` is. */
  readonly kv: PluginKv | undefined;
  readonly texts: PluginTexts | undefined;
}

/** A Hono middleware. It runs after authentication: `c.get("user")` is `{did}`. */
export type RouteMiddleware = MiddlewareHandler<{ Variables: { user: { readonly did: string } } }>;

/**
 * A path in the syntax of route declarations; a final `(.*)` matches every path below. Without a method, it matches every method.
 */
export interface RoutePattern {
  readonly path: string;
  readonly method?: string;
}
