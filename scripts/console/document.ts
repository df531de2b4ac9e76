/**
 * The OpenAPI document from which the console's client is generated: the registry, the phone gateway and the oracle with its
 * bundled plugins. It is built from the routes themselves, without a server.
 */
import { bundledPlugins } from "../../workers/oracle/app.ts";
import { createOracleSurface } from "../../workers/oracle/oracle-surface.ts";
import type { JsonObject } from "../../platform/json.ts";
import { describeRegistry } from "../../workers/registry/router.ts";
import { hostDocument } from "../../workers/pages/documents.ts";
import type { Surfaces } from "../../workers/pages/health.ts";
import { describeUssd } from "../../workers/ussd/http/openapi.ts";

/** Variables that turn the plugins on. Their routes are described, not called. */
const env = {
  ENVIRONMENT: "development",
  DATABASE: {},
  CREDIT_LEDGER: {},
  CREDITS_ENABLED: "true",
  CRON_SECRET: "described-operator-secret",
  MCP_SERVERS: JSON.stringify([{ name: "described", url: "https://mcp.example.org/", auth: "oauth" }]),
  MCP_OPERATOR_TOKEN: "described-operator-secret",
} as unknown as Env;

/** The plugin slack has a route that only Slack calls; the plugin domain-registry has no route. */
const features = { slack: false, "domain-registry": false };
const oracle = createOracleSurface({ config: { name: "Oracle" }, plugins: bundledPlugins, features });

/** Called by the servers of telecom gateways, and through a Socket.IO client. */
const NOT_FETCHED = /^\/(?:api\/ussd\/providers|socket\.io)\//;

export async function consoleDocument(): Promise<JsonObject> {
  const { excluded } = oracle.plugins.status(env);
  const off = excluded.filter(({ reason }) => reason !== "disabled").map(({ plugin }) => plugin);
  if (off.length > 0)
    throw new Error(`These plugins are off, so that their routes are not described: ${off.join(", ")}`);
  const surfaces = { oracle, registry: { openapi: describeRegistry }, ussd: { openapi: describeUssd } };
  const document = await hostDocument(env, ["registry", "ussd", "oracle"], surfaces as unknown as Surfaces);
  const paths = Object.entries(document["paths"] as JsonObject).filter(([path]) => !NOT_FETCHED.test(path));
  return { ...document, paths: Object.fromEntries(paths) };
}
