/** Tools that the model can call: plugins' tools, tools that the client runs, and sub-agents. */
import type * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import type { RuntimeContext } from "./context.ts";

/** Whether a call only reads, or may change something. A write is never repeated, whatever happens. */
export type Effect = "read" | "write";

interface ToolDescription {
  /** 1 to 64 letters, digits, dashes and underscores. */
  readonly name: string;
  readonly description: string;
  /** An object schema. A zod schema validates and types the arguments; a JSON Schema only guides the model. */
  readonly schema: z.ZodType | JsonObject;
}

/** Thrown by a handler: the model gets its message instead of an output. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/**
 * A tool for the model. An error that its handler throws fails this call, not the turn. Only a `ToolError`'s text reaches the
 * model; other texts appear only in the log.
 */
export interface PluginTool extends ToolDescription {
  /** Defaults to `write`. */
  readonly effect?: Effect;
  /**
   * Whether the user must approve a call before it is made. `"foreign-text"`: in a turn that `holdsForeignText`. Use it for a tool
   * whose effect outlives the conversation, because foreign text may contain a prompt injection.
   */
  readonly needsApproval?: boolean | "foreign-text" | ((args: unknown, ctx: ToolContext) => boolean | Promise<boolean>);
  /**
   * Its results contain text that the user did not write, such as a web page or another person's record. After a call, this turn
   * `holdsForeignText`, and so do later turns while the model reads the result.
   */
  readonly foreign?: boolean;
  /** Defaults to the plugin's visibility. */
  readonly visibility?: Visibility;
  /** Returns the output: any value that JSON can represent. */
  handler(args: unknown, ctx: ToolContext): unknown;
}

/** The context of the turn, with the call. */
export interface ToolContext extends RuntimeContext {
  /** Unchanged when a lost read is retried: usable as an idempotency key. */
  readonly toolCallId: string;
}

export interface ToolOptions<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly effect?: Effect;
  readonly needsApproval?:
    | boolean
    | "foreign-text"
    | ((args: z.output<Schema>, ctx: ToolContext) => boolean | Promise<boolean>);
  readonly foreign?: boolean;
  readonly visibility?: Visibility;
}

/** A tool whose handler gets arguments that its schema has parsed. */
export function tool<Schema extends z.ZodObject>(
  handler: (args: z.output<Schema>, ctx: ToolContext) => unknown,
  options: ToolOptions<Schema>,
): PluginTool {
  return { ...options, handler } as PluginTool;
}

/** Where a client's tool runs: as a function of the page, or as an AG-UI action of the application. */
export type ClientSide = "browser" | "action";

/** A tool from one request, which its client runs; the session sends the call there and receives the result. */
export interface ClientSideTool extends ToolDescription {
  readonly runsIn: ClientSide;
  readonly schema: JsonObject;
}

export type AgentTool = PluginTool | ClientSideTool;

/**
 * How the model gets a plugin's tools. `always`: in every request. `on-demand`: listed by `list_capabilities`, and available after
 * `load_capability` was called in the session. `silent`: never; the plugin has only middleware, routes or state.
 */
export type Visibility = "always" | "on-demand" | "silent";
