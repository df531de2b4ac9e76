/** The input of a boot of plugins, and its result for each plugin. */
import type { ErrorSource, OracleAppOptions } from "../framework/app-options.ts";
import type { OracleIdentity, PluginContext } from "../framework/context.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { PluginRoute, RouteMiddleware, RoutePattern } from "../framework/plugin-routes.ts";
import type { Logger } from "../../platform/log.ts";
import type { RouteShape } from "./route-overlap.ts";

export interface BootOptions extends Pick<OracleAppOptions, "features" | "manifestOverrides"> {
  readonly plugins: readonly PluginDefinition[];
  readonly identity: OracleIdentity;
  /** The oracle-wide members of a plugin's context, by plugin name. */
  readonly oracleParts: (plugin: string) => Pick<PluginContext, "oracleKv" | "sealing">;
  /** Routes that no plugin may overlap. */
  readonly builtIn: readonly RouteShape[];
  /** The owner of a path of this deployment, such as another surface. */
  readonly otherOwnerOf?: ((path: string) => string | undefined) | undefined;
  /** Throws if the edge cannot be mounted. */
  readonly tryEdge: (edge: PluginEdge) => void;
  readonly logger: Logger;
  readonly onError: (error: unknown, source: ErrorSource) => void;
}

/** A plugin's additions to the oracle's routes. */
export interface PluginEdge {
  readonly plugin: PluginDefinition;
  readonly context: PluginContext;
  readonly routes: readonly PluginRoute[];
  readonly middlewares: readonly RouteMiddleware[];
  readonly openRoutes: readonly RoutePattern[];
  /** Names of the tools that are known at boot. */
  readonly tools: readonly string[];
}
