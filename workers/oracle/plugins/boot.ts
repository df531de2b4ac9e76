/**
 * The plugins of an oracle at boot, once per isolate: which ones run, their routes and their HTTP middleware. A hook that
 * throws turns its plugin off; what an author has to correct is a boot error, which names the plugin and the reason.
 */
import type { LoadedPlugin } from "../../../durable-objects/chat-session/settings.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { BootError, ErrorSource, OracleAppOptions, PluginStatus } from "../framework/app-options.ts";
import type { OracleIdentity, PluginContext } from "../framework/context.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { PluginRoute, RouteMiddleware, RoutePattern } from "../framework/plugin-routes.ts";
import type { Logger } from "../../platform/log.ts";
import { availabilityOf, resolvePlugins, type Availability } from "./plugin-loading.ts";
import { manifestFaults, withManifest } from "./plugin-manifest.ts";
import { overlaps, type RouteShape } from "./route-overlap.ts";

export interface BootOptions extends Pick<OracleAppOptions, "features" | "manifestOverrides"> {
  readonly plugins: readonly PluginDefinition[];
  readonly identity: OracleIdentity;
  /** Routes that no plugin may overlap. */
  readonly builtIn: readonly RouteShape[];
  /** Who else owns a path of this deployment, such as another surface. */
  readonly otherOwnerOf?: ((path: string) => string | undefined) | undefined;
  readonly logger: Logger;
  readonly onError: (error: unknown, source: ErrorSource) => void;
}

/** What a plugin adds around the oracle's routes. */
export interface PluginEdge {
  readonly plugin: PluginDefinition;
  readonly context: PluginContext;
  readonly routes: readonly PluginRoute[];
  readonly middlewares: readonly RouteMiddleware[];
  readonly openRoutes: readonly RoutePattern[];
}

export interface Boot {
  readonly status: PluginStatus;
  readonly plugins: readonly LoadedPlugin[];
  readonly edges: readonly PluginEdge[];
}

export function bootPlugins(env: Env, options: BootOptions): Boot {
  const booted = boot(env, options);
  if (booted.ok) return booted.value;
  const { code, plugin } = booted.error;
  const status = { loaded: [], excluded: [{ plugin, reason: code }], softDepGaps: [], error: booted.error };
  return { status, plugins: [], edges: [] };
}

function boot(env: Env, options: BootOptions): Result<Boot, BootError> {
  const { manifestOverrides = {}, features = {}, onError, logger } = options;
  const plugins = options.plugins.map((plugin) => withManifest(plugin, manifestOverrides[plugin.name]));
  const invalid = firstInvalid(plugins);
  if (invalid !== undefined) return failure(invalid);

  const availability = new Map(
    plugins.map((plugin) => [
      plugin.name,
      guarded<Availability>(plugin, { kind: "failed" }, () => availabilityOf(plugin, env)),
    ]),
  );
  const broken = new Set<string>();
  for (;;) {
    const resolved = resolvePlugins(plugins.map(resolvable), features);
    if (!resolved.ok) return resolved;
    const status = resolved.value;
    const loaded = status.loaded.flatMap((name) => plugins.filter((plugin) => plugin.name === name));
    const edges = loaded.map((plugin) => guarded(plugin, undefined, () => edgeOf(plugin, status)));
    const failed = loaded.filter((_, index) => edges[index] === undefined);
    if (failed.length === 0) {
      const complete = edges.filter((edge) => edge !== undefined);
      const clash = firstRouteClash(complete, options);
      if (clash !== undefined) return failure(clash);
      return success({
        status,
        plugins: complete.map(({ plugin, context }) => ({ plugin, config: context.config })),
        edges: complete,
      });
    }
    // Again without them: others may depend on them.
    for (const { name } of failed) broken.add(name);
  }

  function resolvable({ name, dependsOn, softDependsOn }: PluginDefinition) {
    const found = availability.get(name) ?? { kind: "failed" };
    return { name, dependsOn, softDependsOn, availability: broken.has(name) ? ({ kind: "failed" } as const) : found };
  }

  function edgeOf(plugin: PluginDefinition, { loaded }: PluginStatus): PluginEdge {
    const found = availability.get(plugin.name);
    const config = found?.kind === "ready" ? found.config : undefined;
    const context = { env, config, identity: options.identity, availablePlugins: new Set(loaded), logger };
    return {
      plugin,
      context,
      routes: plugin.getRoutes?.(context) ?? [],
      middlewares: plugin.getRouteMiddlewares?.(context) ?? [],
      openRoutes: plugin.getAuthExcludedRoutes?.() ?? [],
    };
  }

  function guarded<Value>({ name }: PluginDefinition, otherwise: Value, work: () => Value): Value {
    try {
      return work();
    } catch (thrown) {
      // Not the message: it may quote the variable that could not be read.
      logger.error("plugin-boot-failed", { plugin: name, reason: thrown instanceof Error ? thrown.name : "unknown" });
      onError(thrown, `plugin:${name}`);
      return otherwise;
    }
  }
}

function firstInvalid(plugins: readonly PluginDefinition[]): BootError | undefined {
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { code: "boot.plugin.duplicate_name", plugin: twice, names: [twice] };
  for (const { name, manifest } of plugins) {
    const faults = manifestFaults(manifest);
    if (faults.length > 0) return { code: "boot.plugin.manifest_invalid", plugin: name, names: faults };
  }
  return undefined;
}

/** A plugin orders its own routes as it likes. */
function firstRouteClash(edges: readonly PluginEdge[], { builtIn, otherOwnerOf }: BootOptions): BootError | undefined {
  const taken = builtIn.map((route) => ({ ...route, owner: "the oracle" }));
  for (const { plugin, routes } of edges) {
    const own = routes.map(({ method, path }) => ({ method: method.toUpperCase(), path }));
    for (const route of own) {
      const other = taken.find((known) => overlaps(known, route));
      const owner = otherOwnerOf?.(route.path);
      const clash = other === undefined ? owner : `${other.method} ${other.path} (${other.owner})`;
      if (clash === undefined) continue;
      const names = [`${route.method} ${route.path}`, clash];
      return { code: "boot.plugin.route_clash", plugin: plugin.name, names };
    }
    taken.push(...own.map((route) => ({ ...route, owner: `plugin ${plugin.name}` })));
  }
  return undefined;
}

const reasons: Readonly<Record<BootError["code"], (error: BootError) => string>> = {
  "boot.plugin.env_missing": ({ plugin, names }) => `features forces ${plugin} on, which misses ${list(names)}`,
  "boot.plugin.dep_missing": ({ plugin, names }) => `features forces ${plugin} on, which needs ${list(names)}`,
  "boot.plugin.cascaded_off": ({ plugin, names }) =>
    `features forces ${plugin} on, which needs ${list(names)}, which is off`,
  "boot.plugin.cycle": ({ names }) => `they need each other: ${list(names)}`,
  "boot.plugin.duplicate_name": ({ plugin }) => `two plugins are named ${plugin}`,
  "boot.plugin.manifest_invalid": ({ plugin, names }) => `the manifest of ${plugin} misses ${list(names)}`,
  "boot.plugin.route_clash": ({ plugin, names: [own = "", other = ""] }) =>
    `the route ${own} of ${plugin} overlaps ${other}`,
  "boot.plugin.tool_clash": ({ plugin, names }) => `${plugin} has a tool of a name that is taken: ${list(names)}`,
};

/** One line for an operator, without any value of a variable. */
export function describeBootError(error: BootError): string {
  return `${error.code}: ${reasons[error.code](error)}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "what its autoDetect looks for" : names.join(", ");
}
