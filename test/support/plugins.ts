/** Plugins and tools as small as a test needs them. */
import * as z from "zod";
import type { OraclePlugin, PluginTool } from "../../durable-objects/chat-session/plugin.ts";
import type { JsonValue } from "../../workers/platform/json.ts";

export function plugin(name: string, parts: Partial<OraclePlugin>): OraclePlugin {
  return { name, ...parts };
}

/** A tool that takes any object. */
export function tool(name: string, handler: PluginTool["handler"]): PluginTool {
  return { name, description: `does ${name}`, schema: z.looseObject({}), handler };
}

/** A plugin of one tool that always gives the same. */
export function toolPlugin(name: string, output: JsonValue): OraclePlugin {
  return plugin(`plugin-${name}`, { getTools: () => [tool(name, async () => output)] });
}
