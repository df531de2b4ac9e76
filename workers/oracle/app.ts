/** The deployed oracle: the bundled plugins, and everything else from the environment. */
import { createOracleApp, type OracleAppOptions, type OracleSurface } from "./create-oracle-app.ts";
import { agui, portal } from "./plugins/client-tools/client-tools.ts";
import { userPreferences } from "./plugins/user-preferences/plugin.ts";

/** What the oracle needs from other surfaces; `workers/index.ts` passes it in. */
export type OraclePorts = Pick<OracleAppOptions, "document">;

export function createBundledOracle(ports: OraclePorts): OracleSurface {
  return createOracleApp({ config: { name: "Oracle" }, plugins: [userPreferences, portal, agui], ...ports });
}
