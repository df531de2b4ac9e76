/** Whether an environment of wrangler.toml pays for a model without a daily limit of all its users. */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { projectRoot } from "../run-command.ts";

const settings = z.object({
  vars: z
    .object({ LLM_PROVIDER: z.string().default(""), ORACLE_TOTAL_TOKENS_PER_DAY: z.coerce.string().default("") })
    .prefault({}),
});
/** Providers that are free. */
const FREE = ["", "local"];

/** A sentence; undefined if there is a limit or no model that costs money. */
export function missingSpendingLimit(
  environment: string,
  config = join(projectRoot, "wrangler.toml"),
): string | undefined {
  const { vars } = settings.parse(readConfig({ config, env: environment }, { hideWarnings: true }));
  if (FREE.includes(vars.LLM_PROVIDER) || Number(vars.ORACLE_TOTAL_TOKENS_PER_DAY) > 0) return undefined;
  return `env.${environment} in wrangler.toml names a model service and no ORACLE_TOTAL_TOKENS_PER_DAY: anyone can create a DID, and together they may spend without a limit (docs/deploy.md)`;
}
