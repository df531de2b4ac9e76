/**
 * An oracle as one Worker, without its objects: the oracle's surface and the paths of every host. The package's
 * declarations omit this file, because its types refer to bundled libraries.
 */
import { createDispatcher } from "./dispatch.ts";
import { bundledPlugins } from "./oracle/app.ts";
import type { OracleAppOptions } from "../oracle/framework/app-options.ts";
import { readOracleConfig } from "./oracle/config.ts";
import { ORACLE_DESCRIPTION } from "./oracle/http/openapi.ts";
import { createOracleSurface, type OracleSurface } from "./oracle/oracle-surface.ts";
import { createPagesApp } from "./pages/app.ts";
import { readPagesConfig } from "./pages/config.ts";
import type { Nameplate } from "./pages/documents.ts";
import { isShared } from "./surfaces.ts";

export interface ComposedOracle {
  readonly oracle: OracleSurface;
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
}

export function composeOracle(options: OracleAppOptions): ComposedOracle {
  const { plugins = [], bundledPlugins: bundled = bundledPlugins } = options;
  const oracle = createOracleSurface({
    config: options.config,
    features: options.features,
    manifestOverrides: options.manifestOverrides,
    hooks: options.hooks,
    authExcludedRoutes: options.authExcludedRoutes,
    plugins: [...bundled, ...plugins],
    otherOwnerOf: (path) => (isShared(path) ? "the paths of every oracle" : undefined),
  });
  const fetch = createDispatcher({
    apps: { oracle, shared: createPagesApp({ surfaces: { oracle }, nameplate: (env) => nameplateOf(options, env) }) },
    hosts: readPagesConfig,
    ownerOf: (path) => (isShared(path) ? "shared" : "oracle"),
    surfaces: ["oracle"],
  });
  return { oracle, fetch };
}

function nameplateOf({ config }: OracleAppOptions, env: Env): Nameplate {
  const read = readOracleConfig(env);
  const title = (read.ok ? read.value.ORACLE_NAME : undefined) ?? config.name;
  return { title, description: config.description ?? ORACLE_DESCRIPTION };
}
