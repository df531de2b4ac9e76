/**
 * What a plugin is to an oracle: one object of a name, a manifest and hooks. Its routes are mounted by the oracle's app,
 * the rest runs in the chat session. A plugin that throws loses its own part; the turn continues without it.
 */
import type * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import type { RequestAdmission } from "./admission.ts";
import type { PluginContext, RequestContext, RuntimeContext, ScheduleContext } from "./context.ts";
import type { EndedTurn, EndedTurnContext, SessionTitle } from "./ended-turn.ts";
import type { AgentMiddleware } from "./middleware.ts";
import type { PluginRoute, RouteMiddleware, RoutePattern } from "./plugin-routes.ts";
import type { AgentTool, PluginTool, Visibility } from "./tools.ts";
import type { Shareable } from "./shared-state.ts";
import type { PluginSubAgent } from "./sub-agents.ts";

/** The plugin as the model reads about it. */
export interface PluginManifest {
  readonly title: string;
  /** One line. */
  readonly summary: string;
  /** Not empty, unless the plugin is silent. */
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
  /** `on-demand` when left out. */
  readonly visibility?: Visibility;
  readonly stability?: "experimental" | "beta" | "stable";
}

export interface ManifestExample {
  /** What a user might write. */
  readonly user: string;
  readonly thought?: string;
  /** The tool to call, and with what. */
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What a turn may have that a plugin is for. */
export const turnParts = ["attachments", "browser-tools", "actions"] as const;
export type TurnPart = (typeof turnParts)[number];

/** A plugin as a class; `defineOraclePlugin` makes one of a plain object. Hooks may be asynchronous. */
export abstract class OraclePlugin<Config = unknown, State extends Shareable = Shareable> {
  /** Unique in its oracle; `features` and `/health` name the plugin by it. */
  abstract readonly name: string;
  abstract readonly version: string;
  abstract readonly manifest: PluginManifest;
  /** Plugins without which this one is off. */
  declare readonly dependsOn?: readonly string[];
  /** Plugins that this one uses when they are on. */
  declare readonly softDependsOn?: readonly string[];
  /** Bindings without which this one is off: `blobs` is the R2 bucket `BLOBS`, `database` the D1 database `DATABASE`. */
  declare readonly requires?: readonly ("blobs" | "database")[];
  /** Reads the plugin's settings from the environment into `ctx.config`. A plugin whose settings it refuses is off. */
  declare readonly configSchema?: z.ZodType<Config>;
  /**
   * Tools that are the same in every turn. They are known at boot, so two of one name do not go unnoticed; `getTools` adds
   * those that depend on the turn.
   */
  declare readonly tools?: readonly PluginTool[];
  /** What `autoDetect` or `isWanted` looks for, in words for the operator, such as the name of a variable. */
  declare readonly autoDetectHint?: string;

  /** Whether the environment has what the plugin needs. Without it, a plugin is on. */
  autoDetect?(env: Env): boolean;
  /**
   * Whether a plugin that could run shall run without being asked for: where it returns false, only `features` turns the
   * plugin on. Without it, a plugin that can run does.
   */
  isWanted?(env: Env): boolean;
  /**
   * Asked before a turn is accepted: `admit()` lets the message in, `refuse(code, message)` becomes the HTTP status of the
   * request, before the first byte of a stream. Anything else is a mistake that admits nobody.
   */
  getRequestAdmission?(ctx: RequestContext<Config>): Promise<RequestAdmission> | RequestAdmission;
  /**
   * The turns whose hooks are called: those that have one of these; all turns without it. `attachments`: of the message, or of an
   * earlier one that the model is given. `browser-tools`, `actions`: what the request brought.
   */
  readonly turnsWith?: readonly TurnPart[];
  /** Loaded at the start of each turn, before everything else: what the plugin adds to the prompt and shares in `ctx.state`. */
  getSharedState?(ctx: RuntimeContext<Config>): Promise<State> | State;
  getTools?(ctx: RuntimeContext<Config, State>): Promise<readonly PluginTool[]> | readonly PluginTool[];
  /** Tools of this one request. Where names clash, those of `getTools` stay. */
  getRequestTools?(ctx: RuntimeContext<Config, State>): Promise<readonly AgentTool[]> | readonly AgentTool[];
  getSubAgents?(ctx: RuntimeContext<Config, State>): Promise<readonly PluginSubAgent[]> | readonly PluginSubAgent[];
  getRequestSubAgents?(
    ctx: RuntimeContext<Config, State>,
  ): Promise<readonly PluginSubAgent[]> | readonly PluginSubAgent[];
  getMiddlewares?(ctx: RuntimeContext<Config, State>): Promise<readonly AgentMiddleware[]> | readonly AgentMiddleware[];
  /**
   * Called when a turn has ended, however it ended: also when it was aborted, when its process was killed, when its session was
   * deleted, and when it was refused after this plugin had admitted it. Called again, with growing pauses for 7 days, until it
   * returns; so it must do the same when it is called twice for one `runId`. Nothing waits for it.
   */
  afterTurn?(turn: EndedTurn, ctx: EndedTurnContext<Config>): Promise<void> | void;
  /** The clients (`ctx.session.client`) whose turns `afterTurn` is called for; without it those of all. */
  readonly afterTurnClients?: readonly string[];
  /**
   * Asked before a model is asked for the title of a session, with the most that it may use: anything but true leaves the title to
   * a rule, without a model. Titles pass through no middleware.
   */
  coversTitle?(title: SessionTitle, ctx: EndedTurnContext<Config>): Promise<boolean> | boolean;
  /**
   * What a title used; no usage when no model was asked for it. Called as `afterTurn` is, so with the same title again
   * until it returns. A title whose use is not known after a minute used the most.
   */
  afterTitle?(title: SessionTitle, ctx: EndedTurnContext<Config>): Promise<void> | void;
  /** Called every minute, if the Worker has a cron trigger, and cut after 30 seconds. It does its work in small parts. */
  onSchedule?(ctx: ScheduleContext<Config>): Promise<void> | void;
  /** What `GET /health` shows of the plugin, such as a service that does not answer; cut after a second. No secrets. */
  getHealth?(ctx: PluginContext<Config>): Promise<JsonObject> | JsonObject;
  getRoutes?(ctx: PluginContext<Config>): readonly PluginRoute[];
  /** Around the oracle's own routes and those of plugins, once the caller is known. */
  getRouteMiddlewares?(ctx: PluginContext<Config>): readonly RouteMiddleware[];
  /** Routes that need no caller; the same as `public: true` on the route. */
  getAuthExcludedRoutes?(): readonly RoutePattern[];
}

/** What an oracle is given: a plain object with the members of `OraclePlugin`, or an instance of it. */
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
