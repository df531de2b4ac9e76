/** Browser tools and actions in a run: offered, called, answered, lost. */
import type { ClientCall } from "../../oracle/runs/client-calls.ts";
import type { RunRequest } from "../../oracle/run-request.ts";
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { eventsOf, readFrames, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import type { Tab } from "../../test/support/oracle/tabs.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import type { ClientTool } from "../../protocol/requests.ts";

const clientTool = (name: string, schema: JsonObject = {}): ClientTool => ({
  name,
  description: `does ${name}`,
  schema,
});
const call = (name: string, input: JsonObject = {}): Beat => ({ call: name, input });

async function setUp(steps: readonly (readonly Beat[])[], plugins: readonly PluginDefinition[] = []) {
  const model = createScriptedModel();
  model.plays(...steps);
  const session = await startSession({ settings: { models: chatModels(model), plugins: [...plugins, portal, agui] } });
  const tab = await session.tabs.connect();
  return { model, session, tab };
}

async function begin(session: SessionInNode, change: Partial<RunRequest>) {
  const started = valueOf(await session.core.startRun(OWNER, turn("go", { requestId: "req-1", ...change })));
  return { runId: started.runId, frames: readFrames(started.frames) };
}

/** Answers the calls that were sent, in order, with these results. */
async function answer({ tabs }: SessionInNode, tab: Tab, ...results: readonly JsonValue[]): Promise<void> {
  await tabs.whenWritten(results.length);
  for (const [index, result] of results.entries()) {
    const written = tabs.written[index]?.call;
    if (written !== undefined) tab.answer(written, result);
  }
}

function nthCall({ tabs }: SessionInNode, number: number): ClientCall {
  const written = tabs.written[number - 1];
  if (written === undefined) throw new Error(`call ${number} was not written`);
  return written.call;
}

function ofCalls(frames: readonly ReadFrame[]) {
  return frames.filter(({ event }) => event === "tool_call" || event === "action_call");
}

/** The call's own id as in the stream: the client's id without the part that is new for each call. */
function ofCall(written: ClientCall | undefined): string | undefined {
  return written?.toolCallId.split(":")[0];
}

test("a browser tool and an action in one run: one frame each at begin and end, ids by kind, results to the model [OR-68, OR-97, OR-185]", async () => {
  const { model, session, tab } = await setUp([[call("pageTitle"), call("open_map", { at: "here" })], ["Done."]]);
  const { frames } = await begin(session, { tools: [clientTool("pageTitle")], agActions: [clientTool("open_map")] });
  await answer(session, tab, "Stoves", { success: true });
  const callFrames = ofCalls(await frames.rest());
  const [browser, action] = session.tabs.written.map((each) => each.call);
  expect(browser).toEqual({
    toolCallId: expect.stringMatching(/^bt_[0-9a-f-]{36}:[0-9a-f-]{36}$/),
    kind: "browser",
    sessionId: session.sessionId,
    name: "pageTitle",
    args: {},
    requestId: "req-1",
  });
  expect(action).toMatchObject({
    toolCallId: expect.stringMatching(/^ag_[0-9a-f-]{36}:[0-9a-f-]{36}$/),
    args: { at: "here" },
  });
  expect(
    callFrames.map(({ event, data }) => [event, data["eventId"] ?? data["toolCallId"], data["status"], data["output"]]),
  ).toEqual([
    ["tool_call", ofCall(browser), "isRunning", undefined],
    ["action_call", ofCall(action), "isRunning", undefined],
    ["tool_call", ofCall(browser), "done", "Stoves"],
    ["action_call", ofCall(action), "done", '{"success":true}'],
  ]);
  expect(model.asked[1]?.prompt.at(-1)?.content).toMatchObject([
    { toolName: "pageTitle", output: { type: "text", value: "Stoves" } },
    { toolName: "open_map", output: { type: "text", value: '{"success":true}' } },
  ]);
});

test("the room receives tool calls and, at the end, the invalidation; never the end of an action [OR-120, OR-121]", async () => {
  const { session, tab } = await setUp([[call("pageTitle"), call("open_map")], ["Done."]]);
  const { frames } = await begin(session, { tools: [clientTool("pageTitle")], agActions: [clientTool("open_map")] });
  await answer(session, tab, "Stoves", null);
  const callFrames = (await frames.rest()).filter(({ event }) => event === "tool_call");
  await session.settled();
  const room = tab.heard.filter(({ name }) => name !== "browser_tool_call" && name !== "action_call").slice(1);
  expect(room).toEqual([
    invalidation(session, "req-1"),
    ...callFrames.map(({ data }) => ({
      name: "tool_call",
      payload: { ...data, eventName: "tool_call", payload: data },
    })),
    ...[expect.anything(), "req-1"].map((requestId) => invalidation(session, requestId)),
  ]);
});

test("other pages are notified when a turn begins; the page that sent it is not [OR-120]", async () => {
  const gate = createGate();
  const { session, tab } = await setUp([["It is ", { wait: gate }, "sunny."]]);
  const other = await session.tabs.connect();
  const { frames } = await begin(session, { metadata: { socketId: tab.socketId } });
  await expect.poll(() => other.heard.at(-1)).toEqual(invalidation(session, "req-1"));
  expect(tab.heard.map(({ name }) => name)).toEqual(["connected"]);
  const { messages } = valueOf(await session.core.messagePage(OWNER, { limit: 10 }));
  expect(messages).toMatchObject([{ type: "human", content: "go" }]);
  expect(valueOf(await session.core.activeRun(OWNER))).toMatchObject({ status: "running" });
  gate.open();
  await frames.rest();
});

function invalidation({ sessionId }: SessionInNode, requestId: unknown) {
  const name = "message_cache_invalidation";
  return { name, payload: { sessionId, requestId, eventName: name, payload: { sessionId: "", requestId } } };
}

describe("the tools that the model is offered [OR-94]", () => {
  test("name, description and schema, whose type is always object", async () => {
    const { model, session } = await setUp([["ok"]]);
    const tools = [clientTool("a", { properties: { q: { type: "string" } } }), clientTool("b")];
    await (await begin(session, { tools })).frames.rest();
    expect(model.asked[0]?.tools).toMatchObject([
      { name: "a", description: "does a", inputSchema: { type: "object", properties: { q: { type: "string" } } } },
      { name: "b", inputSchema: { type: "object", properties: {} } },
    ]);
  });

  test("an invalid schema drops that tool with a warning; the run continues [OR-95]", async () => {
    const { model, session } = await setUp([["ok"]]);
    const tools = [clientTool("bad", { type: "strange" }), clientTool("not a name"), clientTool("good")];
    const frames = await (await begin(session, { tools })).frames.rest();
    expect(eventsOf(frames)).toEqual(["run", "reasoning", "error", "error", "message", "reasoning", "done"]);
    expect(frames[2]?.data).toEqual({
      error: 'The browser tool "bad" was left out: its schema uses type in an invalid way',
      kind: "unknown",
      code: "client_tool_left_out",
      source: "platform",
      retryable: false,
      detail: "client_tool_left_out",
      sessionId: session.sessionId,
      requestId: "req-1",
      runId: expect.any(String),
      timestamp: expect.any(String),
    });
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["good"]);
  });

  test("approve_tool of a client answers for its user and is not offered to models [OR-173]", async () => {
    const { model, session } = await setUp([["ok"]]);
    const asked = { tools: [clientTool("approve_tool")], agActions: [clientTool("approve_tool"), clientTool("draw")] };
    const frames = await (await begin(session, asked)).frames.rest();
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["draw"]);
    expect(eventsOf(frames)).not.toContain("error");
  });

  test("a plugin's tool wins over a tool of the request with its name [OR-95]", async () => {
    const { model, session } = await setUp([[call("look")], ["ok"]], [toolPlugin("look", "ours")]);
    const frames = await (
      await begin(session, { tools: [clientTool("look")], agActions: [clientTool("look")] })
    ).frames.rest();
    expect(model.asked[0]?.tools).toHaveLength(1);
    expect(ofCalls(frames).at(-1)?.data).toMatchObject({ eventId: expect.stringMatching(/^tc_/), output: "ours" });
    expect(session.tabs.written).toEqual([]);
  });

  test("arguments that do not match the schema are returned to the model and sent to no tab [OR-96]", async () => {
    const schema = { properties: { q: { type: "string" } }, required: ["q"] };
    const { session } = await setUp([[call("find", { q: 1 })], ["ok"]]);
    const frames = await (await begin(session, { tools: [clientTool("find", schema)] })).frames.rest();
    expect(ofCalls(frames).at(-1)?.data).toMatchObject({
      status: "error",
      error: "The arguments do not match the tool's parameters (/q must be of type string): find",
    });
    expect(session.tabs.written).toEqual([]);
  });
});

