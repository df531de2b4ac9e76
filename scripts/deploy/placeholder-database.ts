/** Whether wrangler.toml still names the database that does not exist: a deployment to it would fail at every request. */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { projectRoot } from "../run-command.ts";

/** As wrangler.toml comes: no database has it. */
const PLACEHOLDER = /^[0-]*$/;

const databaseConfig = z.object({
  d1_databases: z.array(
    z.object({ binding: z.string(), database_name: z.string().optional(), database_id: z.string().optional() }),
  ),
});

/** What to do before this environment can be deployed; nothing when it has a real database id. */
export function placeholderDatabase(
  environment: string,
  config = join(projectRoot, "wrangler.toml"),
): string | undefined {
  const { d1_databases: databases } = databaseConfig.parse(
    readConfig({ config, env: environment }, { hideWarnings: true }),
  );
  const unset = databases.find(({ database_id: id }) => PLACEHOLDER.test(id ?? ""));
  if (unset === undefined) return undefined;
  const name = unset.database_name ?? unset.binding;
  return `env.${environment} in wrangler.toml has no database yet: run \`npx wrangler d1 create ${name}\`, put the id that it prints in place of the zeros, then apply the migrations (docs/deploy.md, First deployment)`;
}
