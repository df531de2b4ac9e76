/** The declaration of a route and of its validated parts. */
import type { Context, Env as HonoEnv, MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { Content, Operation, OperationResponse } from "../openapi.ts";
import type { Result } from "../result.ts";

/** Who can call. `Label` is a surface's name for a failure in its document: a reason, or a sentence. */
export interface Authentication<Surface extends HonoEnv, Label> {
  readonly middleware: readonly MiddlewareHandler<Surface>[];
  readonly security: Operation["security"];
  readonly failures: readonly Label[];
}

interface BodyLimits extends Omit<Content, "schema"> {
  /** Bytes; the surface's default limit if omitted. */
  readonly limit?: number;
  /** A missing body counts as `{}`. */
  readonly optional?: boolean;
  /** Media types of the route, if they are not the surface's default ones. */
  readonly accepts?: readonly string[];
}

interface CheckedBody<Value> extends BodyLimits {
  readonly schema: z.ZodType<Value>;
  readonly read?: undefined;
}

/** For bodies that the core validates itself, or whose rules depend on the deployment or the time. */
interface ReadBody<Surface extends HonoEnv, Value> extends BodyLimits {
  /** Documents the body. */
  readonly form: z.ZodType;
  readonly read: (body: unknown, c: Context<Surface>) => Result<Value>;
}

export type BodyRule<Surface extends HonoEnv, Value> = CheckedBody<Value> | ReadBody<Surface, Value>;

export interface Declaration<
  Surface extends HonoEnv = HonoEnv,
  Label = unknown,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body = unknown,
> extends Pick<Operation, "method" | "path" | "id" | "summary" | "description" | "tag"> {
  readonly auth: Authentication<Surface, Label>;
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: BodyRule<Surface, Body>;
  /** Accepts `Idempotency-Key`: a repeated request gets the first reply again. */
  readonly idempotent?: boolean;
  /** Replies have an entity tag; `If-None-Match` with that tag gets 304. */
  readonly conditional?: boolean;
  /** A write whose `If-Match` names the version on which it is based. */
  readonly ifMatch?: boolean;
  /** Runs after path, query and headers are valid, so that limits count only valid requests. */
  readonly middleware?: readonly MiddlewareHandler<Surface>[];
  readonly responses: Readonly<Record<number, OperationResponse>>;
  /** The failures of the handler itself; the declared parts add theirs. */
  readonly failures?: readonly Label[];
}

export type Part = "params" | "query" | "headers";
