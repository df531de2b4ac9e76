/** A tool with the context of its plugin, as the agent offers and calls it. */
import type { PluginDefinition } from "../framework/plugin.ts";
import type { ClientSideTool, PluginTool, Visibility } from "../framework/tools.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Report } from "./hooks.ts";

/** Whether the user has to be asked before a call with these arguments. */
export type ApprovalRule = (args: unknown, toolCallId: string) => boolean | Promise<boolean>;

export interface ContributedTool {
  readonly tool: BoundTool;
  readonly plugin: PluginDefinition;
  /** Never `silent`: such a tool is left out. */
  readonly visibility: Exclude<Visibility, "silent">;
}

/** A plugin's tool with the context of its plugin. */
export interface OwnTool extends Omit<PluginTool, "handler" | "needsApproval"> {
  /** Undefined: no call needs one. */
  readonly needsApproval?: ApprovalRule | undefined;
  /** Undefined for a tool of ours. */
  readonly report?: Report;
  readonly inputSchema: JsonObject;
  /** It runs a sub-agent. */
  readonly runsAgent?: true;
  call(args: unknown, toolCallId: string): unknown;
}

export type BoundTool = OwnTool | (ClientSideTool & { readonly inputSchema: JsonObject });

/** The tools of an agent. */
export interface Toolbox {
  /** What the model is offered now; the same list until that changes. */
  offered(): readonly BoundTool[];
  /** The tool, or why it cannot be called, in words for the model. */
  find(name: string): BoundTool | { readonly problem: string };
}
