/** Faults that a journey through a surface found, with the usual fix. */
import type { JourneyReport } from "../smoke/run-smoke.ts";
import type { Finding } from "./finding.ts";

const USUAL: Readonly<Record<string, string>> = {
  health: "correct what /health names (docs/runbook.md, /health returns 503)",
  oracle:
    "check LLM_PROVIDER and its key, and the log event run-model-failed (docs/runbook.md, Chat messages are refused)",
  registry:
    "check the database and its migrations: npx wrangler d1 migrations apply DATABASE --remote --env ENVIRONMENT",
  phone:
    "check PIN_ENCRYPTION_KEY and the log event ussd-misconfigured (docs/runbook.md, Callers see that the service is unavailable)",
  "query-gateway": "check GATEWAY_CONFIG and its nodes (docs/runbook.md, A chain node fails)",
};

export function surfaceFindings(reports: readonly JourneyReport[]): readonly Finding[] {
  return reports.flatMap(({ name, passed, observation, status }) =>
    passed ? [] : [{ fault: `${name}: ${observation}`, fix: fixOf(name, status) }],
  );
}

function fixOf(name: string, status: number | undefined): string {
  if (status === 401 && name === "registry")
    return "issue a key with domains:read (`npm run keys -- create`), and set it as REGISTRY_API_KEY";
  if (status === 404) return "check SURFACE_HOSTS: this host may not serve this surface";
  if (status === 507) return "make room in the database (docs/runbook.md, The database is filling up)";
  return USUAL[name] ?? "look up the X-Request-Id of the answer in the log";
}
