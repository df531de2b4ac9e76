/**
 * `/graphql` over HTTP (contract/registry.md sections 7 and 9): methods, media types, who may read, and the page for
 * people. Refusals of the transport have the form of GraphQL errors, so that clients find them where they look.
 */
import { Hono } from "hono";
import type { RegistryContext, RegistryHono, RegistryRuntime } from "../context.ts";
import { openFor } from "../middleware/keyed.ts";
import { problem, statusOf, type Problem } from "../problem.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import { createDomainLoads } from "./domain-loads.ts";
import { createEngine, type Engine } from "./engine.ts";
import { graphiqlPage } from "./graphiql-page.ts";
import { operationOfBody, operationOfUrl } from "./operation.ts";
import type { PageSizes } from "./paging.ts";

export const graphqlRoutes = new Hono<RegistryHono>();

const PATH = "/graphql";
const ALLOWED = "GET, POST, OPTIONS";

graphqlRoutes.get(PATH, async (c, next) => {
  const wantsPage = acceptedTypes(c).includes("text/html") && c.req.query("query") === undefined;
  return wantsPage && introspectionOf(c.var.runtime) ? graphiqlPage() : next();
});

graphqlRoutes.options(PATH, () => new Response(null, { status: 204, headers: { Allow: ALLOWED } }));

graphqlRoutes.on(["GET", "POST"], [PATH], openFor("graphql"), async (c) => {
  const operation = c.req.method === "GET" ? operationOfUrl(new URL(c.req.url)) : await operationOfBody(c.req.raw);
  if (!operation.ok) return refuseAsGraphql(c, operation.error);
  const { runtime } = c.var;
  const { database, clock } = runtime;
  const budget = createAnswerBudget();
  const answer = await engineOf(runtime).answer(
    {
      operation: operation.value,
      database,
      budget,
      loads: createDomainLoads(database, clock(), budget),
      pageSizes: pageSizesOf(runtime),
      requestId: c.env.requestId,
      log: c.env.log,
    },
    answerType(c),
  );
  // The engine's own headers cannot be changed.
  const headers = new Headers(answer.headers);
  headers.set("Cache-Control", "private, no-cache");
  return new Response(answer.body, { status: answer.status, headers });
});

graphqlRoutes.all(PATH, (c) =>
  refuseAsGraphql(
    c,
    problem("method_not_allowed", `Method ${c.req.method} is not allowed here`, { headers: { Allow: ALLOWED } }),
  ),
);

/** Made at the first request of the isolate: the schema takes a few milliseconds. */
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

function refuseAsGraphql(c: RegistryContext, { code, detail, headers }: Problem): Response {
  const errors = [{ message: detail, extensions: { code, requestId: c.env.requestId } }];
  return new Response(JSON.stringify({ errors }), {
    status: statusOf(code),
    headers: { "Content-Type": `${answerType(c)}; charset=utf-8`, "Cache-Control": "no-store", ...headers },
  });
}

const GRAPHQL_TYPE = "application/graphql-response+json";

/** GraphQL's own media type for those who name it; with the older one, errors of a document come with status 200. */
function answerType(c: RegistryContext): string {
  return acceptedTypes(c).includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : "application/json";
}

/** Media types by name, those with q=0 left out. */
function acceptedTypes(c: RegistryContext): readonly string[] {
  return (c.req.header("Accept") ?? "")
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([type = ""]) => type);
}
