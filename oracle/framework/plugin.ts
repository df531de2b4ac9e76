/**
 * A plugin: one object with a name, a manifest and hooks. The oracle's app mounts its routes; the rest runs in the chat session. If
 * a plugin throws, its own contribution is dropped and the turn continues.
 */
import type * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import type { RequestAdmission } from "./admission.ts";
import type { OutsideContext, PluginContext, RequestContext, RuntimeContext, ScheduleContext } from "./context.ts";
import type { KeptData, StoredUserPage } from "./erasure.ts";
import type { EndedTurn, EndedTurnContext, SessionTitle } from "./ended-turn.ts";
import type { AgentMiddleware } from "./middleware.ts";
import type { PluginRoute, RouteMiddleware, RoutePattern } from "./plugin-routes.ts";
import type { AgentTool, PluginTool, Visibility } from "./tools.ts";
import type { Shareable } from "./shared-state.ts";
import type { PluginSubAgent } from "./sub-agents.ts";

/** The plugin's description for the model. */
export interface PluginManifest {
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** At least one, unless the plugin is silent. */
  readonly whenToUse: readonly string[];
  readonly whenNotToUse?: readonly string[];
  readonly examples?: readonly ManifestExample[];
  readonly tags?: readonly string[];
  readonly category?:
    | "data"
    | "communication"
    | "automation"
    | "memory"
    | "integration"
    | "ui"
    | "auth"
    | "observability"
    | "core";
  /** Defaults to `on-demand`. */
  readonly visibility?: Visibility;
  readonly stability?: "experimental" | "beta" | "stable";
}

export interface ManifestExample {
  /** An example of a user's message. */
  readonly user: string;
  readonly thought?: string;
  /** The tool to call, with its arguments. */
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Parts of a turn that a plugin may depend on. */
export const turnParts = ["attachments", "browser-tools", "actions"] as const;
export type TurnPart = (typeof turnParts)[number];

/** A plugin as a class; `defineOraclePlugin` makes a plugin of a plain object. Hooks may be asynchronous. */
export abstract class OraclePlugin<Config = unknown, State extends Shareable = Shareable> {
  /** Unique in its oracle; `features` and `/health` use this name. */
  abstract readonly name: string;
  abstract readonly version: string;
  abstract readonly manifest: PluginManifest;
  /** Required plugins: without them, this one is off. */
  declare readonly dependsOn?: readonly string[];
  /** Plugins that this one uses if they are on. */
  declare readonly softDependsOn?: readonly string[];
  /**
   * Required bindings: without them, this plugin is off. `blobs` is the R2 bucket `BLOBS`, `database` the D1 database `DATABASE`.
   */
  declare readonly requires?: readonly ("blobs" | "database")[];
  /** Parses the plugin's settings from the environment into `ctx.config`. If parsing fails, the plugin is off. */
  declare readonly configSchema?: z.ZodType<Config>;
  /**
   * Tools that are available in every turn. They are known at boot, so duplicate names are detected; `getTools` adds tools that
   * depend on the turn.
   */
  declare readonly tools?: readonly PluginTool[];
  /** The requirement of `autoDetect` or `isWanted`, as a text for the operator, such as the name of a variable. */
  declare readonly autoDetectHint?: string;

