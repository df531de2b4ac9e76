/** What the descriptions of the registry's operations have in common: security, problems, lists. */
import * as z from "zod";
import type { ApiDescription, Operation, OperationResponse } from "../platform/openapi.ts";
import { statusOf, type RegistryReason } from "./failures.ts";

export const keyedSecurity: Operation["security"] = [["apiKey"], ["apiKeyHeader"]];
export const publicSecurity: Operation["security"] = [];

export const securitySchemes: ApiDescription["securitySchemes"] = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key of the registry: `twe_live_…` or `twe_test_…`." },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same key, for clients without a bearer.",
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    description: "The operator's ADMIN_TOKEN; it opens key management alone.",
  },
};

export const detail = z
  .object({
    code: z.string(),
    detail: z.string(),
    pointer: z.string().optional().meta({ description: "JSON pointer into the body." }),
    parameter: z.string().optional().meta({ description: "Name of a query parameter." }),
    header: z.string().optional().meta({ description: "Name of a header." }),
  })
  .meta({ id: "Flaw" });

const problemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(detail),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.array(z.object({ field: z.string(), error: z.string() })),
    }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details; `error` repeats it in an older form." });

/** The refusals of an operation, by status. */
export function documentedFailures(reasons: readonly RegistryReason[]): Readonly<Record<number, OperationResponse>> {
  const byStatus = Map.groupBy(reasons, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: [...new Set(same)].map((code) => `\`${code}\``).join(", "),
        content: { schema: problemBody, type: "application/problem+json" },
      },
    ]),
  );
}

/** Those of every operation behind a key, and its own. */
export function keyedProblems(...codes: readonly RegistryReason[]) {
  return documentedFailures([
    "conflicting_credentials",
    "unknown_parameter",
    "unauthenticated",
    "invalid_token",
    "insufficient_scope",
    "rate_limited",
    "internal",
    "unavailable",
    ...codes,
  ]);
}

/** A page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    page: z.object({
      limit: z.int(),
      hasMore: z.boolean(),
      nextCursor: z.string().nullable(),
      total: z.int().optional().meta({ description: "Only when `count=true` was asked for." }),
    }),
  });
}

/** Of what answers 304. */
export const knownTag = z.object({
  "If-None-Match": z.string().optional().meta({ description: "The ETag that is known already: 304 while it holds." }),
});

/** Of what takes a key for repeating it safely. */
export const idempotencyKey = z.object({
  "Idempotency-Key": z.string().min(1).max(255).optional().meta({
    description:
      "Printable ASCII. A repetition with the same key and body within 24 hours gets the first answer again, with `Idempotent-Replayed: true`.",
  }),
});

/** The parameters of every list. */
export const pageParameters = {
  limit: z.int().min(1).max(100).optional().meta({ description: "Items of a page; 20 unless told." }),
  cursor: z
    .string()
    .optional()
    .meta({ description: "`nextCursor` of the page before, with the same filters and sort." }),
};

export const time = z.string().meta({ format: "date-time" });
export const did = z.string().meta({ description: "A DID." });
