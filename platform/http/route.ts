/**
 * One declaration per JSON route. It mounts the route, authenticates, validates path, query, headers and body, and
 * writes the route's part of the OpenAPI document with every failure that its parts can cause. The handler receives
 * parsed values, calls one function of the core and returns a reply or a failure. Each surface provides its own `Edge`.
 */
import { zValidator } from "@hono/zod-validator";
import type { Context, Env as HonoEnv, Hono, MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { Failure } from "../failure.ts";
import { success, type Result } from "../result.ts";
import { membersOf } from "./parameters.ts";
import { describeRoute, type Labels, type RouteDocument } from "./route-document.ts";
import type { BodyRule, Declaration, Part } from "./route-declaration.ts";

export interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Headers extends z.ZodObject, Body> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly headers: z.output<Headers>;
  /** Read when the handler asks for it, so that an unknown path is a 404 whatever the body contains. */
  readonly body: () => Promise<Result<Body>>;
}

export interface Reply {
  /** 200 by default. */
  readonly status?: number;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function reply(body?: object | string, more: Omit<Reply, "body"> = {}) {
  return success(body === undefined ? more : { body, ...more });
}

/** A surface's settings for its routes. `Extras` is what its handlers receive in addition to their input. */
export interface Edge<Surface extends HonoEnv, Label, Extras extends object> {
  refuse(c: Context<Surface>, failure: Failure): Response;
  send(c: Context<Surface>, reply: Reply, declaration: Declaration<Surface, Label>): Response | Promise<Response>;
  extras(c: Context<Surface>, declaration: Declaration<Surface, Label>): Extras;
  readBody(c: Context<Surface>, rule: BodyRule<Surface, unknown>): Promise<Result<unknown>>;
  /** A part that does not match its schema, if the schema has no failure (`failsWith`). */
  invalid(part: Part, error: z.core.$ZodError): Failure;
  /** Query parameters that the route does not declare; ignored if this is omitted. */
  unknownParameters?(unknown: readonly string[], known: readonly string[]): Failure;
  readonly labels: Labels<Label>;
}

export interface Route<Surface extends HonoEnv = HonoEnv, Label = unknown> {
  readonly declaration: Declaration<Surface, Label>;
  /** `around` runs after authentication, so only on authenticated routes. */
  mount(
    app: Hono<Surface>,
    around?: readonly MiddlewareHandler<Surface>[],
    /** Runs before authentication. */
    first?: readonly MiddlewareHandler<Surface>[],
  ): void;
  /** The route in the OpenAPI document, and every failure in it. */
  document(): RouteDocument<Label>;
}

/** The schema of a part that a route does not declare: it has no members. */
type Nothing = z.ZodObject<Readonly<Record<string, z.ZodNever>>>;

/** The one function with which a surface declares its routes. */
export function routesOf<Surface extends HonoEnv, Label, Extras extends object>(edge: Edge<Surface, Label, Extras>) {
  return function route<
    Params extends z.ZodObject = Nothing,
    Query extends z.ZodObject = Nothing,
    Headers extends z.ZodObject = Nothing,
    Body = never,
  >(
    declared: Declaration<Surface, Label, Params, Query, Headers, Body>,
    handle: (
      input: Input<Params, Query, Headers, Body> & Extras,
      c: Context<Surface>,
    ) => Result<Reply> | Response | Promise<Result<Reply> | Response>,
  ): Route<Surface, Label> {
    const declaration = declared as unknown as Declaration<Surface, Label>;
    const { method, path, auth, params, query, headers, body, middleware = [] } = declaration;

    async function answer(c: Context<Surface>): Promise<Response> {
      const input = {
        params: params === undefined ? {} : validOf(c, "params"),
        query: query === undefined ? {} : validOf(c, "query"),
        headers: headers === undefined ? {} : validOf(c, "headers"),
        body: () => (body === undefined ? Promise.resolve(success(undefined)) : edge.readBody(c, body)),
        ...edge.extras(c, declaration),
      };
      const outcome = await handle(input as unknown as Input<Params, Query, Headers, Body> & Extras, c);
      if (outcome instanceof Response) return outcome;
      return outcome.ok ? edge.send(c, outcome.value, declaration) : edge.refuse(c, outcome.error);
    }

    return {
      declaration,
      mount(app, around = [], first = []) {
        app.on(
          [method.toUpperCase()],
          [path],
          ...first,
          ...auth.middleware,
          ...(auth.middleware.length === 0 ? [] : around),
          knownParameters(edge, Object.keys(query?.shape ?? {})),
          ...(params === undefined ? [] : [validated(edge, "params", params)]),
          ...(query === undefined ? [] : [validated(edge, "query", query)]),
          ...(headers === undefined ? [] : [validated(edge, "headers", headers)]),
          ...middleware,
          answer,
        );
      },
      document: () => describeRoute(edge.labels, declaration),
    };
  };
}

function knownParameters<Surface extends HonoEnv>(
  { refuse, unknownParameters }: Pick<Edge<Surface, unknown, object>, "refuse" | "unknownParameters">,
  known: readonly string[],
): MiddlewareHandler<Surface> {
  return async (c, next) => {
    const names = [...new Set(new URL(c.req.url).searchParams.keys())].filter((name) => !known.includes(name));
    const failure = names.length === 0 ? undefined : unknownParameters?.(names, known);
    return failure === undefined ? next() : refuse(c, failure);
  };
}

function validated<Surface extends HonoEnv>(
  { refuse, invalid }: Pick<Edge<Surface, unknown, object>, "refuse" | "invalid">,
  part: Part,
  schema: z.ZodObject,
): MiddlewareHandler<Surface> {
  const refuseInvalid = ({ error }: { readonly error?: z.core.$ZodError }, c: Context<Surface>) =>
    error === undefined ? undefined : refuse(c, memberFailureOf(schema, error) ?? invalid(part, error));
  return zValidator(targets[part], schema, refuseInvalid as never) as MiddlewareHandler;
}

/** hono's names of the parts. */
const targets = { params: "param", query: "query", headers: "header" } as const;

function validOf(c: Context, part: Part): unknown {
  return c.req.valid(targets[part] as never);
}

/** The failure of the first member that has one. */
function memberFailureOf(schema: z.ZodObject, { issues }: z.core.$ZodError): Failure | undefined {
  const members = membersOf(schema);
  return issues
    .map(({ path }) => members.find(({ name }) => name === path[0])?.ownFailure)
    .find((failure) => failure !== undefined);
}
