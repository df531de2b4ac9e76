/**
 * `/graphql` over HTTP: methods, media types, access, and the page for people. Failures before a document runs have the
 * form of GraphQL errors, so that clients find them in the usual place.
 */
import type { Hono } from "hono";
import * as z from "zod";
import { hasConsole } from "../../../platform/console-config.ts";
import { routesOf } from "../../../platform/http/route.ts";
import type { Content } from "../../../platform/openapi.ts";
import { success } from "../../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono, type RegistryRuntime } from "../context.ts";
import { registryFailure, statusOf, type RegistryReason } from "../failures.ts";
import { openFor } from "../http/authentication.ts";
import { registryEdge, type RegistryExtras } from "../http/route.ts";
import { rowMeterOf } from "../http/row-meter.ts";
import { failuresByStatus } from "../http/schemas.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import { createDomainLoads } from "./domain-loads.ts";
import { createEngine, type Engine } from "./engine.ts";
import { graphiqlPage } from "./graphiql-page.ts";
import { acceptedTypes, answerType, operationOfBody, operationOfUrl, type GraphqlOperation } from "./transport.ts";
import type { PageSizes } from "./paging.ts";

export const GRAPHQL_PATH = "/graphql";
const ALLOWED = "GET, POST, OPTIONS";

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

const answerBody = z
  .object({
    data: z.record(z.string(), z.unknown()).nullable().optional(),
    errors: z.array(error).optional(),
    extensions: z
      .object({
        cost: z.int().meta({ description: "Fields, each times the page sizes above it; at most 20,000" }),
        rowCost: z
          .int()
          .meta({ description: "Cost of the rows that the database read, limited by REGISTRY_GRAPHQL_*_ROW_COST" }),
        notes: z
          .array(z.string())
          .optional()
          .meta({ description: "Notes on the request, such as a page that is smaller than requested" }),
      })
      .optional(),
  })
  .meta({ id: "GraphqlAnswer" });

const answers: readonly Content[] = [
  { schema: answerBody },
  { schema: answerBody, type: "application/graphql-response+json" },
];

/** Unknown parameters and members are ignored, as GraphQL over HTTP requires. */
const { unknownParameters: _, labels, ...edge } = registryEdge;
const route = routesOf<RegistryHono, RegistryReason, RegistryExtras>({
  ...edge,
  readBody: async (c) => {
    const operation = await operationOfBody(c.req.raw);
    if (!operation.ok && operation.error.code === "unsupported_media_type") {
      c.set("refusalHeaders", { "Accept-Post": "application/json" });
    }
    return operation;
  },
  labels: {
    ...labels,
    always: ["internal", "unavailable"],
    responses: (reasons) => failuresByStatus(reasons, statusOf, answers),
  },
});

const shared = {
  path: GRAPHQL_PATH,
  tag: "Resolution",
  auth: openFor("graphql"),
  description: "Read-only. Public unless the deployment restricts it (REGISTRY_PUBLIC_READS).",
};

const query = route(
  {
    ...shared,
    method: "post",
    id: "queryGraphql",
    summary: "Query domains and their documents",
    body: {
      form: request,
      // Already validated by this edge, whatever the media type.
      read: (operation) => success(operation as GraphqlOperation),
      example: { query: "{ entities(first: 10) { nodes { id name type } } }" },
    },
    responses: {
      200: {
        description: "The answer. With `application/json`, errors of the document have this status too",
        content: answers,
      },
    },
    failures: ["query_too_costly"],
  },
  async ({ body }, c) => {
    const operation = await body();
    return operation.ok ? answer(c, operation.value) : operation;
  },
);

const text = z.unknown().optional().meta({ type: "string" });

const queryByUrl = route(
  {
    ...shared,
    method: "get",
    id: "queryGraphqlByUrl",
    summary: "Query with a query string, or open GraphiQL in a browser",
    query: z.object({
      query: text,
      operationName: text,
      variables: text.meta({ type: "string", description: "A JSON object." }),
      extensions: text.meta({ type: "string", description: "A JSON object." }),
    }),
    responses: {
      200: {
        description: "The answer. Browsers (`Accept: text/html`, no `query`) get GraphiQL, unless introspection is off",
        content: [...answers, { schema: z.string(), type: "text/html" }],
      },
    },
    failures: ["malformed_json", "validation_failed", "query_too_costly"],
  },
  async (_input, c) => {
    const operation = operationOfUrl(new URL(c.req.url));
    return operation.ok ? answer(c, operation.value) : operation;
  },
);

export const graphqlRoutes = [query, queryByUrl];

/** Mounts the parts around the routes: the page before authentication, and the response for unsupported methods. */
export function mountGraphql(app: Hono<RegistryHono>): void {
  app.get(GRAPHQL_PATH, async (c, next) => {
    const wantsPage = acceptedTypes(c.req.header("Accept")).includes("text/html") && c.req.query("query") === undefined;
    return wantsPage && introspectionOf(c.var.runtime) ? graphiqlPage(hasConsole(c.env.env)) : next();
  });
  app.options(GRAPHQL_PATH, () => new Response(null, { status: 204, headers: { Allow: ALLOWED } }));
  for (const each of graphqlRoutes) each.mount(app);
  app.all(GRAPHQL_PATH, (c) =>
    refuse(c, registryFailure("method_not_allowed", `Method ${c.req.method} is not allowed here`), { Allow: ALLOWED }),
  );
}

async function answer(c: RegistryContext, operation: GraphqlOperation): Promise<Response> {
  const { runtime } = c.var;
  const { database, clock } = runtime;
  const budget = createAnswerBudget();
  const meter = rowMeterOf(c);
  const answered = await engineOf(runtime).answer(
    {
      operation,
      database,
      budget,
      meter,
      notes: new Set(),
      loads: createDomainLoads(database, clock(), budget),
      pageSizes: pageSizesOf(runtime),
      requestId: c.env.requestId,
      log: c.env.log,
    },
    answerType(c.req.header("Accept")),
  );
  c.executionCtx.waitUntil(meter.close());
  // The engine's own headers cannot be changed.
  const headers = new Headers(answered.headers);
  headers.set("Cache-Control", "private, no-cache");
  return new Response(answered.body, { status: answered.status, headers });
}

/** Created at the first request of the isolate, because building the schema takes a few milliseconds. */
const engines = new WeakMap<RegistryRuntime, Engine>();

function engineOf(runtime: RegistryRuntime): Engine {
  const engine =
    engines.get(runtime) ?? createEngine({ pageSizes: pageSizesOf(runtime), introspection: introspectionOf(runtime) });
  engines.set(runtime, engine);
  return engine;
}

function pageSizesOf({ config }: RegistryRuntime): PageSizes {
  return { usual: config.REGISTRY_GRAPHQL_DEFAULT_PAGE, greatest: config.REGISTRY_GRAPHQL_MAX_PAGE };
}

function introspectionOf({ config }: RegistryRuntime): boolean {
  return config.REGISTRY_GRAPHQL_INTROSPECTION;
}
