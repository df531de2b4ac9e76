/** Whether wrangler.toml still names the placeholder database: a deployment with it would fail at every request. */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { projectRoot } from "../run-command.ts";

/** The initial value in wrangler.toml, which no database has. */
const PLACEHOLDER = /^[0-]*$/;

const databaseConfig = z.object({
  d1_databases: z.array(
    z.object({ binding: z.string(), database_name: z.string().optional(), database_id: z.string().optional() }),
  ),
});

/** The step needed before this environment can be deployed; undefined if it has a real database id. */
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
