/** Faults of an environment in `wrangler.toml`, which need no request. */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { placeholderDatabase } from "../deploy/placeholder-database.ts";
import { missingSpendingLimit } from "../deploy/spending-limit.ts";
import { projectRoot } from "../run-command.ts";
import { developmentSecrets } from "../start/dev-vars.ts";
import type { Finding } from "./finding.ts";

const settings = z.object({
  vars: z.record(z.string(), z.unknown()).default({}),
  observability: z.object({ redact_query_string: z.boolean().optional() }).optional(),
});

export function environmentFindings(
  environment: string,
  config = join(projectRoot, "wrangler.toml"),
): readonly Finding[] {
  const { vars, observability } = settings.parse(readConfig({ config, env: environment }, { hideWarnings: true }));
  const findings: Finding[] = [];
  if (placeholderDatabase(environment, config) !== undefined)
    findings.push({
      fault: `env.${environment} in wrangler.toml has no database yet`,
      fix: "create it and enter its id (docs/deploy.md, First deployment, step 2)",
    });
  if (missingSpendingLimit(environment, config) !== undefined)
    findings.push({
      fault: `env.${environment} pays for a model, and the spending of all users together has no limit`,
      fix: `set ORACLE_TOTAL_TOKENS_PER_DAY in vars of env.${environment}`,
    });
  for (const { name } of developmentSecrets)
    if (vars[name] !== undefined)
      findings.push({
        fault: `${name} is in vars of env.${environment}, where everyone with the repository can read it`,
        fix: `remove it, run \`npx wrangler secret put ${name} --env ${environment}\` with a new value`,
      });
  if (vars["ENVIRONMENT"] !== environment)
    findings.push({
      fault: `ENVIRONMENT in vars of env.${environment} is not "${environment}"`,
      fix: `set ENVIRONMENT = "${environment}"`,
    });
  if (observability?.redact_query_string !== true)
    findings.push({
      fault: "query strings, which can contain a PIN, reach the platform's logs",
      fix: "set redact_query_string = true under [observability] in wrangler.toml",
    });
  return findings;
}
