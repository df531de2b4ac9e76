/**
 * Which plugins an oracle runs, by the features option, the environment and their dependencies, and which of their routes need no
 * authentication. Pure; a boot error is a value.
 */
import type { BootError, ExcludedPlugin, Features, PluginStatus } from "../framework/app-options.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { RoutePattern } from "../framework/plugin-routes.ts";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success, type Result } from "../../platform/result.ts";

/** Whether the environment has what a plugin needs. */
export type Availability =
  | { readonly kind: "ready"; readonly config: unknown }
  | { readonly kind: "not_configured"; readonly missing: readonly string[] }
  /** The plugin could run, but is not requested. */
  | { readonly kind: "not_wanted"; readonly config: unknown; readonly missing: readonly string[] }
  /** One of the plugin's hooks threw at boot. */
  | { readonly kind: "failed" };

const bindings = { database: "DATABASE", blobs: "BLOBS" } as const;

/** Throws errors of the plugin's own hooks. */
export function availabilityOf(plugin: PluginDefinition, env: Env): Availability {
  for (const member of ["dependsOn", "softDependsOn", "requires"] as const)
    if (!Array.isArray(plugin[member] ?? [])) throw new TypeError(`${member} is not a list`);
  const { requires = [] } = plugin;
  const unknown = requires.find((required) => !Object.hasOwn(bindings, required));
  if (unknown !== undefined) throw new TypeError(`requires may name blobs and database, not ${unknown}`);
  const missing = requires
    .map((required) => bindings[required])
    .filter((binding) => (env as unknown as Readonly<Record<string, unknown>>)[binding] === undefined);
  if (missing.length > 0) return { kind: "not_configured", missing };
  const hint = plugin.autoDetectHint === undefined ? [] : [plugin.autoDetectHint];
  if (plugin.autoDetect?.(env) === false) return { kind: "not_configured", missing: hint };
  const isWanted = plugin.isWanted?.(env) ?? true;
  const ready = (config: unknown): Availability =>
    isWanted ? { kind: "ready", config } : { kind: "not_wanted", config, missing: hint };
  if (plugin.configSchema === undefined) return ready(undefined);
  const parsed = plugin.configSchema.safeParse(env);
  if (parsed.success) return ready(parsed.data);
  const variables = parsed.error.issues.map(({ path }) => String(path[0] ?? "configSchema"));
  return { kind: "not_configured", missing: [...new Set(variables)] };
}

/** The facts about a plugin that resolution needs. */
export interface Resolvable {
  readonly name: string;
  readonly dependsOn?: readonly string[] | undefined;
  readonly softDependsOn?: readonly string[] | undefined;
  readonly availability: Availability;
}

export function resolvePlugins(plugins: readonly Resolvable[], features: Features): Result<PluginStatus, BootError> {
  const known = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const off = new Map<string, ExcludedPlugin>();
  for (const { name, availability } of plugins) {
    if (features[name] === false) off.set(name, { plugin: name, reason: "disabled" });
    else if (availability.kind === "failed") off.set(name, { plugin: name, reason: "failed" });
    else if (availability.kind === "not_wanted") {
      const { missing } = availability;
      if (features[name] !== true)
        off.set(name, { plugin: name, reason: "not_configured", ...(missing.length === 0 ? {} : { missing }) });
    } else if (availability.kind === "not_configured") {
      const { missing } = availability;
      if (features[name] === true) return failure({ code: "boot.plugin.env_missing", plugin: name, names: missing });
      off.set(name, { plugin: name, reason: "not_configured", ...(missing.length === 0 ? {} : { missing }) });
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
    excluded: [...off.values(), ...unknown.map((plugin) => ({ plugin, reason: "unknown" }))],
    softDepGaps: on.flatMap(({ name, softDependsOn = [] }) =>
      softDependsOn.filter((other) => !loaded.has(other)).map((missing) => ({ plugin: name, missing })),
    ),
  });
}

/**
 * Adds to `off` every plugin that depends on one in it, until none is left. A forced plugin must stay on, unless a dependency
 * failed: a mistake in one plugin never takes the oracle down.
 */
function cascade(
  plugins: readonly Resolvable[],
  known: ReadonlyMap<string, Resolvable>,
  off: Map<string, ExcludedPlugin>,
  features: Features,
): BootError | undefined {
  const failed = new Set([...off.values()].filter(({ reason }) => reason === "failed").map(({ plugin }) => plugin));
  for (let changed = true; changed;) {
    changed = false;
    for (const { name, dependsOn = [] } of plugins) {
      if (off.has(name)) continue;
      const absent = dependsOn.filter((other) => !known.has(other));
      const missing = absent.length > 0 ? absent : dependsOn.filter((other) => off.has(other));
      if (missing.length === 0) continue;
      const isAbsent = absent.length > 0;
      if (missing.some((other) => failed.has(other))) failed.add(name);
      else if (features[name] === true) {
        const code = isAbsent ? "boot.plugin.dep_missing" : "boot.plugin.cascaded_off";
        return { code, plugin: name, names: missing };
      }
      off.set(name, { plugin: name, reason: isAbsent ? "dep_missing" : "cascaded_off", missing });
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
  const visiting: string[] = [];
  const visit = (plugin: Resolvable): BootError | undefined => {
    if (ordered.includes(plugin.name)) return undefined;
    const start = visiting.indexOf(plugin.name);
    if (start >= 0) return { code: "boot.plugin.cycle", plugin: plugin.name, names: visiting.slice(start) };
    visiting.push(plugin.name);
    for (const name of plugin.dependsOn ?? []) {
      const dependency = known.get(name);
      const cycle = dependency === undefined ? undefined : visit(dependency);
      if (cycle !== undefined) return cycle;
    }
    visiting.pop();
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
