/** Faults that `GET /health` of a running server reports. */
import * as z from "zod";
import type { Finding } from "./finding.ts";

const healthRecord = z.looseObject({
  environment: z.string().optional(),
  database: z.string().optional(),
  storage: z.object({ state: z.string() }).optional(),
  misconfigured: z.record(z.string(), z.array(z.string())).default({}),
  warnings: z.array(z.string()).default([]),
  plugins: z
    .looseObject({
      excluded: z
        .array(z.looseObject({ plugin: z.string(), reason: z.string(), missing: z.array(z.string()).default([]) }))
        .default([]),
    })
    .optional(),
  gateway: z
    .looseObject({ nodes: z.array(z.looseObject({ name: z.string(), state: z.string() })).default([]) })
    .optional(),
});

export interface HealthFindings {
  /** Each of them makes a surface fail. */
  readonly faults: readonly Finding[];
  /** Sentences about a server that works. */
  readonly notes: readonly string[];
}

export function healthFindings(body: unknown): HealthFindings {
  const parsed = healthRecord.safeParse(body);
  if (!parsed.success) {
    const fix = "check the address: it must be the root of a twinedge server";
    return { faults: [{ fault: "/health answers something else than a record of health", fix }], notes: [] };
  }
  const { database, storage, misconfigured, warnings, plugins, gateway } = parsed.data;
  const faults: Finding[] = [];
  if (database !== undefined && database !== "connected")
    faults.push({
      fault: `the database is ${database}`,
      fix: "check database_id in wrangler.toml, apply the migrations, and look at the platform's status page",
    });
  if (storage?.state === "warning" || storage?.state === "full")
    faults.push({
      fault: storage.state === "full" ? "the database is full" : "the database is filling up",
      fix: "make room (docs/runbook.md, The database is filling up)",
    });
  for (const [surface, variables] of Object.entries(misconfigured))
    for (const variable of new Set(variables))
      faults.push({ fault: `${variable} of the surface ${surface} is missing or wrong`, fix: fixOf(variable) });
  for (const { name, state } of gateway?.nodes ?? [])
    if (state === "other-chain" || state === "stale")
      faults.push({
        fault: `the chain node ${name} is not used: ${state}`,
        fix: "correct its address or chainId in GATEWAY_CONFIG, or remove it (docs/runbook.md, A chain node fails)",
      });
  return {
    faults,
    notes: [
      ...warnings,
      ...(plugins?.excluded ?? [])
        .filter(({ reason }) => reason === "not_configured")
        .map(({ plugin, missing }) => `the plugin ${plugin} is off: it lacks ${missing.join(", ") || "settings"}`),
    ],
  };
}

const RANDOM = "a value of `openssl rand -hex 32`";
const SECRETS = ["ORACLE_SIGNING_SEED", "PIN_ENCRYPTION_KEY", "USSD_OPERATOR_TOKEN", "ADMIN_TOKEN", "CRON_SECRET"];

function fixOf(variable: string): string {
  if (variable === "PIN_ENCRYPTION_KEY")
    return `if there are no phone accounts yet, set ${RANDOM}; otherwise restore the old key from your password manager`;
  if (SECRETS.includes(variable)) return `set ${RANDOM}: \`npx wrangler secret put ${variable}\`, locally in .dev.vars`;
  return `correct it (docs/configuration.md has its format); the log event configuration-wrong shows an example`;
}
