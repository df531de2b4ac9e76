/** The options that an author passes to `createOracleApp`, and the status of its plugins. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { PluginDefinition, PluginManifest } from "./plugin.ts";
import type { RoutePattern } from "./plugin-routes.ts";

export interface OracleAppOptions {
  /** The oracle's identity and style; `ORACLE_NAME` overrides the name. */
  readonly config: OracleProfileOptions;
  /** Keyed by plugin name. */
  readonly features?: Features | undefined;
  /** The author's own plugins, after the bundled ones. */
  readonly plugins?: readonly PluginDefinition[] | undefined;
  /** Replaces the plugins that come with the package. */
  readonly bundledPlugins?: readonly PluginDefinition[] | undefined;
  /** Members of a manifest to replace, keyed by plugin name. */
  readonly manifestOverrides?: Readonly<Record<string, Partial<PluginManifest>>> | undefined;
  /** Plugin routes that need no authentication; the oracle's own routes always do. */
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

/** An error thrown by a hook is logged and has no other effect. */
export interface OracleHooks {
  /**
   * Called with any error thrown while a request is handled (`http`), or by a plugin at boot, in its HTTP middleware or in a turn
   * (`plugin:<name>`).
   */
  onError?(error: unknown, source: ErrorSource): void;
  /** Called for each plugin when an isolate has decided which plugins run. */
  onPluginStatusChange?(change: PluginStatusChange): void;
  /** The model for a turn, by the id in the request. Undefined uses the configuration (`LLM_PROVIDER`, `MODELS`). */
  resolveModel?(modelId: string | undefined, env: Env): LanguageModelV4 | undefined;
}

export type ErrorSource = "http" | "resolveModel" | `plugin:${string}`;

export interface PluginStatusChange {
  readonly plugin: string;
  readonly from: "registered";
  readonly to: "loaded" | "excluded";
  /** Why the plugin is excluded. */
  readonly reason?: string;
}

export interface PluginStatus {
  /** Dependencies precede the plugins that need them. */
  readonly loaded: readonly string[];
  readonly excluded: readonly ExcludedPlugin[];
  readonly softDepGaps: readonly { readonly plugin: string; readonly missing: string }[];
  /** Why the oracle answers only `/` and `/health`. */
  readonly error?: BootError;
}

export interface ExcludedPlugin {
  readonly plugin: string;
  readonly reason: string;
  /** Missing variables, bindings or plugins; never a value. */
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
  /** `createOracleApp` if its options cause the error. */
  readonly plugin: string;
  /** The variables, bindings, plugins, manifest members, routes or tools that cause the error. */
  readonly names: readonly string[];
}