describe("an action reports its failure inside its result [OR-103]", () => {
  test.each<[JsonValue, object]>([
    [
      { success: true, value: 1 },
      { status: "done", output: '{"success":true,"value":1}' },
    ],
    [{ success: false }, { status: "error", error: "Action failed" }],
    [
      { success: false, error: "no room" },
      { status: "error", error: "no room" },
    ],
    [{ error: "no room" }, { status: "error", error: "no room" }],
    [{ error: { code: 1 } }, { status: "error", error: "Action failed" }],
    [{ error: "" }, { status: "done", output: '{"error":""}' }],
  ])("%j", async (result, reported) => {
    const { session, tab } = await setUp([[call("act")], ["ok"]]);
    const { frames } = await begin(session, { agActions: [clientTool("act")] });
    await answer(session, tab, result);
    expect(ofCalls(await frames.rest()).at(-1)?.data).toMatchObject(reported);
  });

  test("a browser tool's result of that form is its result", async () => {
    const { session, tab } = await setUp([[call("act")], ["ok"]]);
    const { frames } = await begin(session, { tools: [clientTool("act")] });
    await answer(session, tab, { success: false });
    expect(ofCalls(await frames.rest()).at(-1)?.data).toMatchObject({ status: "done", output: '{"success":false}' });
  });
});

