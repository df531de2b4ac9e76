/**
 * Creates an oracle's surface from its options. Parts that depend on the environment are built once per isolate:
 * plugins and routes at once, identity and authenticator at the first request.
 */
import { Hono } from "hono";
import * as z from "zod";
import { TrieRouter } from "hono/router/trie-router";
import { FRONTEND_TOOLS } from "../../protocol/records.ts";
import type { ChannelSettings, OracleSettings } from "../../oracle/settings.ts";
import type {
  BootError,
  ErrorSource,
  OracleAppOptions,
  OracleHooks,
  PluginStatus,
} from "../../oracle/framework/app-options.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { oncePerIsolate, type ConfigProblem } from "../../platform/config.ts";
import { fail } from "../../platform/failure.ts";
import type { JsonObject } from "../../platform/json.ts";
import { createLogger, describeThrown, withoutSecretsOf, type Logger } from "../../platform/log.ts";
import { success, type Result } from "../../platform/result.ts";
import type { Surface } from "../../platform/surface.ts";
import { readOracleConfig, warningsOf } from "./config.ts";
import { describeOracle } from "./http/openapi.ts";
import type { OracleHono } from "./http/failures.ts";
import { pluginRouteOf, type OracleRoute } from "./http/route.ts";
import { bootFailedWith, bootPlugins, type Boot } from "../../oracle/boot/boot.ts";
import { describeBootError, unreadableOptions, UNKNOWN_PLUGIN } from "../../oracle/boot/boot-errors.ts";
import { pluginHealth } from "../../oracle/boot/plugin-health.ts";
import { hasSchedule, runSchedules } from "../../oracle/boot/plugin-schedule.ts";
import { isReachable } from "../../oracle/boot/route-overlap.ts";
import { outsideContext, type OutsideParts } from "./outside-context.ts";
import { continueErasures } from "./personal-data/erase-user.ts";
import { oracleUsers } from "./personal-data/oracle-users.ts";
import type { OracleUsers } from "../../platform/ports.ts";
import type { ScheduleContext } from "../../oracle/framework/context.ts";
import { createOracleParts, channelSettings, createSessionSettings } from "./session-settings.ts";
import { createRouter, ownRoutes, reservedRoutes } from "./router.ts";
import { userVault } from "./objects.ts";
import { createRuntime, type OraclePlatform, type OracleRuntime, type RuntimeOptions } from "./runtime.ts";
import type { PluginEdge } from "../../oracle/boot/boot-options.ts";

export interface OracleSurfaceOptions
  extends Omit<OracleAppOptions, "plugins" | "bundledPlugins">, Pick<RuntimeOptions, "document"> {
  /** All plugins, including bundled ones. */
  readonly plugins?: readonly PluginDefinition[];
  /** The other owner of a path in this deployment; no plugin can have a route there. */
  readonly otherOwnerOf?: ((path: string) => string | undefined) | undefined;
}

export interface OracleSurface extends Surface {
  readonly plugins: { status(env: Env): PluginStatus };
  /**
   * Identity, authenticator and configuration, for the port to this oracle; fails while the configuration is invalid.
   */
  runtime(env: Env): Promise<Result<OracleRuntime>>;
  /** The settings of this oracle's sessions; throws while the configuration is invalid. */
  sessionSettings(env: Env): Promise<OracleSettings>;
  /** The settings of their sockets; the defaults while the configuration is invalid. */
  channelSettings(env: Env): ChannelSettings;
  /** Runs the schedules of plugins once; their exceptions are caught. `time`: Unix milliseconds. */
  scheduled(env: Env, context: Pick<ExecutionContext, "waitUntil">, time: number): Promise<void>;
  /** The users' data, for another surface; undefined while the configuration is invalid. */
  users(env: Env, waitUntil: (work: Promise<unknown>) => void): Promise<OracleUsers | undefined>;
  /** Every declared route, including those of plugins. */
  routes(env: Env): readonly OracleRoute[];
}

const workerPlatform: OraclePlatform = { fetch: (url, init) => fetch(url, init), clock: () => Date.now() };

