/** A route's part of the OpenAPI document: its declaration, and every failure that its parts can cause. */
import type { Env as HonoEnv } from "hono";
import * as z from "zod";
import type { Failure } from "../failure.ts";
import type { Operation, OperationResponse } from "../openapi.ts";
import { membersOf } from "./parameters.ts";
import type { Declaration, Part } from "./route-declaration.ts";

/** How a surface documents failures. */
export interface Labels<Label> {
  /** Failures of every route. */
  readonly always: readonly Label[];
  /** Failures of each declared part. */
  readonly parts: Readonly<Record<Part | "body" | "idempotent" | "ifMatch", readonly Label[]>>;
  of(failure: Failure): Label;
  responses(labels: readonly Label[]): Readonly<Record<number, OperationResponse>>;
}

export interface RouteDocument<Label> {
  readonly operation: Operation;
  readonly failures: readonly Label[];
}

export function describeRoute<Surface extends HonoEnv, Label>(
  labels: Labels<Label>,
  declaration: Declaration<Surface, Label>,
): RouteDocument<Label> {
  const { method, path, id, summary, description, tag, auth, params, query, body, responses } = declaration;
  const { conditional = false, ifMatch = false, idempotent = false } = declaration;
  const headers = {
    ...(conditional ? ifNoneMatchHeader : {}),
    ...(ifMatch ? ifMatchHeader : {}),
    ...(idempotent ? idempotencyKeyHeader : {}),
    ...declaration.headers?.shape,
  };
  const failures = failuresOf(labels, declaration);
  const operation = {
    method,
    path,
    id,
    summary,
    ...(description === undefined ? {} : { description }),
    tag,
    security: auth.security,
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) }),
    ...(body === undefined ? {} : { body: { ...body, schema: body.read === undefined ? body.schema : body.form } }),
    responses: { ...responses, ...(conditional ? notChanged : {}), ...labels.responses(failures) },
  };
  return { operation, failures };
}

function failuresOf<Surface extends HonoEnv, Label>(
  labels: Labels<Label>,
  declaration: Declaration<Surface, Label>,
): readonly Label[] {
  const { auth, params, query, headers, body, idempotent, ifMatch, failures = [] } = declaration;
  const ofPart = (part: Part, schema: z.ZodObject | undefined): readonly Label[] =>
    (schema === undefined ? [] : membersOf(schema)).flatMap((member) => {
      if (member.ownFailure !== undefined) return [labels.of(member.ownFailure)];
      return z.safeParse(member.schema, NONSENSE).success ? [] : labels.parts[part];
    });
  return [
    ...new Set([
      ...labels.always,
      ...auth.failures,
      ...ofPart("params", params),
      ...ofPart("query", query),
      ...ofPart("headers", headers),
      ...(ifMatch === true ? labels.parts.ifMatch : []),
      ...(body === undefined ? [] : labels.parts.body),
      ...(idempotent === true ? labels.parts.idempotent : []),
      ...failures,
    ]),
  ];
}

/** Fits only a schema that accepts any text. */
const NONSENSE = "\u0000";

const notChanged: Record<number, OperationResponse> = {
  304: { description: "The version in If-None-Match is still current" },
};
const ifNoneMatchHeader = {
  "If-None-Match": z
    .string()
    .optional()
    .meta({ description: "A known ETag. The response is 304 while it is current." }),
};
const ifMatchHeader = { "If-Match": z.string().meta({ description: "The ETag that was read, or `*`." }) };
const idempotencyKeyHeader = {
  "Idempotency-Key": z.string().min(1).max(255).optional().meta({
    description:
      "Printable ASCII. A repetition with the same key and body within 24 hours gets the first answer again, with `Idempotent-Replayed: true`.",
  }),
};
