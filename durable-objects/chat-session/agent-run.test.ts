/** One run of the agent: its steps, its tools, its plugins, and the effect of each failure. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { textOf } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool, toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { fail } from "../../platform/failure.ts";
import { success } from "../../platform/result.ts";
import { play, call, broken } from "../../test/support/oracle/played-run.ts";

describe("a run asks the model at most 16 times [OR-142]", () => {
  const looking = Array.from({ length: 16 }, () => [call("look")]);

  test("accepts an answer in the 16th step", async () => {
    const { model, done } = await play([...looking.slice(1), ["found"]], [toolPlugin("look", 1)]);
    expect([model.asked.length, done?.["status"]]).toEqual([16, "finished"]);
  });

  test("does not request a 17th step: the run fails and is not retryable", async () => {
    const { model, frames, done } = await play(looking, [toolPlugin("look", 1)]);
    expect(model.asked).toHaveLength(16);
    expect(frames.at(-2)).toMatchObject({
      event: "error",
      data: { kind: "unknown", retryable: false, source: "platform" },
    });
    expect(done).toMatchObject({ status: "failed", failed: true });
  });
});

describe("a plugin's hooks around a run", () => {
  test("can reject a run before it is accepted: no run, no message, no stream", async () => {
    const session = await startSession({
      settings: { plugins: [plugin("gate", { getRequestAdmission: async () => fail("forbidden", "Not today") })] },
    });
    for (const asked of [session.core.startRun(OWNER, turn("go")), session.core.completeRun(OWNER, turn("go"))]) {
      expect(faultOf(await asked)).toMatchObject({ code: "forbidden", message: "Not today" });
    }
    expect(valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages).toEqual([]);
  });

  test("are called once for a message that was accepted before, or that arrives twice at once", async () => {
    let admissions = 0;
    const gate = plugin("gate", {
      async getRequestAdmission({ request, user }) {
        admissions += 1;
        expect([request.message, user.did]).toEqual(["go", OWNER]);
        return success(null);
      },
    });
    const model = createScriptedModel();
    model.plays(["hello"]);
    const session = await startSession({ settings: { models: chatModels(model), plugins: [gate] } });
    const message = turn("go", { clientMessageId: "m-1" });
    const replies = await Promise.all([
      session.core.completeRun(OWNER, message),
      session.core.completeRun(OWNER, message),
    ]);
    expect(replies.map((reply) => valueOf(reply).content)).toEqual(["hello", "hello"]);
    await session.core.completeRun(OWNER, message);
    expect([admissions, model.asked.length]).toEqual([1, 1]);
  });

  test("can load tools asynchronously, based on the plugin's own state", async () => {
    const remote = plugin("remote", {
      getSharedState: async () => ({ agentName: "remote_tool" }),
      getTools: async ({ state }) => [tool(state.agentName ?? "none", async () => "far")],
    });
    const { calls } = await play([[call("remote_tool")], ["ok"]], [remote]);
    expect(calls).toMatchObject([{ toolName: "remote_tool", output: "far" }]);
  });

  test("are called after the run has ended; a failure then is logged with the plugin's name [OR-131]", async () => {
    const ended: string[] = [];
    const late = plugin("late", {
      async getSharedState({ onTurnEnd, background, session }) {
        onTurnEnd(async () => void ended.push(session.runId));
        onTurnEnd(async () => broken());
        background(Promise.reject(new Error("later")));
        return {};
      },
    });
    const { done, events, logged } = await play([["hello"]], [late]);
    expect(logged.filter(({ event }) => event === "plugin-run-end-failed")).toMatchObject([
      { plugin: "late", reason: "Error: later" },
      { plugin: "late", reason: "Error: broken plugin" },
    ]);
    expect(done).toMatchObject({ status: "finished" });
    expect([ended.length, events.includes("plugin-run-end-failed")]).toEqual([1, true]);
  });
});

test("a plugin that changes the history that it receives changes no later prompt of the session", async () => {
  const seen: unknown[] = [];
  const vandal = plugin("vandal", {
    getTools(ctx) {
      seen.push(ctx.history.recent(1)[0]?.content);
      for (const record of ctx.history.messages) Object.assign(record, { content: "changed" });
      return [];
    },
  });
  const model = createScriptedModel();
  model.plays(["First."], ["Second."], ["Third."]);
  const session = await startSession({ settings: { models: chatModels(model), plugins: [vandal] } });
  for (const message of ["one", "two", "three"]) await session.core.completeRun(OWNER, turn(message));
  expect(seen).toEqual([undefined, "First.", "Second."]);
  expect(JSON.stringify(model.asked.map(({ prompt }) => prompt))).not.toContain("changed");
});

describe("invalid calls are returned to the model, and the run continues", () => {
  const strict = { ...tool("strict", async () => "ran"), schema: z.object({ query: z.string() }) };
  const plugins = [plugin("p", { getTools: () => [strict] })];

  test.each([
    ["an unknown tool", call("nothing"), "There is no such tool: nothing"],
    [
      "arguments that the schema refuses",
      call("strict", { query: 1 }),
      "The arguments do not match the tool's parameters (/query Invalid input: expected string, received number): strict",
    ],
    [
      "arguments that are not JSON",
      { call: "strict", input: "{query" },
      "The arguments do not match the tool's parameters: strict",
    ],
  ])("%s", async (_, beat, error) => {
    const { model, calls, done } = await play([[beat], ["sorry"]], plugins);
    expect(calls).toMatchObject([{ status: "error", error }]);
    expect(model.asked[1]?.prompt.at(-1)?.content).toMatchObject([{ output: { type: "error-text", value: error } }]);
    expect(done).toMatchObject({ status: "finished" });
  });
});

test("the calls of one step run concurrently and end in their own order", async () => {
  const gate = createGate();
  const tools = [
    tool("first", async () => {
      await gate.opened;
      return 1;
    }),
    tool("second", async () => {
      gate.open();
      return 2;
    }),
  ];
  const { frames, answer } = await play(
    [[call("first"), call("second")], ["ok"]],
    [plugin("p", { getTools: () => tools })],
  );
  const states = frames
    .filter(({ event }) => event === "tool_call")
    .map(({ data }) => `${String(data["toolName"])} ${String(data["status"])}`);
  expect(states).toEqual(["first isRunning", "second isRunning", "second done", "first done"]);
  expect(answer?.toolCalls?.map(({ name }) => name)).toEqual(["first", "second"]);
});

describe("the ai record [OR-87]", () => {
  test("contains the whole text, the thinking and the calls of all steps as one record", async () => {
    const { answer } = await play(
      [
        [{ think: "hm, " }, "Let me see. ", call("look", { a: 1 })],
        [{ think: "aha" }, "Here."],
      ],
      [toolPlugin("look", "seen")],
    );
    expect(answer).toMatchObject({
      type: "ai",
      content: "Let me see. Here.",
      reasoning: "hm, aha",
      toolCalls: [{ name: "look", args: { a: 1 }, status: "done", output: '"seen"' }],
      isReasoning: false,
      isComplete: true,
    });
  });

  test("stores 64 Ki units of thinking; the rest is only streamed [OR-143]", async () => {
    const limit = 64 * 1024;
    expect((await play([[{ think: "x".repeat(limit) }, "ok"]], [])).answer?.reasoning).toHaveLength(limit);
    const { answer, frames } = await play([[{ think: `${"x".repeat(limit)}y` }, "ok"]], []);
    expect(answer?.reasoning).toBe("x".repeat(limit));
    expect(JSON.stringify(frames)).toContain("xy");
  });

  test("exists for a finished run without text too, so that done has its messageId", async () => {
    const { answer, done } = await play([[]], []);
    expect(answer).toMatchObject({ type: "ai", content: "" });
    expect(done).toMatchObject({ status: "finished", messageId: answer?.id });
  });

  test("a failed run without text leaves only the human record, even after calls [OR-88]", async () => {
    for (const steps of [[[{ fail: new Error("down") }]], [[call("look")], [{ fail: new Error("down") }]]]) {
      const { answer, done, frames } = await play(steps, [toolPlugin("look", 1)]);
      expect(answer).toBeUndefined();
      expect(done).toMatchObject({ status: "failed", failed: true, partialText: "" });
      expect(done).not.toHaveProperty("messageId");
      expect(textOf(frames)).toBe("");
    }
  });
});
