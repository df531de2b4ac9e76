/** The hooks of a plugin that a turn calls. They are known at boot, so plugins without such hooks cost turns nothing. */
import type { PluginDefinition } from "./plugin.ts";

const TURN_HOOKS = [
  "getSharedState",
  "tools",
  "getTools",
  "getRequestTools",
  "getSubAgents",
  "getRequestSubAgents",
  "getMiddlewares",
] as const satisfies readonly (keyof PluginDefinition)[];
export type TurnHook = (typeof TURN_HOOKS)[number];

export function turnHooksOf(plugin: PluginDefinition): readonly TurnHook[] {
  return TURN_HOOKS.filter((hook) => plugin[hook] !== undefined);
}
