/** A session whose model calls a tool as often as a test says, and the results as the model reads them. */
import { chatModels, chatSettings } from "./chat-settings.ts";
import { transcript } from "./lost-runs.ts";
import { plugin, tool } from "../plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "./session-in-node.ts";
import type { Effect } from "../../../oracle/framework/tools.ts";
import type { JsonObject } from "../../../platform/json.ts";
import type { RunLimits } from "../../../oracle/settings.ts";

export async function setUp(steps: readonly (readonly Beat[])[], limits: Partial<RunLimits> = {}) {
  const made: string[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const declared = (name: string, effect: Effect) => ({
    ...tool(name, (args) => {
      made.push(name);
      if ((args as { fails?: boolean }).fails === true) throw new Error("no");
      return made.length;
    }),
    effect,
  });
  const plugins = [plugin("tools", { getTools: () => [declared("look", "read"), declared("pay", "write")] })];
  const settings = { models: chatModels(model), plugins, limits: { ...chatSettings().limits, ...limits } };
  return { session: await startSession({ settings }), model, made };
}

type Session = Awaited<ReturnType<typeof setUp>>["session"];

export const calls = (
  name: string,
  count: number,
  input: (index: number) => JsonObject = (index) => ({ index }),
): Beat[] => Array.from({ length: count }, (_, index) => ({ call: name, input: input(index) }));

export async function errorsOf(session: Session) {
  const [, answer] = await transcript(session);
  return (answer?.toolCalls ?? []).map(({ error }) => error);
}
