/**
 * What a plugin is to an oracle: one object. Its routes are mounted by the oracle's app, the rest runs in the chat
 * session. A plugin that throws loses its own part; the run continues without it.
 */
import type * as z from "zod";
import type { ClientTool } from "../../protocol/requests.ts";
import type { PluginEvents, RoomEventName, ServerPayload } from "../../protocol/socket-events.ts";
import type { Caller } from "../../workers/platform/auth/authenticator.ts";
import type { JsonObject, JsonValue } from "../../workers/platform/json.ts";
import type { Logger } from "../../workers/platform/log.ts";
import type { Operation } from "../../workers/platform/openapi.ts";
import type { Result } from "../../workers/platform/result.ts";
import type { Attachment } from "./run-request.ts";

export interface OraclePlugin<Config = unknown, State extends SharedState = SharedState> {
  readonly name: string;
  /** Plugins without which this one is off. */
  readonly dependsOn?: readonly string[];
  /** Plugins that this one uses when they are on. */
  readonly softDependsOn?: readonly string[];
  /** Reads the plugin's settings from the environment into `ctx.config`. A plugin whose settings it refuses is off. */
  readonly configSchema?: z.ZodType<Config>;
  /** Whether the environment has what the plugin needs. Without it, a plugin is on. */
  autoDetect?(env: Env): boolean;
  /** Asked before a run is accepted: a failure becomes the HTTP status of the request, before the first byte of a stream. */
  getRequestAdmission?(context: RequestContext<Config>): Promise<Result<null>>;
  /** Loaded at the start of each run, before its tools: what the plugin adds to the prompt, and what its hooks share. */
  getSharedState?(context: RunContext<Config>): Promise<State>;
  getTools?(context: LoadedContext<Config, State>): Promise<readonly PluginTool[]> | readonly PluginTool[];
  /** Tools of this one request. Where names clash, those of `getTools` stay. */
  getRequestTools?(context: LoadedContext<Config, State>): Promise<readonly AgentTool[]> | readonly AgentTool[];
  getRoutes?(context: PluginContext<Config>): readonly PluginRoute[];
  /** Routes that need no caller. */
  getAuthExcludedRoutes?(): readonly RoutePattern[];
}

/** What every hook is given. */
export interface PluginContext<Config = unknown> {
  readonly env: Env;
  /** The parsed value of the plugin's `configSchema`; undefined without one. */
  readonly config: Config;
}

/** A request that asks for a run. */
export interface RequestContext<Config = unknown> extends PluginContext<Config> {
  readonly user: { readonly did: string; readonly timezone?: string; readonly currentTime: string };
  readonly session: { readonly id: string; readonly client: string; readonly requestId: string };
  readonly oracleDid: string;
  readonly request: {
    readonly message: string;
    readonly attachments: readonly Attachment[];
    readonly tools: readonly ClientTool[];
    readonly agActions: readonly ClientTool[];
    readonly metadata: JsonObject;
    readonly answerStyle?: string;
  };
  readonly logger: Logger;
}

/** A run that has been accepted. */
export interface RunContext<Config = unknown> extends RequestContext<Config> {
  readonly session: RequestContext["session"] & { readonly runId: string };
  readonly ucan: RunAuthority;
  /** Fires when the run has ended, however it ended. */
  readonly abortSignal: AbortSignal;
  /** Notifies the user, once, of something that does not end the run. `detail` is one word for programs. */
  notice(message: string, detail: string): void;
  /** Sends an event to every socket of the session, in the form that its clients know. */
  emit<Name extends RoomEventName>(name: Name, payload: PluginEvents[Name]): void;
  /** Calls `work` after the run has ended, however it ended; nothing waits for it. */
  onTurnEnd(work: () => Promise<void>): void;
}

export interface LoadedContext<Config = unknown, State = SharedState> extends RunContext<Config> {
  /** What the plugin's own `getSharedState` returned; empty when it failed or there is none. */
  readonly state: Partial<State>;
}

export interface SharedState {
  /** A section of the system prompt, with its heading; empty when there is nothing to add. */
  readonly promptSection?: string;
  /** Replaces the oracle's own name in the opening line. */
  readonly agentName?: string;
}

/** The user's delegation, as far as the run may use it. Asking for a missing one prompts the user to re-authorise. */
export interface RunAuthority {
  hasCapability(can: string, resource: string): Promise<boolean>;
  /** A failure whose message says to the model that permission is missing, after the prompt to re-authorise. */
  requireCapability(can: string, resource: string): Promise<Result<null>>;
  /** Mints an invocation for another service at `origin` from the user's delegation. */
  mintInvocation(origin: string, capability: { readonly can: string; readonly with: string }): Promise<Result<string>>;
}

interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** A zod schema checks the arguments and gives them their type; a JSON Schema only guides the model. */
  readonly schema: z.ZodType | JsonObject;
}

/** A tool for the model. The handler returns the output; what it throws fails this one call, not the run. */
export interface PluginTool extends ToolDescription {
  handler(args: unknown, call: ToolCallContext): Promise<JsonValue>;
}

export interface ToolCallContext {
  readonly toolCallId: string;
  readonly abortSignal: AbortSignal;
}

/** Where a client's tool runs: as a function of the page, or as an AG-UI action of the application. */
export type ClientSide = "browser" | "action";

/** A tool that one request brings and its client runs; the session sends the call there and receives the result. */
export interface ClientSideTool extends ToolDescription {
  readonly runsIn: ClientSide;
  readonly schema: JsonObject;
  /** What is wrong with a call's arguments, in words for the model; undefined when they fit. */
  problemOf(args: JsonValue): string | undefined;
}

export type AgentTool = PluginTool | ClientSideTool;

/** Sends an event to every socket of the session. */
export type PublishToRoom = <Name extends RoomEventName>(name: Name, payload: ServerPayload<Name>) => void;

/** Described like every route, so that it shows in the API reference; who may call is decided when it is mounted. */
export interface PluginRoute {
  readonly operation: Omit<Operation, "security">;
  handle(request: PluginRequest): Promise<Response>;
}

/** One request to a plugin's route. */
export interface PluginRequest {
  readonly request: Request;
  readonly env: Env;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** The query as the operation's `query` schema parsed it; empty without one. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as the operation's `body` schema parsed it, at most 16 KiB. Without one, the plugin reads the body itself. */
  readonly body: unknown;
  /** Undefined on a route that is excluded from authentication. */
  readonly caller: Caller | undefined;
  readonly oracleDid: string;
  readonly requestId: string;
  readonly log: Logger;
}

/** A path as routes are declared; `(.*)` at its end covers every path below. Without a method: every method. */
export interface RoutePattern {
  readonly path: string;
  readonly method?: string;
}
