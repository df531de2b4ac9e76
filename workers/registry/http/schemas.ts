/** Common parts of the registry's route descriptions: security schemes, failures by status, common values. */
import * as z from "zod";
import type { ApiDescription, Content, OperationResponse } from "../../../platform/openapi.ts";
import { statusOf, type RegistryReason } from "../failures.ts";

export const securitySchemes: ApiDescription["securitySchemes"] = {
  apiKey: { type: "http", scheme: "bearer", description: "A registry API key: `twe_live_…` or `twe_test_…`." },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same key, for clients that cannot send a bearer token.",
  },
  adminToken: {
    type: "http",
    scheme: "bearer",
    description: "The operator's ADMIN_TOKEN, only for key management.",
  },
};

export const problemDetail = z
  .object({
    code: z.string(),
    detail: z.string(),
    pointer: z.string().optional().meta({ description: "JSON pointer into the body." }),
    parameter: z.string().optional().meta({ description: "Name of a query parameter." }),
    header: z.string().optional().meta({ description: "Name of a header." }),
  })
  .meta({ id: "ProblemDetail" });

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(problemDetail),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.array(z.object({ field: z.string(), error: z.string() })),
    }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details; `error` repeats it in an older form." });

/** Failures by status, each named by its reason. */
export function failuresByStatus<Reason extends string>(
  reasons: readonly Reason[],
  statusFor: (reason: Reason) => number,
  content: Content | readonly Content[],
): Readonly<Record<number, OperationResponse>> {
  return Object.fromEntries(
    [...Map.groupBy(reasons, statusFor)].map(([status, same]) => [
      status,
      { description: same.map((reason) => `\`${reason}\``).join(", "), content },
    ]),
  );
}

export function problemResponses(reasons: readonly RegistryReason[]) {
  return failuresByStatus(reasons, statusOf, { schema: problem, type: "application/problem+json" });
}
