/** Plugins and tools as small as a test needs them. */
import * as z from "zod";
import type { OraclePlugin, PluginTool } from "../../durable-objects/chat-session/plugin.ts";
import type { JsonValue } from "../../workers/platform/json.ts";

const manifest: OraclePlugin["manifest"] = {
  title: "Test",
  summary: "For a test",
  whenToUse: ["in tests"],
  whenNotToUse: [],
  examples: [],
  tags: [],
  category: "test",
  visibility: "always",
  stability: "stable",
};

export function plugin(name: string, parts: Partial<OraclePlugin>): OraclePlugin {
  return { name, version: "1.0.0", manifest, ...parts };
}

/** A tool that takes any object. */
export function tool(name: string, execute: PluginTool["execute"]): PluginTool {
  return { name, description: `does ${name}`, inputSchema: z.looseObject({}), execute };
}

/** A plugin of one tool that always gives the same. */
export function toolPlugin(name: string, output: JsonValue): OraclePlugin {
  return plugin(`plugin-${name}`, { getTools: () => [tool(name, async () => output)] });
}
