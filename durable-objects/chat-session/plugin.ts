/**
 * What a plugin may add to an oracle and what it may reach while a turn runs (contract/oracle.md sections 10.1, 10.2).
 * Plugins are injected into `defineChatSession` (their tools) and into the oracle's app (their routes).
 */
import type * as z from "zod";
import type { JsonObject, JsonValue } from "../../workers/platform/json.ts";
import type { Logger } from "../../workers/platform/log.ts";
import type { Result } from "../../workers/platform/result.ts";
import type { PluginEvents, RoomEventName, ServerPayload } from "../../protocol/socket-events.ts";
import type { ClientTool } from "../../protocol/requests.ts";

export interface PluginManifest {
  readonly title: string;
  readonly summary: string;
  readonly whenToUse: readonly string[];
  readonly whenNotToUse: readonly string[];
  readonly examples: readonly { user: string; thought: string; tool: string; args: JsonObject }[];
  readonly tags: readonly string[];
  readonly category: string;
  readonly visibility: "always" | "on-demand" | "silent";
  readonly stability: "experimental" | "beta" | "stable";
}

interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType | JsonObject;
}

/** A tool for the model. `execute` answers with the output; a thrown error fails this one call, not the turn. */
export interface PluginTool extends ToolDescription {
  execute(input: unknown, call: ToolCallContext): Promise<JsonValue>;
}

/** Where a tool of the client's runs: as a function of the page, or as an AG-UI action of the application. */
export type ClientSide = "browser" | "action";

/** A tool that one request brings and its client runs; the session carries the call there and the result back. */
export interface RequestTool extends ToolDescription {
  readonly runsIn: ClientSide;
  readonly inputSchema: JsonObject;
  /** What is wrong with a call's arguments, in words for the model; nothing when they fit. */
  misfitOf(input: JsonValue): string | undefined;
}

export type AgentTool = PluginTool | RequestTool;

export interface ToolCallContext {
  readonly toolCallId: string;
  readonly signal: AbortSignal;
}

/** Sends an event to every socket of the session. */
export type PublishToRoom = <Name extends RoomEventName>(name: Name, payload: ServerPayload<Name>) => void;

/** What a turn is made of, for the plugins that take part in it. */
export interface RunContext {
  readonly user: { readonly did: string; readonly timezone?: string; readonly currentTime: string };
  readonly session: {
    readonly id: string;
    readonly client: string;
    readonly requestId: string;
    readonly runId: string;
  };
  readonly oracleDid: string;
  readonly request: {
    readonly tools: readonly ClientTool[];
    readonly agActions: readonly ClientTool[];
    readonly answerStyle?: string;
  };
  readonly ucan: RunAuthority;
  /** Tells the user, once, of something that does not end the turn. `detail` is one word for machines. */
  notice(message: string, detail: string): void;
  /** Sends an event to every socket of the session, in the form that its clients know (contract/oracle.md section 8.3). */
  emit<Name extends RoomEventName>(name: Name, payload: PluginEvents[Name]): void;
  readonly logger: Logger;
}

/** The user's delegation, as far as the turn may use it. Asking for a missing one prompts the user to re-authorise. */
export interface RunAuthority {
  hasCapability(can: string, resource: string): Promise<boolean>;
  /** A fault whose message tells the model that permission is missing, after the prompt of section 2.7. */
  requireCapability(can: string, resource: string): Promise<Result<null>>;
  /** Mints an invocation for another service at `origin` from the user's delegation. */
  mintInvocation(origin: string, capability: { readonly can: string; readonly with: string }): Promise<Result<string>>;
}

/** A part of the prompt and of the agent's state that is loaded before the agent is built. */
export interface AgentState {
  /** A prompt section, with its heading; empty when there is nothing to say. */
  readonly promptSection?: string;
  /** Replaces the oracle's own name in the opening line. */
  readonly agentName?: string;
}

export interface OraclePlugin {
  readonly name: string;
  readonly version: string;
  readonly manifest: PluginManifest;
  readonly dependsOn?: readonly string[];
  readonly softDependsOn?: readonly string[];
  readonly configSchema?: z.ZodType;
  /** Whether the environment holds what the plugin needs; without it the plugin is on. */
  autoDetect?(env: Env): boolean;
  /** Loaded afresh at the start of every turn, so that it applies from a session's first turn. */
  getSharedState?(env: Env, context: RunContext): Promise<AgentState>;
  getTools?(env: Env, context: RunContext): readonly PluginTool[];
  /** Tools of this one request. Where names clash, those of `getTools` stay. */
  getRequestTools?(env: Env, context: RunContext): readonly RequestTool[];
}
