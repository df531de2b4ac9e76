/**
 * Which plugins an oracle runs, decided once per isolate by the features option, the plugins' own test of the environment
 * and their dependencies; and which of their routes need no caller. Pure; a boot error is a value.
 */
import type { PluginDefinition } from "../framework/plugin.ts";
import type { RoutePattern } from "../framework/plugin-routes.ts";
import type { LoadedPlugin } from "../../../durable-objects/chat-session/settings.ts";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success, type Result } from "../../platform/result.ts";

/** `true` forces a plugin on, `false` turns it off, `"auto"` (the default) leaves it to the plugin. */
export type Features = Readonly<Record<string, boolean | "auto">>;

export interface PluginStatus {
  /** Dependencies before those who need them. */
  readonly loaded: readonly string[];
  readonly excluded: readonly { readonly plugin: string; readonly reason: string }[];
  readonly softDepGaps: readonly { readonly plugin: string; readonly missing: string }[];
}

export interface BootError {
  readonly code:
    | "boot.plugin.env_missing"
    | "boot.plugin.dep_missing"
    | "boot.plugin.cycle"
    | "boot.plugin.cascaded_off";
  readonly plugin: string;
}

/**
 * The plugins that run, with their parsed settings, dependencies first. One that is off in its own view of the
 * environment, or whose settings its schema refuses, is not configured.
 */
export function loadPlugins(
  env: Env,
  plugins: readonly PluginDefinition[],
  features: Features,
): Result<{ readonly status: PluginStatus; readonly plugins: readonly LoadedPlugin[] }, BootError> {
  const read = plugins.map((plugin) => {
    const config = plugin.autoDetect?.(env) === false ? undefined : readConfig(plugin, env);
    return { plugin, config, name: plugin.name, configured: config !== undefined };
  });
  const resolved = resolvePlugins(
    read.map(({ plugin: { name, dependsOn = [], softDependsOn = [] }, configured }) => ({
      name,
      dependsOn,
      softDependsOn,
      configured,
    })),
    features,
  );
  if (!resolved.ok) return resolved;
  const loaded = resolved.value.loaded.flatMap((name) => read.filter((each) => each.name === name));
  return success({
    status: resolved.value,
    plugins: loaded.map(({ plugin, config }) => ({ plugin, config: config?.value })),
  });
}

/** Undefined when the plugin's schema refuses the environment. */
function readConfig({ configSchema }: PluginDefinition, env: Env): { readonly value: unknown } | undefined {
  if (configSchema === undefined) return { value: undefined };
  const parsed = configSchema.safeParse(env);
  return parsed.success ? { value: parsed.data } : undefined;
}

/** What resolution needs to know of a plugin. */
export interface Resolvable {
  readonly name: string;
  readonly dependsOn?: readonly string[];
  readonly softDependsOn?: readonly string[];
  /** Whether the environment holds what the plugin needs. */
  readonly configured: boolean;
}

export function resolvePlugins(plugins: readonly Resolvable[], features: Features): Result<PluginStatus, BootError> {
  const known = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const off = new Map<string, string>();
  for (const plugin of plugins) {
    if (features[plugin.name] === false) off.set(plugin.name, "disabled");
    else if (!plugin.configured) {
      if (features[plugin.name] === true) return failure({ code: "boot.plugin.env_missing", plugin: plugin.name });
      off.set(plugin.name, "not_configured");
    }
  }
  const cascaded = cascade(plugins, known, off, features);
  if (cascaded !== undefined) return failure(cascaded);

  const on = plugins.filter(({ name }) => !off.has(name));
  const ordered = dependencyOrder(on, known);
  if (!ordered.ok) return ordered;
  const loaded = new Set(ordered.value);
  const unknown = Object.keys(features).filter((name) => !known.has(name));
  return success({
    loaded: ordered.value,
    excluded: [...off, ...unknown.map((name): [string, string] => [name, "unknown"])].map(([plugin, reason]) => ({
      plugin,
      reason,
    })),
    softDepGaps: on.flatMap(({ name, softDependsOn = [] }) =>
      softDependsOn.filter((other) => !loaded.has(other)).map((missing) => ({ plugin: name, missing })),
    ),
  });
}

/** Turns off, into `off`, what depends on something that is off, until nothing does; a forced plugin must not be. */
function cascade(
  plugins: readonly Resolvable[],
  known: ReadonlyMap<string, Resolvable>,
  off: Map<string, string>,
  features: Features,
): BootError | undefined {
  for (let changed = true; changed;) {
    changed = false;
    for (const { name, dependsOn = [] } of plugins) {
      if (off.has(name)) continue;
      const absent = dependsOn.some((other) => !known.has(other));
      if (!absent && !dependsOn.some((other) => off.has(other))) continue;
      if (features[name] === true) {
        return { code: absent ? "boot.plugin.dep_missing" : "boot.plugin.cascaded_off", plugin: name };
      }
      off.set(name, absent ? "dep_missing" : "cascaded_off");
      changed = true;
    }
  }
  return undefined;
}

function dependencyOrder(
  plugins: readonly Resolvable[],
  known: ReadonlyMap<string, Resolvable>,
): Result<readonly string[], BootError> {
  const ordered: string[] = [];
  const visiting = new Set<string>();
  const visit = (plugin: Resolvable): BootError | undefined => {
    if (ordered.includes(plugin.name)) return undefined;
    if (visiting.has(plugin.name)) return { code: "boot.plugin.cycle", plugin: plugin.name };
    visiting.add(plugin.name);
    for (const name of plugin.dependsOn ?? []) {
      const dependency = known.get(name);
      const cycle = dependency === undefined ? undefined : visit(dependency);
      if (cycle !== undefined) return cycle;
    }
    ordered.push(plugin.name);
    return undefined;
  };
  for (const plugin of plugins) {
    const cycle = visit(plugin);
    if (cycle !== undefined) return failure(cycle);
  }
  return success(ordered);
}

const ANYTHING_BELOW = "(.*)";

export function isExcluded(operation: Pick<Operation, "method" | "path">, patterns: readonly RoutePattern[]): boolean {
  return patterns.some(({ path, method }) => {
    if (method !== undefined && method.toLowerCase() !== operation.method) return false;
    if (!path.endsWith(ANYTHING_BELOW)) return path === operation.path;
    return operation.path.startsWith(path.slice(0, -ANYTHING_BELOW.length));
  });
}
