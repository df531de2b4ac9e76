/** What an author gives to `createOracleApp`, and what the oracle says of its plugins. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { PluginDefinition, PluginManifest } from "./plugin.ts";
import type { RoutePattern } from "./plugin-routes.ts";

export interface OracleAppOptions {
  /** What the oracle is and how it answers; `ORACLE_NAME` wins over the name. */
  readonly config: OracleProfileOptions;
  /** By plugin name. */
  readonly features?: Features | undefined;
  /** The author's own plugins, after the bundled ones. */
  readonly plugins?: readonly PluginDefinition[] | undefined;
  /** Takes the place of the plugins that come with the package. */
  readonly bundledPlugins?: readonly PluginDefinition[] | undefined;
  /** Plugin name to the members of its manifest that are replaced. */
  readonly manifestOverrides?: Readonly<Record<string, Partial<PluginManifest>>> | undefined;
  /** Routes of plugins that are open to everybody; the oracle's own routes need a caller. */
  readonly authExcludedRoutes?: readonly RoutePattern[] | undefined;
  readonly hooks?: OracleHooks | undefined;
}

export interface OracleProfileOptions {
  readonly name: string;
  readonly org?: string;
  readonly description?: string;
  /** Sections of the system prompt. */
  readonly prompt?: {
    readonly opening?: string;
    readonly communicationStyle?: string;
    readonly capabilities?: string;
    readonly customInstructions?: string;
  };
}

/** `true` forces a plugin on, `false` turns it off, `"auto"` (the default) leaves it to the plugin. */
export type Features = Readonly<Record<string, boolean | "auto">>;

/** What one of them throws is logged and changes nothing. */
export interface OracleHooks {
  /**
   * Called with whatever is thrown while a request is handled (`http`), and by a plugin at boot, in its HTTP middleware and
   * in a turn (`plugin:<name>`).
   */
  onError?(error: unknown, source: ErrorSource): void;
  /** Called for each plugin when an isolate has decided which ones run. */
  onPluginStatusChange?(change: PluginStatusChange): void;
  /**
   * The model for a turn, by the id that the request named. Undefined leaves it to the configuration (`LLM_PROVIDER`,
   * `MODELS`).
   */
  resolveModel?(modelId: string | undefined, env: Env): LanguageModelV4 | undefined;
}

export type ErrorSource = "http" | "resolveModel" | `plugin:${string}`;

export interface PluginStatusChange {
  readonly plugin: string;
  readonly from: "registered";
  readonly to: "loaded" | "excluded";
  /** Why it is excluded. */
  readonly reason?: string;
}

export interface PluginStatus {
  /** Dependencies before those who need them. */
  readonly loaded: readonly string[];
  readonly excluded: readonly ExcludedPlugin[];
  readonly softDepGaps: readonly { readonly plugin: string; readonly missing: string }[];
  /** Why the oracle answers nothing but `/` and `/health`. */
  readonly error?: BootError;
}

export interface ExcludedPlugin {
  readonly plugin: string;
  readonly reason: string;
  /** Variables, bindings or plugins that it misses; never a value. */
  readonly missing?: readonly string[];
}

export interface BootError {
  readonly code:
    | "boot.plugin.env_missing"
    | "boot.plugin.dep_missing"
    | "boot.plugin.cycle"
    | "boot.plugin.cascaded_off"
    | "boot.plugin.duplicate_name"
    | "boot.plugin.manifest_invalid"
    | "boot.plugin.route_clash"
    | "boot.plugin.tool_clash"
    | "boot.options_invalid";
  /** `createOracleApp` where its options are the reason. */
  readonly plugin: string;
  /** The variables, bindings, plugins, members of the manifest, routes or tools that are the reason. */
  readonly names: readonly string[];
}
