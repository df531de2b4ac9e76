/** A route as it is declared, and which of its parts are checked. */
import type { Context, Env as HonoEnv, MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { Content, Operation, OperationResponse } from "../openapi.ts";
import type { Result } from "../result.ts";

/** Who may call. `Label` is how a surface names a failure in its document: a reason, or a sentence. */
export interface Authentication<Surface extends HonoEnv, Label> {
  readonly middleware: readonly MiddlewareHandler<Surface>[];
  readonly security: Operation["security"];
  readonly failures: readonly Label[];
}

interface BodyLimits extends Omit<Content, "schema"> {
  /** Bytes; the surface's usual limit when left out. */
  readonly limit?: number;
  /** No body counts as `{}`. */
  readonly optional?: boolean;
  /** Media types that the route reads, where they are not the surface's usual ones. */
  readonly accepts?: readonly string[];
}

interface CheckedBody<Value> extends BodyLimits {
  readonly schema: z.ZodType<Value>;
  readonly read?: undefined;
}

/** For bodies that the core checks itself, or whose rules depend on the deployment or the time. */
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
  /** Takes `Idempotency-Key`: a repetition gets the first reply again. */
  readonly idempotent?: boolean;
  /** Replies carry an entity tag; `If-None-Match` with the same one gets 304. */
  readonly conditional?: boolean;
  /** A write that names the version it was made from in `If-Match`. */
  readonly ifMatch?: boolean;
  /** Runs once path, query and headers are valid: limits that count only valid requests. */
  readonly middleware?: readonly MiddlewareHandler<Surface>[];
  readonly responses: Readonly<Record<number, OperationResponse>>;
  /** What the handler itself can fail with; the declared parts add theirs. */
  readonly failures?: readonly Label[];
}

export type Part = "params" | "query" | "headers";
