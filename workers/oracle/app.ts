/** The deployed oracle: the bundled plugins, and everything else from the environment. */
import { createOracleSurface, type OracleSurface, type OracleSurfaceOptions } from "./oracle-surface.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { attachments } from "../../oracle/plugins/attachments/plugin.ts";
import { calls } from "../../oracle/plugins/calls/plugin.ts";
import { claims } from "../../oracle/plugins/claims/plugin.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import { credits } from "../../oracle/plugins/credits/plugin.ts";
import { createDomainRegistryPlugin, type DomainRegistryOptions } from "../../oracle/plugins/domain-registry/plugin.ts";
import { mcp } from "../../oracle/plugins/mcp/plugin.ts";
import { memory } from "../../oracle/plugins/memory/plugin.ts";
import { slack } from "../../oracle/plugins/slack/plugin.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";

/** The oracle's dependencies on other surfaces; `workers/index.ts` provides them. */
export interface OraclePorts extends Pick<OracleSurfaceOptions, "document" | "otherOwnerOf"> {
  /** Reads from the domain registry of this Worker. */
  readonly readRegistry: NonNullable<DomainRegistryOptions["fetch"]>;
}

function pluginsWith(registry: DomainRegistryOptions): readonly PluginDefinition[] {
  return [
    userPreferences,
    memory,
    createDomainRegistryPlugin(registry),
    portal,
    agui,
    attachments,
    mcp,
    credits,
    claims,
    calls,
    slack,
  ];
}

/** Part of every oracle, unless its author replaces the set. */
export const bundledPlugins: readonly PluginDefinition[] = pluginsWith({});

export function createBundledOracle({ readRegistry, document, otherOwnerOf }: OraclePorts): OracleSurface {
  const plugins = pluginsWith({ fetch: readRegistry });
  return createOracleSurface({ config: { name: "Oracle" }, plugins, document, otherOwnerOf });
}
