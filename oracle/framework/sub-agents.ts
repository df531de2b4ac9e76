/** Sub-agents that a plugin adds. */
import type { PluginTool } from "./tools.ts";
import type { RuntimeContext } from "./context.ts";
import type { AgentMiddleware } from "./middleware.ts";

/** An agent for a separate task, which the main agent calls as the tool `call_<name>` with `{task}`. */
export interface PluginSubAgent {
  /** The prefix `call_` is added if it is missing. */
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string | ((ctx: RuntimeContext) => string);
  readonly tools?: readonly PluginTool[] | ((ctx: RuntimeContext) => readonly PluginTool[]);
  /** The id of a model; defaults to the turn's model. */
  readonly model?: string;
  readonly middlewares?: readonly AgentMiddleware[];
  /** Which of its tool calls clients see: all, none, or those of these tools. */
  readonly forwardTools: boolean | readonly string[];
  /** Called with the answer, before the main agent gets it. */
  onComplete?(result: string, ctx: RuntimeContext): Promise<void> | void;
}