test("calls the tab that the metadata names", async () => {
  const { session, tab } = await setUp([[call("act")], ["ok"]]);
  const newer = await session.tabs.connect();
  const { frames } = await begin(session, { tools: [clientTool("act")], metadata: { socketId: tab.socketId } });
  await answer(session, tab, 1);
  await frames.rest();
  expect(session.tabs.written.map(({ socketId }) => socketId)).toEqual([tab.socketId]);
  expect(newer.heard.map(({ name }) => name)).not.toContain("browser_tool_call");
});

test("an abort ends the wait at once, and a later result is rejected [OR-104]", async () => {
  const { session, tab } = await setUp([[call("act")]]);
  const { frames } = await begin(session, { tools: [clientTool("act")] });
  await session.tabs.whenWritten(1);
  valueOf(await session.core.abort(OWNER));
  expect((await frames.rest()).at(-1)?.data).toMatchObject({ status: "aborted" });
  tab.answer(nthCall(session, 1), 1);
  expect(session.logged).toContainEqual(
    expect.objectContaining({ event: "tool-result-refused", kind: "browser", reason: "unknown call" }),
  );
});

describe("after an eviction during a call [OR-104]", () => {
  async function evicted() {
    const { model, session, tab } = await setUp([[call("act")], ["Done."]]);
    const { runId, frames } = await begin(session, { tools: [clientTool("act")] });
    await session.tabs.whenWritten(1);
    await frames.cancel();
    session.restart();
    const end = async () => {
      const rest = await readFrames(valueOf(await session.core.followRun(OWNER, runId, 0)).frames).rest();
      const results = model.asked[1]?.prompt.at(-1)?.content;
      return {
        done: rest.at(-1)?.data["status"],
        results,
        call: ofCalls(rest).at(-1)?.data,
        written: session.tabs.written,
      };
    };
    return { session, tab, end };
  }

  test("the result still reaches its run, whether the result or the run comes first", async () => {
    for (const first of ["result", "run"]) {
      const { session, tab, end } = await evicted();
      if (first === "run") session.core.wake();
      tab.answer(nthCall(session, 1), "late");
      expect(await end()).toMatchObject({
        done: "finished",
        results: [{ output: { value: "late" } }],
        written: { length: 1 },
      });
    }
  });

  test("without its socket the outcome is unknown and nothing is sent again", async () => {
    const { session, tab, end } = await evicted();
    tab.leave();
    await session.tabs.connect();
    expect(await end()).toMatchObject({
      done: "finished",
      call: { status: "done", output: expect.stringContaining('"code":"FRONTEND_OUTCOME_UNKNOWN"') },
      written: { length: 1 },
    });
  });

  test("the alarm ends the call at its timeout", async () => {
    const { session, end } = await evicted();
    session.clock.advance(15_000);
    session.core.watch();
    expect(await end()).toMatchObject({
      call: { status: "done", output: expect.stringContaining("returned no result in time") },
    });
  });

  test("an eviction while a client works does not count: a run with six calls survives one in each [OR-85]", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const { session, tab } = await setUp([...names.map((name) => [call(name)]), ["Done."]]);
    const { runId, frames } = await begin(session, { tools: names.map((name) => clientTool(name)) });
    await frames.cancel();
    for (let made = 1; made <= names.length; made += 1) {
      await session.tabs.whenWritten(made);
      session.restart();
      tab.answer(nthCall(session, made), made);
    }
    const all = await readFrames(valueOf(await session.core.followRun(OWNER, runId, 0)).frames).rest();
    expect(all.at(-1)?.data).toMatchObject({ status: "finished" });
    expect(session.tabs.written).toHaveLength(6);
  });

  test("each call allows one more attempt: with one call the fifth loss ends the run", async () => {
    const { model, session } = await setUp([[call("a")], ["Done."]]);
    const { runId, frames } = await begin(session, { tools: [clientTool("a")] });
    await session.tabs.whenWritten(1);
    await frames.cancel();
    for (let losses = 1; losses <= 5; losses += 1) {
      session.restart();
      session.core.wake();
      await new Promise((resolve) => void setImmediate(resolve));
      const { attempt } = session.database.prepare("SELECT attempt FROM runs").get() as { attempt: number };
      expect(attempt).toBe(losses);
    }
    const all = await readFrames(valueOf(await session.core.followRun(OWNER, runId, 0)).frames).rest();
    expect(all.at(-1)?.data).toMatchObject({ status: "interrupted" });
    expect(model.asked).toHaveLength(1);
  });

  test("the warning about an excluded tool is sent once", async () => {
    const { session, tab } = await setUp([[call("act")], ["Done."]]);
    const { runId, frames } = await begin(session, {
      tools: [clientTool("act"), clientTool("bad", { type: "strange" })],
    });
    await session.tabs.whenWritten(1);
    await frames.cancel();
    session.restart();
    tab.answer(nthCall(session, 1), 1);
    const all = await readFrames(valueOf(await session.core.followRun(OWNER, runId, 0)).frames).rest();
    expect(all.filter(({ event }) => event === "error")).toHaveLength(1);
  });
});
