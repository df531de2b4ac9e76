/**
 * Makes an oracle's surface from its options (contract/oracle.md section 10.1). What depends on the environment is
 * assembled once per isolate: plugins, routes, then at the first request the identity and the authenticator.
 */
import type { OracleSettings, ChannelSettings, OracleProfile } from "../../durable-objects/chat-session/settings.ts";
import { createAuthenticator } from "../platform/auth/authenticator.ts";
import { createDidResolver } from "../platform/auth/did-resolver.ts";
import type { Fetch } from "../platform/auth/fetch-json.ts";
import { createAttemptLimit } from "../platform/http/attempt-limit.ts";
import { oncePerIsolate } from "../platform/config.ts";
import { fail, newFailure, type Failure } from "../platform/failure.ts";
import type { JsonObject } from "../platform/json.ts";
import type { Operation } from "../platform/openapi.ts";
import { failure, success, type Result } from "../platform/result.ts";
import type { Surface } from "../platform/surface.ts";
import { channelSettings } from "./channel-settings.ts";
import { readOracleConfig } from "./config.ts";
import type { OracleRuntime } from "./context.ts";
import { audiencesOf, identityOf } from "./identity.ts";
import { describeOracle } from "./openapi.ts";
import type { OraclePlugin, RoutePattern } from "../../durable-objects/chat-session/plugin.ts";
import type { LoadedPlugin } from "../../durable-objects/chat-session/settings.ts";
import { loadPlugins, type BootError, type Features, type PluginStatus } from "./plugins/plugin-loading.ts";
import { makeSessionSettings } from "./session-settings.ts";
import { composeRoutes, describePluginRoute, type MountedRoute, type OnError } from "./router.ts";

export interface OracleAppOptions {
  /** What the oracle is and how it speaks; `ORACLE_NAME` wins over the name. */
  readonly config: Omit<OracleProfile, "did">;
  readonly features?: Features;
  readonly plugins?: readonly OraclePlugin[];
  /** Routes of plugins that need no caller; the oracle's own routes cannot do without one. */
  readonly authExcludedRoutes?: readonly RoutePattern[];
  readonly hooks?: { readonly onError?: OnError };
  /** DID documents of the domain registry, which is asked for keys before any service outside (decisions 3.9). */
  readonly document?: (env: Env, did: string) => Promise<Result<JsonObject>>;
}

export interface OracleSurface extends Surface {
  readonly plugins: { status(env: Env): PluginStatus };
  /** Identity, authenticator and configuration, for the port to this oracle; a fault while the configuration is wrong. */
  runtime(env: Env): Promise<Result<OracleRuntime>>;
  /** What the sessions of this oracle are made of; throws while the configuration is wrong. */
  sessionSettings(env: Env): Promise<OracleSettings>;
  /** How their sockets are kept; the defaults while the configuration is wrong. */
  channelSettings(env: Env): ChannelSettings;
}

/** What the app takes from its platform. */
export interface OraclePlatform {
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const workerPlatform: OraclePlatform = { fetch: (url, init) => fetch(url, init), clock: () => Date.now() };

export function createOracleApp(options: OracleAppOptions, platform = workerPlatform): OracleSurface {
  const assembled = oncePerIsolate((env: Env) => {
    const boot = bootPlugins(env, options);
    const router = composeRoutes({
      runtime,
      pluginRoutes: boot.routes,
      ...(options.hooks?.onError === undefined ? {} : { onError: options.hooks.onError }),
    });
    let made: OracleRuntime | undefined;
    let settings: OracleSettings | undefined;
    // Only the value is kept, never the promise: one that belongs to a cancelled request would never settle for others.
    async function runtime(): Promise<Result<OracleRuntime>> {
      if (boot.error !== undefined) return fail("internal", boot.error.code);
      if (made !== undefined) return success(made);
      const outcome = await makeRuntime(env, options, platform);
      if (outcome.ok) made = outcome.value;
      return outcome;
    }
    async function sessionSettings(): Promise<OracleSettings> {
      const ready = await runtime();
      if (!ready.ok) throw new Error(ready.error.message);
      const profile = { ...options.config, name: ready.value.name };
      settings ??= makeSessionSettings({ env, ...ready.value, profile, plugins: boot.plugins, ...platform });
      return settings;
    }
    return { ...boot, router, runtime, sessionSettings };
  });
  const described = oncePerIsolate((env: Env) =>
    describeOracle(assembled(env).routes.map(({ operation }): Operation => operation)),
  );
  return {
    fetch: (request, exchange, context) => assembled(exchange.env).router.fetch(request, exchange, context),
    configProblems(env) {
      const config = readOracleConfig(env);
      return config.ok ? [] : config.error;
    },
    openapi: described,
    health: (env) => ({ plugins: { ...assembled(env).status } }),
    plugins: { status: (env) => assembled(env).status },
    runtime: (env) => assembled(env).runtime(),
    sessionSettings: (env) => assembled(env).sessionSettings(),
    channelSettings,
  };
}

const MISCONFIGURED: Failure = newFailure(
  "internal",
  "The oracle is not configured correctly; GET /health names the variables, the log says what is wrong with them",
);

async function makeRuntime(
  env: Env,
  options: OracleAppOptions,
  { fetch, clock }: OraclePlatform,
): Promise<Result<OracleRuntime>> {
  const config = readOracleConfig(env);
  if (!config.ok) return failure(MISCONFIGURED);
  const identity = await identityOf(config.value);
  const { UCAN_AUTH_MAX_TTL_SECONDS, STATIC_DID_KEYS, BLOCKSYNC_GRAPHQL_URL } = config.value;
  const { document } = options;
  const resolver = createDidResolver({
    staticKeys: STATIC_DID_KEYS,
    ...(document === undefined ? {} : { document: (did: string) => document(env, did) }),
    ...(BLOCKSYNC_GRAPHQL_URL === undefined ? {} : { blocksyncUrl: BLOCKSYNC_GRAPHQL_URL }),
    fetch,
    clock,
  });
  return success({
    attempts: config.value.ENVIRONMENT === "development" ? undefined : createAttemptLimit(clock),
    name: config.value.ORACLE_NAME ?? options.config.name,
    config: config.value,
    identity,
    authenticator: createAuthenticator({
      audiences: audiencesOf(identity),
      maxTtlSeconds: UCAN_AUTH_MAX_TTL_SECONDS,
      resolver,
      clock,
    }),
  });
}

interface Boot {
  readonly status: PluginStatus;
  readonly plugins: readonly LoadedPlugin[];
  readonly routes: readonly MountedRoute[];
  readonly error?: BootError;
}

function bootPlugins(env: Env, { plugins = [], features = {}, authExcludedRoutes = [] }: OracleAppOptions): Boot {
  const resolved = loadPlugins(env, plugins, features);
  if (!resolved.ok) {
    const { code, plugin } = resolved.error;
    return {
      status: { loaded: [], excluded: [{ plugin, reason: code }], softDepGaps: [] },
      plugins: [],
      routes: [],
      error: resolved.error,
    };
  }
  const loaded = resolved.value.plugins;
  const excluded = [...authExcludedRoutes, ...loaded.flatMap(({ plugin }) => plugin.getAuthExcludedRoutes?.() ?? [])];
  const routes = loaded.flatMap(({ plugin, config }) => plugin.getRoutes?.({ env, config }) ?? []);
  return {
    status: resolved.value.status,
    plugins: loaded,
    routes: routes.map((route) => describePluginRoute(route, excluded)),
  };
}
