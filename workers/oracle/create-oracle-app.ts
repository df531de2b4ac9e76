/**
 * Creates an oracle's surface from its options. What depends on the environment is built once per isolate: plugins and
 * routes at once, identity and authenticator at the first request.
 */
import type { PluginDefinition } from "./framework/plugin.ts";
import type { RoutePattern } from "./framework/plugin-routes.ts";
import type {
  ChannelSettings,
  LoadedPlugin,
  OracleProfile,
  OracleSettings,
} from "../../durable-objects/chat-session/settings.ts";
import { oncePerIsolate } from "../platform/config.ts";
import { fail } from "../platform/failure.ts";
import { createLogger, withoutSecretsOf } from "../platform/log.ts";
import { success, type Result } from "../platform/result.ts";
import type { Surface } from "../platform/surface.ts";
import { readOracleConfig } from "./config.ts";
import { describeOracle } from "./http/openapi.ts";
import { pluginRouteOf, type OracleRoute } from "./http/route.ts";
import { loadPlugins, type BootError, type Features, type PluginStatus } from "./plugins/plugin-loading.ts";
import { createRouter, ownRoutes, type OnError } from "./router.ts";
import { createRuntime, type OraclePlatform, type OracleRuntime, type RuntimeOptions } from "./runtime.ts";
import { channelSettings, createSessionSettings } from "./session-settings.ts";

export interface OracleAppOptions extends Pick<RuntimeOptions, "document"> {
  /** What the oracle is and how it answers; `ORACLE_NAME` wins over the name. */
  readonly config: Omit<OracleProfile, "did" | "entityDid">;
  readonly features?: Features;
  readonly plugins?: readonly PluginDefinition[];
  /** Routes of plugins that are open to everybody; the oracle's own routes need a caller. */
  readonly authExcludedRoutes?: readonly RoutePattern[];
  readonly hooks?: { readonly onError?: OnError };
}

export interface OracleSurface extends Surface {
  readonly plugins: { status(env: Env): PluginStatus };
  /** Identity, authenticator and configuration, for the port to this oracle; fails while the configuration is invalid. */
  runtime(env: Env): Promise<Result<OracleRuntime>>;
  /** What the sessions of this oracle need; throws while the configuration is invalid. */
  sessionSettings(env: Env): Promise<OracleSettings>;
  /** How their sockets are handled; the defaults while the configuration is invalid. */
  channelSettings(env: Env): ChannelSettings;
  /** Every declared route, those of plugins included. */
  routes(env: Env): readonly OracleRoute[];
}

const workerPlatform: OraclePlatform = { fetch: (url, init) => fetch(url, init), clock: () => Date.now() };

export function createOracleApp(options: OracleAppOptions, platform = workerPlatform): OracleSurface {
  const built = oncePerIsolate((env: Env) => build(env, options, platform));
  const openapi = oncePerIsolate((env: Env) => describeOracle(built(env).routes));
  return {
    fetch: (request, exchange, context) => built(exchange.env).router.fetch(request, exchange, context),
    configProblems(env) {
      const config = readOracleConfig(env);
      return config.ok ? [] : config.error;
    },
    openapi,
    health: (env) => ({ plugins: { ...built(env).status } }),
    plugins: { status: (env) => built(env).status },
    runtime: (env) => built(env).runtime(),
    sessionSettings: (env) => built(env).sessionSettings(),
    channelSettings,
    routes: (env) => built(env).routes,
  };
}

function build(env: Env, options: OracleAppOptions, platform: OraclePlatform) {
  const { status, plugins, pluginRoutes, error } = bootPlugins(env, options);
  const { config, document, hooks } = options;
  let ready: OracleRuntime | undefined;
  let settings: OracleSettings | undefined;

  // Only the value is stored, never the promise: a promise of a cancelled request would never resolve for others.
  async function runtime(): Promise<Result<OracleRuntime>> {
    if (error !== undefined) return fail("internal", error.code);
    if (ready !== undefined) return success(ready);
    const created = await createRuntime({ env, name: config.name, document, ...platform });
    if (created.ok) ready = created.value;
    return created;
  }

  async function sessionSettings(): Promise<OracleSettings> {
    const created = await runtime();
    if (!created.ok) throw new Error(created.error.message);
    settings ??= createSessionSettings({ ...platform, env, runtime: created.value, profile: config, plugins });
    return settings;
  }

  const router = createRouter({ runtime, pluginRoutes, onError: hooks?.onError });
  return { status, runtime, sessionSettings, router, routes: [...ownRoutes, ...pluginRoutes] };
}

interface Boot {
  readonly status: PluginStatus;
  readonly plugins: readonly LoadedPlugin[];
  readonly pluginRoutes: readonly OracleRoute[];
  readonly error?: BootError;
}

function bootPlugins(env: Env, options: OracleAppOptions): Boot {
  const { plugins = [], features = {}, authExcludedRoutes = [] } = options;
  const loading = loadPlugins(env, plugins, features);
  if (!loading.ok) {
    const { code, plugin } = loading.error;
    const status = { loaded: [], excluded: [{ plugin, reason: code }], softDepGaps: [] };
    return { status, plugins: [], pluginRoutes: [], error: loading.error };
  }
  const { status, plugins: loaded } = loading.value;
  const excluded = [...authExcludedRoutes, ...loaded.flatMap(({ plugin }) => plugin.getAuthExcludedRoutes?.() ?? [])];
  const { name, org, description } = options.config;
  const shared = {
    env,
    identity: {
      name,
      ...(org === undefined ? {} : { org }),
      ...(description === undefined ? {} : { description }),
    },
    availablePlugins: new Set(status.loaded),
    logger: createLogger({ surface: "oracle" }, withoutSecretsOf(env)),
  };
  const pluginRoutes = loaded.flatMap(({ plugin, config }) => {
    const context = { ...shared, config };
    return (plugin.getRoutes?.(context) ?? []).map((declared) =>
      pluginRouteOf(declared, { plugin, context }, excluded),
    );
  });
  return { status, plugins: loaded, pluginRoutes };
}
