/** The deployed oracle: the bundled plugins, and everything else from the environment. */
import { createOracleSurface, type OracleSurface, type OracleSurfaceOptions } from "./oracle-surface.ts";
import type { PluginDefinition } from "./framework/plugin.ts";
import { agui, portal } from "./plugins/client-tools/client-tools.ts";
import { userPreferences } from "./plugins/user-preferences/plugin.ts";

/** What the oracle needs from other surfaces; `workers/index.ts` passes it in. */
export type OraclePorts = Pick<OracleSurfaceOptions, "document" | "otherOwnerOf">;

/** Every oracle has them, unless its author replaces the set. */
export const bundledPlugins: readonly PluginDefinition[] = [userPreferences, portal, agui];

export function createBundledOracle(ports: OraclePorts): OracleSurface {
  return createOracleSurface({ config: { name: "Oracle" }, plugins: bundledPlugins, ...ports });
}
