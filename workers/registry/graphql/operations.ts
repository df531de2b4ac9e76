/** `/graphql` in the OpenAPI document. What can be queried there the schema itself reports, through introspection. */
import * as z from "zod";
import type { Content, Operation } from "../../platform/openapi.ts";
import { publicSecurity } from "../description.ts";

const request = z
  .object({
    query: z.string(),
    operationName: z.string().nullable().optional(),
    variables: z.record(z.string(), z.unknown()).nullable().optional(),
    extensions: z.record(z.string(), z.unknown()).nullable().optional(),
  })
  .meta({ id: "GraphqlRequest" });

const error = z.object({
  message: z.string(),
  locations: z.array(z.object({ line: z.int(), column: z.int() })).optional(),
  path: z.array(z.union([z.string(), z.int()])).optional(),
  extensions: z.object({ code: z.string(), requestId: z.string() }),
});

const answer = z
  .object({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z.array(error).optional(),
    extensions: z
      .object({
        cost: z.int().meta({ description: "Fields, each times the page sizes above it; at most 20,000" }),
        rowCost: z
          .int()
          .meta({ description: "Work on rows that the database looked at; limited by REGISTRY_GRAPHQL_*_ROW_COST" }),
        notes: z
          .array(z.string())
          .optional()
          .meta({ description: "How the request was understood, such as a page that is smaller than was asked for" }),
      })
      .optional(),
  })
  .meta({ id: "GraphqlAnswer" });

const answers: readonly Content[] = [{ schema: answer }, { schema: answer, type: "application/graphql-response+json" }];

const responses: Operation["responses"] = {
  200: {
    description: "The answer; with `application/json` errors of the document come with this status too",
    content: answers,
  },
  400: { description: "The request, its document or a limit of it", content: answers },
  401: { description: "`unauthenticated`, `invalid_token`", content: answers },
  403: { description: "`insufficient_scope`", content: answers },
  429: { description: "`rate_limited`: by requests, or by the rows that they look at in a minute", content: answers },
  500: { description: "`internal`", content: answers },
  503: { description: "`unavailable`", content: answers },
};

const shared = {
  path: "/graphql",
  tag: "Resolution",
  security: publicSecurity,
  description: "Reading only. Open to everybody unless the deployment closes it (REGISTRY_PUBLIC_READS).",
} satisfies Partial<Operation>;

export const graphqlOperations: readonly Operation[] = [
  {
    ...shared,
    method: "post",
    id: "queryGraphql",
    summary: "Query domains and their documents",
    body: { schema: request, example: { query: "{ entities(first: 10) { nodes { id name type } } }" } },
    responses: {
      ...responses,
      413: { description: "The body is larger than 128 KiB", content: answers },
      415: { description: "The body is not sent as application/json", content: answers },
    },
  },
  {
    ...shared,
    method: "get",
    id: "queryGraphqlByUrl",
    summary: "The same by a query string; for browsers a page to try queries on",
    query: z.object({
      query: z.string().optional(),
      operationName: z.string().optional(),
      variables: z.string().optional().meta({ description: "A JSON object." }),
      extensions: z.string().optional().meta({ description: "A JSON object." }),
    }),
    responses: {
      ...responses,
      200: {
        description: "The answer; to browsers (`Accept: text/html`, no `query`) GraphiQL, unless introspection is off",
        content: [...answers, { schema: z.string(), type: "text/html" }],
      },
    },
  },
];
