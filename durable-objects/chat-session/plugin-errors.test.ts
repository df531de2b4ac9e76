/**
 * `hooks.onError` of the oracle's author: receives the errors that plugins throw in a turn, each with the name of its
 * plugin.
 */
import { expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn } from "../../test/support/oracle/chat-turns.ts";
import { follow, received, start } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";

const broken = (): never => {
  throw new Error("broken");
};

async function open(parts: Partial<PluginDefinition>, ...steps: readonly (readonly Beat[])[]) {
  const errors: unknown[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const onError = (error: unknown, source: string) => void errors.push([String(error), source]);
  const plugins = [plugin("good", {}), plugin("bad", parts)];
  const session = await startSession({ settings: { models: chatModels(model), plugins, onError } });
  return { session, model, errors };
}

const call = (name: string): Beat => ({ call: name, input: { task: "go" } });
const agent = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: true };

test.each<[string, Partial<PluginDefinition>, readonly (readonly Beat[])[], string?]>([
  ["getSharedState", { getSharedState: broken }, [["Done."]]],
  ["getTools", { getTools: broken }, [["Done."]]],
  [
    "a tool with an invalid description",
    { getTools: () => [{ ...tool("?", broken), name: "not a name" }] },
    [["Done."]],
    "TypeError: the name is not 1 to 64 letters, digits, dashes and underscores",
  ],
  ["a tool", { getTools: () => [tool("break", broken)] }, [[call("break")], ["Done."]]],
  ["middleware", { getMiddlewares: () => [{ name: "m", beforeModel: broken }] }, [["Done."]]],
  [
    "a tool of a sub-agent",
    { getSubAgents: () => [{ ...agent, tools: [tool("break", broken)] }] },
    [[call("call_helper")], [call("break")], ["Helped."], ["Done."]],
  ],
  [
    "middleware of a sub-agent",
    { getSubAgents: () => [{ ...agent, middlewares: [{ name: "m", afterModel: broken }] }] },
    [[call("call_helper")], ["Helped."], ["Done."]],
  ],
  [
    "onComplete of a sub-agent",
    { getSubAgents: () => [{ ...agent, onComplete: broken }] },
    [[call("call_helper")], ["Helped."], ["Done."]],
  ],
  [
    "work after the turn",
    {
      getTools(ctx) {
        ctx.onTurnEnd(broken);
        return [];
      },
    },
    [["Done."]],
  ],
  [
    "work in the background",
    {
      getTools(ctx) {
        ctx.background(Promise.reject(new Error("broken")));
        return [];
      },
    },
    [["Done."]],
  ],
])("reports %s once, and the turn continues [OR-206]", async (_, parts, steps, reason = "Error: broken") => {
  const { session, errors } = await open(parts, ...steps);
  const frames = await follow(session, await start(session, "go"));
  await session.settled();
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  expect(errors).toEqual([[reason, "plugin:bad"]]);
});

test("reports an approval rule, and the user is asked [OR-206]", async () => {
  const rule = { ...tool("pay", () => "paid"), needsApproval: broken };
  const { session, errors } = await open({ getTools: () => [rule] }, [call("pay")]);
  await received(session, await start(session, "go"), ({ event }) => event === "action_call");
  expect(errors).toEqual([["Error: broken", "plugin:bad"]]);
});

test("does not report errors caused by stopping a turn [OR-206]", async () => {
  const began = createGate();
  const { session, errors } = await open({
    getTools() {
      began.open();
      return new Promise(() => undefined);
    },
  });
  const run = session.core.completeRun(OWNER, turn("go"));
  await began.opened;
  await session.core.abort(OWNER);
  await run;
  await session.settled();
  expect(errors).toEqual([]);
});
