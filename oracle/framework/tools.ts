/** What the model can call: tools of plugins, tools that the client runs, and sub-agents. */
import type * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import type { RuntimeContext } from "./context.ts";

/** Whether a call only looks, or may change something. A write is never made twice, whatever happens. */
export type Effect = "read" | "write";

interface ToolDescription {
  /** 1 to 64 letters, digits, dashes and underscores. */
  readonly name: string;
  readonly description: string;
  /** Of an object. A zod schema checks the arguments and gives them their type; a JSON Schema only guides the model. */
  readonly schema: z.ZodType | JsonObject;
}

/** Thrown by a handler: its message is what the model reads in place of an output. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A tool for the model. What its handler throws fails this one call, not the turn: of anything but a `ToolError` only the log has the text. */
export interface PluginTool extends ToolDescription {
  /** `write` when left out. */
  readonly effect?: Effect;
  /**
   * Whether the user has to approve a call before it is made. `"foreign-text"`: in a turn that `holdsForeignText`. Use it for a tool
   * whose effect outlives the conversation, because text from outside may hold a prompt injection.
   */
  readonly needsApproval?: boolean | "foreign-text" | ((args: unknown, ctx: ToolContext) => boolean | Promise<boolean>);
  /**
   * Its results hold text that the user did not write, such as a web page or a record of other people. After a call the turn
   * `holdsForeignText`, as do later turns while the model reads that result.
   */
  readonly foreign?: boolean;
  /** That of its plugin when left out. */
  readonly visibility?: Visibility;
  /** Returns the output: anything that JSON can hold. */
  handler(args: unknown, ctx: ToolContext): unknown;
}

/** The turn, and the call. */
export interface ToolContext extends RuntimeContext {
  /** The same when a lost read is made once more: fit for an idempotency key. */
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

/** A tool that one request brings and its client runs; the session sends the call there and receives the result. */
export interface ClientSideTool extends ToolDescription {
  readonly runsIn: ClientSide;
  readonly schema: JsonObject;
}

export type AgentTool = PluginTool | ClientSideTool;

/**
 * How the model meets a plugin's tools. `always`: in every request. `on-demand`: listed by `list_capabilities` and there
 * once `load_capability` was called in the session. `silent`: never; the plugin has middleware, routes or state only.
 */
export type Visibility = "always" | "on-demand" | "silent";
