/**
 * The plugins of an oracle at boot, once per isolate: which ones run, their routes and their HTTP middleware. A hook that throws
 * turns its plugin off. A mistake that an author has to correct is a boot error, which names the plugin and the reason.
 */
import type { LoadedPlugin } from "../settings.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { BootError, PluginStatus } from "../framework/app-options.ts";
import { turnParts, type PluginDefinition } from "../framework/plugin.ts";
import { describeThrown } from "../../platform/log.ts";
import { turnHooksOf } from "../framework/turn-hooks.ts";
import { availabilityOf, resolvePlugins, type Availability } from "./plugin-loading.ts";
import { firstInvalid, firstMisshapen, firstRouteClash, firstToolClash } from "./boot-errors.ts";
import { withManifest } from "./plugin-manifest.ts";
import type { BootOptions, PluginEdge } from "./boot-options.ts";

export interface Boot {
  readonly status: PluginStatus;
  readonly plugins: readonly LoadedPlugin[];
  readonly edges: readonly PluginEdge[];
}

export function bootPlugins(env: Env, options: BootOptions): Boot {
  const booted = boot(env, options);
  return booted.ok ? booted.value : bootFailedWith(booted.error);
}

export function bootFailedWith(error: BootError): Boot {
  const { code, plugin } = error;
  const status = { loaded: [], excluded: [{ plugin, reason: code }], softDepGaps: [], error };
  return { status, plugins: [], edges: [] };
}

function boot(env: Env, options: BootOptions): Result<Boot, BootError> {
  const { manifestOverrides = {}, features = {}, onError, logger } = options;
  const misshapen = firstMisshapen(options.plugins);
  if (misshapen !== undefined) return failure(misshapen);
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
      const clash = firstRouteClash(complete, options) ?? firstToolClash(complete);
      if (clash !== undefined) return failure(clash);
      return success({
        status,
        plugins: complete.map(({ plugin, context }) => ({
          plugin,
          config: context.config,
          turnHooks: turnHooksOf(plugin),
        })),
        edges: complete,
      });
    }
    // Resolves again without them: others may depend on them.
    for (const { name } of failed) broken.add(name);
  }

  function resolvable({ name, dependsOn, softDependsOn }: PluginDefinition) {
    const found = availability.get(name) ?? { kind: "failed" };
    if (found.kind === "failed" || broken.has(name)) return { name, availability: { kind: "failed" } as const };
    return { name, dependsOn, softDependsOn, availability: found };
  }

  function edgeOf(plugin: PluginDefinition, { loaded }: PluginStatus): PluginEdge {
    const found = availability.get(plugin.name);
    const config = found?.kind === "ready" || found?.kind === "not_wanted" ? found.config : undefined;
    const context = {
      env,
      config,
      identity: options.identity,
      availablePlugins: new Set(loaded),
      logger,
      ...options.oracleParts(plugin.name),
    };
    for (const part of listOf("turnsWith", plugin.turnsWith))
      if (!turnParts.includes(part)) throw new TypeError(`turnsWith may name ${TURN_PARTS}, not ${part}`);
    const edge = {
      plugin,
      context,
      routes: listOf("getRoutes", plugin.getRoutes?.(context)),
      middlewares: listOf("getRouteMiddlewares", plugin.getRouteMiddlewares?.(context)),
      openRoutes: listOf("getAuthExcludedRoutes", plugin.getAuthExcludedRoutes?.()),
      tools: listOf("tools", plugin.tools).map(({ name }) => name),
    };
    options.tryEdge(edge);
    return edge;
  }

  function guarded<Value>({ name }: PluginDefinition, otherwise: Value, work: () => Value): Value {
    try {
      return work();
    } catch (thrown) {
      // A SyntaxError's message is not logged: it quotes part of the input, which masking of whole secrets cannot find.
      const reason = thrown instanceof SyntaxError ? thrown.name : describeThrown(thrown);
      logger.error("plugin-boot-failed", { plugin: name, reason });
      onError(thrown, `plugin:${name}`);
      return otherwise;
    }
  }
}

const TURN_PARTS = new Intl.ListFormat("en-GB").format(turnParts);

/** A hook without types may return anything, such as a promise: it fails here instead of at each request. */
function listOf<Value>(hook: string, value: readonly Value[] = []): readonly Value[] {
  const given: unknown = value;
  if (Array.isArray(given)) return value;
  throw new TypeError(`${hook} returns no list; hooks at boot are synchronous`);
}
