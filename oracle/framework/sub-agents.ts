/** An agent that a plugin adds, with a task of its own. */
import type { PluginTool } from "./tools.ts";
import type { RuntimeContext } from "./context.ts";
import type { AgentMiddleware } from "./middleware.ts";

/** An agent with a task of its own, which the main agent calls as the tool `call_<name>` with `{task}`. */
export interface PluginSubAgent {
  /** Without the `call_`, which is added unless it is there. */
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string | ((ctx: RuntimeContext) => string);
  readonly tools?: readonly PluginTool[] | ((ctx: RuntimeContext) => readonly PluginTool[]);
  /** The id of a model; the turn's own when left out. */
  readonly model?: string;
  readonly middlewares?: readonly AgentMiddleware[];
  /** Which of its tool calls the client is shown: all, none, or those of these tools. */
  readonly forwardTools: boolean | readonly string[];
  /** Called with the answer, before the main agent gets it. */
  onComplete?(result: string, ctx: RuntimeContext): Promise<void> | void;
}
