/** A tool bound to the context of its plugin, as the agent offers and calls it. */
import type { PluginDefinition } from "../framework/plugin.ts";
import type { ClientSideTool, PluginTool, Visibility } from "../framework/tools.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Report } from "./hooks.ts";

/** Whether a call with these arguments needs the user's approval. */
export type ApprovalRule = (args: unknown, toolCallId: string) => boolean | Promise<boolean>;

export interface ContributedTool {
  readonly tool: BoundTool;
  readonly plugin: PluginDefinition;
  /** Never `silent`: silent tools are omitted. */
  readonly visibility: Exclude<Visibility, "silent">;
}

/** A plugin's tool with the context of its plugin. */
export interface OwnTool extends Omit<PluginTool, "handler" | "needsApproval"> {
  /** Undefined when no call needs approval. */
  readonly needsApproval?: ApprovalRule | undefined;
  /** Undefined for a built-in tool. */
  readonly report?: Report;
  readonly inputSchema: JsonObject;
  /** The tool runs a sub-agent. */
  readonly runsAgent?: true;
  call(args: unknown, toolCallId: string): unknown;
}

export type BoundTool = OwnTool | (ClientSideTool & { readonly inputSchema: JsonObject });

/** The tools of an agent. */
export interface Toolbox {
  /** The tools offered now. Returns the same array until they change. */
  offered(): readonly BoundTool[];
  /** The tool, or a text for the model that explains why it cannot be called. */
  find(name: string): BoundTool | { readonly problem: string };
}