export function createOracleSurface(options: OracleSurfaceOptions, platform = workerPlatform): OracleSurface {
  const built = oncePerIsolate((env: Env) => build(env, options, platform));
  const openapi = oncePerIsolate((env: Env) => describeOracle(built(env).routes));
  return {
    fetch: (request, exchange, context) => built(exchange.env).router.fetch(request, exchange, context),
    configProblems(env) {
      const config = readOracleConfig(env);
      return [...(config.ok ? [] : config.error), ...bootProblems(built(env).status)];
    },
    addsPath: (env, path) => built(env).hasPluginRoute(path),
    openapi,
    async health(env) {
      const { status, health } = built(env);
      const config = readOracleConfig(env);
      const warnings = config.ok ? warningsOf(config.value) : [];
      return {
        frontendTools: FRONTEND_TOOLS,
        plugins: statusRecord(status, await health()),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    },
    plugins: { status: (env) => built(env).status },
    scheduled: (env, context, time) => built(env).scheduled(context, time),
    runtime: (env) => built(env).runtime(),
    users: (env, waitUntil) => built(env).users(waitUntil),
    sessionSettings: (env) => built(env).sessionSettings(),
    channelSettings,
    routes: (env) => built(env).routes,
  };
}

/** As in `/health`: names, never a value of a variable. */
function statusRecord({ error, ...status }: PluginStatus, health: JsonObject | undefined): JsonObject {
  return {
    ...status,
    excluded: status.excluded.map((one) => ({ ...one })),
    ...(error === undefined ? {} : { error: { ...error, message: describeBootError(error) } }),
    ...(health === undefined ? {} : { health }),
  };
}

/** Names a missing variable; anything else concerns the oracle's own code. */
function bootProblems({ error }: PluginStatus): readonly ConfigProblem[] {
  if (error === undefined) return [];
  const message = describeBootError(error);
  const variables = error.code === "boot.plugin.env_missing" && error.names.length > 0 ? error.names : ["plugins"];
  return variables.map((variable) => ({ variable, message }));
}

/** Untyped options may contain anything: unreadable options are a boot error too, so that `/health` works. */
function build(env: Env, options: OracleSurfaceOptions, platform: OraclePlatform) {
  const logger = createLogger({ surface: "oracle" }, withoutSecretsOf(env));
  try {
    return assemble(env, options, platform, logger);
  } catch (thrown) {
    logger.error("plugin-boot-failed", { plugin: UNKNOWN_PLUGIN, reason: describeThrown(thrown) });
    return assemble(env, { config: { name: UNKNOWN_PLUGIN } }, platform, logger, unreadableOptions(thrown));
  }
}

function assemble(
  env: Env,
  options: OracleSurfaceOptions,
  platform: OraclePlatform,
  logger: Logger,
  unreadable?: BootError,
) {
  const { config, document, hooks = {} } = options;
  const { clock } = platform;
  const onError = guardedOnError(hooks, logger);
  const oracleParts = createOracleParts(env);
  const booted =
    unreadable === undefined
      ? bootPlugins(env, {
          features: options.features,
          manifestOverrides: options.manifestOverrides,
          otherOwnerOf: options.otherOwnerOf,
          plugins: options.plugins ?? [],
          identity: identityOf(config),
          oracleParts,
          builtIn: reservedRoutes,
          tryEdge,
          logger,
          onError,
        })
      : bootFailedWith(unreadable);
  const { status, plugins, edges } = booted;
  tellChanges(booted, hooks, logger);
  logExcluded(env, status, options.plugins ?? [], logger);
  const { authExcludedRoutes = [] } = options;
  const pluginRoutes = edges.flatMap((edge) => {
    // A plugin opens only its own routes.
    const openRoutes = [...authExcludedRoutes, ...edge.openRoutes];
    return edge.routes.map((declared) => pluginRouteOf(declared, edge, { excluded: openRoutes, clock, onError }));
  });
  const pluginPaths = new TrieRouter<true>();
  for (const { declaration } of pluginRoutes) pluginPaths.add("GET", declaration.path, true);

  let ready: OracleRuntime | undefined;
  let settings: OracleSettings | undefined;

  // Only the value is cached, not the promise: the promise of a cancelled request would never settle for other
  // requests.
  async function runtime(): Promise<Result<OracleRuntime>> {
    if (status.error !== undefined) {
      const message = env.ENVIRONMENT === "development" ? describeBootError(status.error) : status.error.code;
      return fail("internal", message, { reason: "misconfigured" });
    }
    if (ready !== undefined) return success(ready);
    const isRevoked = (did: string, cid: string): Promise<boolean> => userVault(env, did).isDelegationRevoked(cid);
    const { fetch } = platform;
    const created = await createRuntime({ env, name: config.name, document, isRevoked, fetch, clock });
    if (created.ok) {
      ready = created.value;
      if (ready.config.usesDevelopmentKey) logger.warn("development-key-used", { variable: "ORACLE_SIGNING_SEED" });
    }
    return created;
  }

  async function sessionSettings(): Promise<OracleSettings> {
    const created = await runtime();
    if (!created.ok) throw new Error(created.error.message);
    const { resolveModel } = hooks;
    settings ??= createSessionSettings({
      fetch: platform.fetch,
      clock,
      env,
      runtime: created.value,
      profile: config,
      plugins,
      oracleParts,
      onError,
      ...(resolveModel === undefined ? {} : { resolveModel: (id) => resolveModel(id, env) }),
    });
    return settings;
  }

  /** Undefined while the configuration is invalid. */
  async function outsideParts(waitUntil: OutsideParts["waitUntil"]): Promise<OutsideParts | undefined> {
    const ready = await runtime();
    const requestId = crypto.randomUUID();
    const log = createLogger({ surface: "oracle", requestId }, withoutSecretsOf(env));
    if (ready.ok) return { env, runtime: ready.value, clock, requestId, logger: log, waitUntil, onError };
    log.error("oracle-not-ready", { reason: ready.error.message });
    return undefined;
  }

  async function users(waitUntil: OutsideParts["waitUntil"]): Promise<OracleUsers | undefined> {
    const outside = await outsideParts(waitUntil);
    return outside === undefined ? undefined : oracleUsers({ plugins: edges, outside });
  }

  async function scheduled(context: Pick<ExecutionContext, "waitUntil">, scheduledTime: number): Promise<void> {
    const outside = await outsideParts((work) => context.waitUntil(work));
    if (outside === undefined) return;
    const { logger: log } = outside;
    const contextOf = (edge: PluginEdge): ScheduleContext => ({ ...outsideContext(edge, outside), scheduledTime });
    await Promise.all([
      continueErasures({ plugins: edges, outside }),
      ...(edges.some(hasSchedule) ? [runSchedules(edges, { contextOf, logger: log, onError })] : []),
    ]);
  }

  return {
    status,
    health: () => pluginHealth(edges, { env, logger, onError }),
    scheduled,
    users,
    runtime,
    sessionSettings,
    router: createRouter({ runtime, pluginRoutes, edges, clock, onError }),
    routes: [...ownRoutes, ...pluginRoutes],
    hasPluginRoute: (path: string) => pluginRoutes.length > 0 && pluginPaths.match("GET", path)[0].length > 0,
  };
}

/** A route as an author without types may have written it. */
type Unchecked = { readonly [Member in "method" | "path" | "handler"]?: unknown };

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Throws for a route or middleware that would make the router fail: without this check, no route would work. */
function tryEdge(edge: PluginEdge): void {
  const app = new Hono<OracleHono>();
  for (const declared of edge.routes) {
    const { method, path, handler }: Unchecked = declared;
    if (typeof method !== "string" || !METHODS.includes(method.toLowerCase()))
      throw new TypeError("a route has an unknown method");
    if (typeof path !== "string" || !isReachable(path))
      throw new TypeError(`no request matches the path ${JSON.stringify(path)} of a route`);
    if (typeof handler !== "function") throw new TypeError("a route has no handler");
    const { params, query, body, responses = {} } = declared;
    const schemas: unknown[] = [params, query, body, ...Object.values(responses).map(({ schema }) => schema)];
    if (schemas.some((schema) => schema !== undefined && !(schema instanceof z.ZodType)))
      throw new TypeError("a route has a schema that zod does not know");
    pluginRouteOf(declared, edge, { excluded: edge.openRoutes, clock: () => 0, onError: () => undefined }).mount(app);
  }
  for (const { path, method = "" } of edge.openRoutes as readonly Unchecked[])
    if (typeof path !== "string" || typeof method !== "string")
      throw new TypeError("getAuthExcludedRoutes returns a pattern without a path");
  if (edge.middlewares.some((middleware) => typeof middleware !== "function"))
    throw new TypeError("a middleware is not a function");
}

function identityOf({ name, org, description }: OracleSurfaceOptions["config"]) {
  return {
    name,
    ...(org === undefined ? {} : { org }),
    ...(description === undefined ? {} : { description }),
  };
}

/** The author's own hooks never take the oracle down. */
function guardedOnError({ onError }: OracleHooks, logger: Logger): (error: unknown, source: ErrorSource) => void {
  return (error, source) => {
    try {
      onError?.(error, source);
    } catch {
      logger.error("hook-failed", { hook: "onError" });
    }
  };
}

/**
 * Logs the plugins that are off for reasons other than the author's choice and that were not logged before. A plugin
 * that is off because nothing configures it is logged as information, not as a warning.
 */
function logExcluded(
  env: Env,
  { excluded, error }: PluginStatus,
  plugins: readonly PluginDefinition[],
  logger: Logger,
) {
  if (error !== undefined) return;
  for (const { plugin, reason, missing = [] } of excluded) {
    if (reason === "disabled" || reason === "failed") continue;
    const definition = plugins.find(({ name }) => name === plugin);
    const isOptional = definition?.autoDetect?.(env) === false || definition?.isWanted?.(env) === false;
    if (isOptional) logger.info("plugin-off", { plugin, reason, missing });
    else logger.warn("plugin-off", { plugin, reason, missing });
  }
}

function tellChanges({ status }: Boot, { onPluginStatusChange }: OracleHooks, logger: Logger): void {
  if (onPluginStatusChange === undefined) return;
  const from = "registered";
  const changes = [
    ...status.loaded.map((plugin) => ({ plugin, from, to: "loaded" }) as const),
    ...status.excluded.map(({ plugin, reason }) => ({ plugin, from, to: "excluded", reason }) as const),
  ];
  for (const change of changes) {
    try {
      onPluginStatusChange(change);
    } catch {
      logger.error("hook-failed", { hook: "onPluginStatusChange" });
    }
  }
}
