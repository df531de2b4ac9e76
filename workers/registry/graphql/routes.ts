/**
 * `/graphql` over HTTP (contract/registry.md sections 7 and 9): methods, media types, who may read, and the page for
 * people. Refusals of the transport have the form of GraphQL errors, so that clients find them where they look.
 */
import { Hono } from "hono";
import { clientAddress, readProxyTrust } from "../../platform/http/client-address.ts";
import type { Caller } from "../caller.ts";
import type { RegistryContext, RegistryHono, RegistryRuntime } from "../context.ts";
import { openFor } from "../middleware/keyed.ts";
import { problem, statusOf, type Problem } from "../problem.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import { createDomainLoads } from "./domain-loads.ts";
import { createEngine, type Engine } from "./engine.ts";
import { graphiqlPage } from "./graphiql-page.ts";
import { operationOfBody, operationOfUrl } from "./operation.ts";
import type { PageSizes } from "./paging.ts";
import { createRowMeter, type RowBudget } from "./row-cost.ts";

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
  const meter = createRowMeter(rowBudgetOf(c), () => aboutHowMany(runtime));
  const answer = await engineOf(runtime).answer(
    {
      operation: operation.value,
      database,
      budget,
      meter,
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

function rowBudgetOf(c: RegistryContext): RowBudget {
  const { config, rowCosts } = c.var.runtime;
  const caller = c.var.caller as Caller | undefined;
  if (caller === undefined) {
    const address = clientAddress(c.req.raw, readProxyTrust(c.env.env));
    return { limit: config.REGISTRY_GRAPHQL_PUBLIC_ROW_COST, caller: rowCosts.of("public", address), hasKey: false };
  }
  return { limit: config.REGISTRY_GRAPHQL_KEY_ROW_COST, caller: rowCosts.of("key", caller.keyId), hasKey: true };
}

/** How long a number of domains is good enough to reckon with; milliseconds. */
const COUNT_LIFETIME = 10_000;
const counts = new WeakMap<RegistryRuntime, { readonly domains: number; readonly until: number }>();

/** Domains are never removed, so their greatest number tells how many there are. */
async function aboutHowMany(runtime: RegistryRuntime): Promise<number> {
  const known = counts.get(runtime);
  if (known !== undefined && runtime.clock() < known.until) return known.domains;
  const row = await runtime.database.prepare("SELECT max(number) AS domains FROM domains").first<{ domains: number }>();
  const domains = row?.domains ?? 0;
  counts.set(runtime, { domains, until: runtime.clock() + COUNT_LIFETIME });
  return domains;
}

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
