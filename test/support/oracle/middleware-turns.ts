/** Turns of an agent with one middleware. */
import type { ReadFrame } from "./frame-reader.ts";
import { calling } from "./played-turn.ts";
import { plugin, tool } from "../plugins/small-plugins.ts";
import type { Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import type { AgentMiddleware } from "../../../oracle/framework/middleware.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";

export const around = (...middlewares: AgentMiddleware[]): PluginDefinition =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });

export const asking: readonly (readonly Beat[])[] = [["Let me see.", calling("look")], ["Here it is."]];

export const noticesOf = (frames: readonly ReadFrame[]) =>
  frames.filter(({ event }) => event === "error").map(({ data }) => data);

export function answer(text: string) {
  return { text, toolCalls: [], finishReason: "stop" as const, usage: { inputTokens: 0, outputTokens: 0 } };
}
