/** Plugins that call the client's tools: `ctx.callBrowserTool` and `ctx.callAction`. */
import { expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { CALL_INPUT_SIZE } from "../../oracle/agent/arguments.ts";
import type { ToolContext } from "../../oracle/framework/tools.ts";
import type { JsonValue } from "../../platform/json.ts";

const declared = (name: string) => ({ name, description: "", schema: {} });

/** A session whose model calls the plugin's tool `work` once; `settled` is the outcome of the plugin's own call. */
async function setUp(work: (ctx: ToolContext) => Promise<JsonValue>) {
  const model = createScriptedModel();
  model.plays([{ call: "work", input: {} }], ["Done."]);
  const settled: { value?: JsonValue; error?: string }[] = [];
  const works = plugin("works", {
    getTools: () => [
      tool("work", async (_, ctx) => {
        try {
          settled.push({ value: await work(ctx) });
        } catch (thrown) {
          settled.push({ error: (thrown as Error).message });
        }
        return "worked";
      }),
    ],
  });
  const session = await startSession({ settings: { models: chatModels(model), plugins: [works] } });
  const begin = async () => {
    const request = turn("go", { tools: [declared("pageTitle")], agActions: [declared("open_map")] });
    return readFrames(valueOf(await session.core.startRun(OWNER, request)).frames);
  };
  return { session, settled, begin };
}

test("resolves with the client's result; the call has its own id and no card in the stream [OR-190]", async () => {
  const { session, settled, begin } = await setUp((ctx) => ctx.callBrowserTool("pageTitle", { of: "this" }));
  const tab = await session.tabs.connect();
  const frames = await begin();
  await session.tabs.whenWritten(1);
  const [written] = session.tabs.written;
  if (written === undefined) throw new Error("nothing was written");
  expect(written.call).toMatchObject({ kind: "browser", name: "pageTitle", args: { of: "this" } });
  expect(written.call.toolCallId).toMatch(/^bt_[0-9a-f-]{36}:[0-9a-f-]{36}$/);
  tab.answer(written.call, { title: "Stoves" });
  const cards = (await frames.rest()).filter(({ event }) => event.endsWith("_call"));
  expect(cards.map(({ data }) => data["toolName"])).toEqual(["work", "work"]);
  expect(settled).toEqual([{ value: { title: "Stoves" } }]);
});

test("rejects with the client's message; an action's failure is in its result [OR-190, OR-103]", async () => {
  const { session, settled, begin } = await setUp((ctx) => ctx.callAction("open_map", {}));
  const tab = await session.tabs.connect();
  const frames = await begin();
  await session.tabs.whenWritten(1);
  for (const { call } of session.tabs.written) tab.answer(call, { success: false, error: "no room" });
  await frames.rest();
  expect(settled).toEqual([{ error: "no room" }]);
});

test("resolves with an unknown outcome if it was sent and not answered [OR-190, OR-187]", async () => {
  const { session, settled, begin } = await setUp((ctx) => ctx.callAction("open_map", {}));
  await session.tabs.connect();
  const frames = await begin();
  await session.tabs.whenWritten(1);
  session.clock.advance(15_000);
  session.core.watch();
  await frames.rest();
  expect(settled).toMatchObject([{ value: { code: "FRONTEND_OUTCOME_UNKNOWN", outcome: "unknown" } }]);
});

test("calls only a tool that this request declared, by its kind [OR-190]", async () => {
  for (const work of [
    (ctx: ToolContext) => ctx.callBrowserTool("open_map", {}),
    (ctx: ToolContext) => ctx.callAction("pageTitle", {}),
  ]) {
    const { session, settled, begin } = await setUp(work);
    await session.tabs.connect();
    await (await begin()).rest();
    expect(settled).toEqual([
      { error: expect.stringMatching(/^This request declared no (?:browser tool|action) named/) },
    ]);
    expect(session.tabs.written).toEqual([]);
  }
});

test("limits its arguments like any call's [OR-144, OR-190]", async () => {
  const args = { text: "x".repeat(CALL_INPUT_SIZE) };
  const { session, settled, begin } = await setUp((ctx) => ctx.callBrowserTool("pageTitle", args));
  await session.tabs.connect();
  await (await begin()).rest();
  expect(settled).toEqual([{ error: "The arguments are too large: pageTitle" }]);
  expect(session.tabs.written).toEqual([]);
});

test("an abort rejects it at once, and nothing is sent afterwards [OR-190]", async () => {
  let context: ToolContext | undefined;
  const { session, settled, begin } = await setUp((ctx) => {
    context = ctx;
    return ctx.callBrowserTool("pageTitle", {});
  });
  await session.tabs.connect();
  const frames = await begin();
  await session.tabs.whenWritten(1);
  valueOf(await session.core.abort(OWNER));
  await frames.rest();
  expect(settled).toEqual([{ error: "The turn has ended" }]);
  await expect(context?.callBrowserTool("pageTitle", {})).rejects.toThrow("The turn has ended");
  expect(session.tabs.written).toHaveLength(1);
});

test("keeps its object in memory while it waits: only the handler can continue with the result [OR-190]", async () => {
  const { session, begin } = await setUp((ctx) => ctx.callBrowserTool("pageTitle", {}));
  const tab = await session.tabs.connect();
  const frames = await begin();
  await session.tabs.whenWritten(1);
  let isIdle = false;
  const idle = (async () => {
    await session.settled();
    isIdle = true;
  })();
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
  expect(isIdle).toBe(false);
  for (const { call } of session.tabs.written) tab.answer(call, null);
  await frames.rest();
  await idle;
});
