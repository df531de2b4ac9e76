/**
 * `/graphql` over HTTP: methods, media types, who may read, and the page for
 * people. Refusals of the transport have the form of GraphQL errors, so that clients find them where they look.
 */
import { Hono } from "hono";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import type { Caller } from "../caller.ts";
import { refuse, type RegistryContext, type RegistryHono, type RegistryRuntime } from "../context.ts";
import { registryFailure } from "../failures.ts";
import { createRowMeter, type RowBudget } from "../lists/row-budget.ts";
import { openFor } from "../middleware/keyed.ts";
import { createAnswerBudget } from "./answer-budget.ts";
import { createDomainLoads } from "./domain-loads.ts";
import { createEngine, type Engine } from "./engine.ts";
import { graphiqlPage } from "./graphiql-page.ts";
import type { PageSizes } from "./paging.ts";
import { acceptedTypes, answerType, operationOfBody, operationOfUrl } from "./transport.ts";

export const graphqlRoutes = new Hono<RegistryHono>();

const PATH = "/graphql";
const ALLOWED = "GET, POST, OPTIONS";

graphqlRoutes.get(PATH, async (c, next) => {
  const wantsPage = acceptedTypes(c.req.header("Accept")).includes("text/html") && c.req.query("query") === undefined;
  return wantsPage && introspectionOf(c.var.runtime) ? graphiqlPage() : next();
});

graphqlRoutes.options(PATH, () => new Response(null, { status: 204, headers: { Allow: ALLOWED } }));

graphqlRoutes.on(["GET", "POST"], [PATH], openFor("graphql"), async (c) => {
  const operation = c.req.method === "GET" ? operationOfUrl(new URL(c.req.url)) : await operationOfBody(c.req.raw);
  if (!operation.ok) {
    const isOtherType = operation.error.code === "unsupported_media_type";
    return refuse(c, operation.error, isOtherType ? { "Accept-Post": "application/json" } : {});
  }
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
      notes: new Set(),
      loads: createDomainLoads(database, clock(), budget),
      pageSizes: pageSizesOf(runtime),
      requestId: c.env.requestId,
      log: c.env.log,
    },
    answerType(c.req.header("Accept")),
  );
  // The engine's own headers cannot be changed.
  const headers = new Headers(answer.headers);
  headers.set("Cache-Control", "private, no-cache");
  return new Response(answer.body, { status: answer.status, headers });
});

graphqlRoutes.all(PATH, (c) =>
  refuse(c, registryFailure("method_not_allowed", `Method ${c.req.method} is not allowed here`), { Allow: ALLOWED }),
);

function rowBudgetOf(c: RegistryContext): RowBudget {
  const { config, rowCosts } = c.var.runtime;
  const caller = c.var.caller as Caller | undefined;
  if (caller === undefined) {
    const address = clientNetwork(c.req.raw, readProxyTrust(c.env.env));
    return { limit: config.REGISTRY_GRAPHQL_PUBLIC_ROW_COST, caller: rowCosts.of("public", address), hasKey: false };
  }
  return { limit: config.REGISTRY_GRAPHQL_KEY_ROW_COST, caller: rowCosts.of("key", caller.keyId), hasKey: true };
}

/** How long a number of domains is good enough to reckon with; milliseconds. */
const COUNT_LIFETIME = 10_000;
const counts = new WeakMap<RegistryRuntime, { readonly domains: number; readonly until: number }>();

/** Domains are never removed, so their greatest number is how many there are. */
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