  /** Whether the environment has what the plugin needs. Defaults to true. */
  autoDetect?(env: Env): boolean;
  /** Whether an available plugin runs by default. If false, only `features` turns it on. Defaults to true. */
  isWanted?(env: Env): boolean;
  /**
   * Called before a turn is accepted. `admit()` accepts the message; `refuse(code, message)` becomes the HTTP status of the
   * request, before the first byte of a stream. Any other result is a mistake, and refuses the message.
   */
  getRequestAdmission?(ctx: RequestContext<Config>): Promise<RequestAdmission> | RequestAdmission;
  /**
   * Restricts the plugin to turns with one of these parts; by default, its hooks run in all turns. `attachments`: in this message,
   * or in an earlier one that the model gets. `browser-tools`, `actions`: in the request.
   */
  readonly turnsWith?: readonly TurnPart[];
  /** Called first in each turn. Returns what the plugin adds to the prompt and shares in `ctx.state`. */
  getSharedState?(ctx: RuntimeContext<Config>): Promise<State> | State;
  getTools?(ctx: RuntimeContext<Config, State>): Promise<readonly PluginTool[]> | readonly PluginTool[];
  /** Tools of this request only. If names clash, tools of `getTools` win. */
  getRequestTools?(ctx: RuntimeContext<Config, State>): Promise<readonly AgentTool[]> | readonly AgentTool[];
  getSubAgents?(ctx: RuntimeContext<Config, State>): Promise<readonly PluginSubAgent[]> | readonly PluginSubAgent[];
  getRequestSubAgents?(
    ctx: RuntimeContext<Config, State>,
  ): Promise<readonly PluginSubAgent[]> | readonly PluginSubAgent[];
  getMiddlewares?(ctx: RuntimeContext<Config, State>): Promise<readonly AgentMiddleware[]> | readonly AgentMiddleware[];
  /**
   * Called after a turn has ended, for any reason: even if it was aborted, its process was killed, its session was deleted, or it
   * was refused after this plugin had admitted it. Retried with increasing delays for 7 days until it returns, so it must be
   * idempotent per `runId`. Nothing waits for it.
   */
  afterTurn?(turn: EndedTurn, ctx: EndedTurnContext<Config>): Promise<void> | void;
  /** The clients (`ctx.session.client`) whose turns `afterTurn` is called for; all clients by default. */
  readonly afterTurnClients?: readonly string[];
  /**
   * Called before a model writes the title of a session, with its maximum usage. Anything but true leaves the title to a rule,
   * without a model. Titles pass through no middleware.
   */
  coversTitle?(title: SessionTitle, ctx: EndedTurnContext<Config>): Promise<boolean> | boolean;
  /**
   * Called with the usage of a title; with no usage if no model was asked. Retried like `afterTurn`, so the same title may arrive
   * again. If the usage is unknown after a minute, it is reported as the maximum.
   */
  afterTitle?(title: SessionTitle, ctx: EndedTurnContext<Config>): Promise<void> | void;
  /** Called every minute if the Worker has a cron trigger, and aborted after 30 seconds. Do the work in small parts. */
  onSchedule?(ctx: ScheduleContext<Config>): Promise<void> | void;
  /**
   * Called when a user is erased: deletes the data about them that the plugin stores outside of `kv`, `texts` and `blobs`, which the
   * oracle erases afterwards. Returns the data that the plugin must keep, for the receipt. If it throws, the whole erasure is retried,
   * so it must be idempotent.
   */
  userErased?(did: string, ctx: OutsideContext<Config>): Promise<readonly KeptData[]> | readonly KeptData[];
  /**
   * Called after the restore of a backup: a page of the users about whom the plugin stores data outside of `kv`, `texts` and `blobs`,
   * in a stable order after `after`. Users who had been erased are erased again. Leave it out if `userErased` deletes nothing.
   */
  storedUsers?(after: string, ctx: OutsideContext<Config>): Promise<StoredUserPage>;
  /**
   * Called for a user's copy of their data: yields the personal data that the plugin stores, one record at a time. Leave out `texts`,
   * which the oracle adds, and secrets.
   */
  exportUser?(did: string, ctx: OutsideContext<Config>): AsyncIterable<JsonObject>;
  /** The plugin's part of `GET /health`, such as a service that does not answer; aborted after a second. Return no secrets. */
  getHealth?(ctx: PluginContext<Config>): Promise<JsonObject> | JsonObject;
  getRoutes?(ctx: PluginContext<Config>): readonly PluginRoute[];
  /** Middleware around the oracle's and plugins' routes, run after authentication. */
  getRouteMiddlewares?(ctx: PluginContext<Config>): readonly RouteMiddleware[];
  /** Routes that need no authentication, like `public: true` on a route. */
  getAuthExcludedRoutes?(): readonly RoutePattern[];
}

/** The form of plugins that an oracle accepts: a plain object with the members of `OraclePlugin`, or an instance of it. */
export type PluginDefinition<Config = unknown, State extends Shareable = Shareable> = Pick<
  OraclePlugin<Config, State>,
  keyof OraclePlugin<Config, State>
>;

/** A plugin as a plain object, with `ctx.config` typed by its `configSchema` and `ctx.state` by its `getSharedState`. */
export function defineOraclePlugin<Config = unknown, State extends Shareable = Shareable>(
  plugin: PluginDefinition<Config, State>,
): PluginDefinition<Config, State> {
  return plugin;
}
