/** One run of the agent: its steps, tools and plugins, and the effect of each failure. */
import { KEPT_OUTPUT_SIZE } from "../../oracle/runs/transcript.ts";
import type { RunRequest } from "../../oracle/run-request.ts";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { faultOf, OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, textOf, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool, toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { fail } from "../../platform/failure.ts";
import { success } from "../../platform/result.ts";
import { ANSWER_SIZE } from "../../oracle/runs/active-run.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { TOOL_OUTPUT_SIZE } from "../../oracle/agent/tool-calls.ts";

/** Runs one turn of the script to its end. */
async function play(
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[],
  change: Partial<RunRequest> = {},
) {
  const model = createScriptedModel();
  model.plays(...steps);
  const session = await startSession({ settings: { models: chatModels(model), plugins } });
  const started = valueOf(await session.core.startRun(OWNER, turn("go", change)));
  const frames = await readFrames(started.frames).rest();
  const [, answer] = valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages;
  await session.settled();
  const events = session.logged.map(({ event }) => event);
  return { model, frames, answer, events, logged: session.logged, done: frames.at(-1)?.data, calls: callsOf(frames) };
}

/** The last frame of each call, in the order in which the calls ended. */
function callsOf(frames: readonly ReadFrame[]) {
  return frames
    .filter(({ event, data }) => ["tool_call", "action_call"].includes(event) && data["status"] !== "isRunning")
    .map(({ data: { toolName, status, output, error } }) => ({ toolName, status, output, error }));
}

const call = (name: string, input = {}): Beat => ({ call: name, input });

const broken = (): never => {
  throw new Error("broken plugin");
};

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

describe("a failure in a plugin ends its own tool or state, not the run [OR-131]", () => {
  test("a tool that throws: the model sees that it failed, without the reason", async () => {
    const { model, calls, done, events } = await play(
      [[call("bad"), call("good")], ["so be it"]],
      [plugin("p", { getTools: () => [tool("bad", broken), tool("good", async () => "fine")] })],
    );
    expect(calls).toMatchObject([
      { toolName: "bad", status: "error", error: "bad failed" },
      { toolName: "good", status: "done", output: "fine" },
    ]);
    expect(model.asked[1]?.prompt.at(-1)?.content).toMatchObject([
      { output: { type: "error-text", value: "bad failed" } },
      { output: { type: "text", value: "fine" } },
    ]);
    expect(done).toMatchObject({ status: "finished" });
    expect(events).toContain("tool-failed");
  });

  test("a plugin that throws for its state or its tools loses these; other plugins keep theirs", async () => {
    const { model, done, events } = await play(
      [["hello"]],
      [
        plugin("no-state", { getSharedState: async () => broken(), getTools: () => [tool("kept", async () => 1)] }),
        plugin("no-tools", { getTools: broken, getSharedState: async () => ({ promptSection: "## Known\nkept too" }) }),
      ],
    );
    expect(done).toMatchObject({ status: "finished" });
    expect(model.asked[0]?.tools).toMatchObject([{ name: "kept" }]);
    expect(model.asked[0]?.prompt[0]).toMatchObject({ role: "system", content: expect.stringContaining("kept too") });
    expect(events).toEqual(expect.arrayContaining(["plugin-state-failed", "plugin-tools-failed"]));
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  test.each<[string, () => unknown]>([
    ["a cycle", () => cyclic],
    ["a BigInt", () => 1n],
    ["a function", () => () => 1],
    ["a stream", () => new Blob(["text"]).stream()],
    ["a Response", () => new Response("text")],
    ["a Blob", () => new Blob(["text"])],
    ["a Headers", () => new Headers({ a: "b" })],
    ["a Map", () => new Map([["a", 1]])],
    ["a Set", () => new Set([1])],
    ["a typed array", () => new Uint8Array([1])],
    ["an ArrayBuffer", () => new ArrayBuffer(1)],
    ["an iterator", () => [1].values()],
    [
      "a generator",
      () =>
        (function* () {
          yield 1;
        })(),
    ],
    [
      "an async generator",
      () =>
        (async function* () {
          yield 1;
        })(),
    ],
    ["a custom async iterable", () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true }) }) })],
    ["an error", () => new Error("lost")],
    ["a Map deep inside", () => ({ rows: [{ found: new Map() }] })],
    ["a promise inside", () => ({ later: Promise.resolve(1) })],
  ])("a result that is not JSON fails its call: %s [OR-510]", async (_, give) => {
    const odd = { ...tool("odd", give), effect: "read" } as const;
    const { calls, done, events } = await play([[call("odd")], ["well"]], [plugin("p", { getTools: () => [odd] })]);
    expect(calls).toMatchObject([{ status: "error", error: "The result of odd is not JSON" }]);
    expect([done?.["status"], events.includes("tool-failed")]).toEqual(["finished", true]);
  });

  class Point {
    readonly x = 1;
    readonly at = new Date(0);
    readonly #hidden = 2;
    sum = () => this.x + this.#hidden;
  }
  test.each<[string, () => unknown, unknown]>([
    ["nothing", () => undefined, null],
    ["objects and arrays, empty ones too", () => ({ a: [{}, [], null], b: undefined }), { a: [{}, [], null] }],
    ["an object without a prototype", () => Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["an object with toJSON", () => [new Date(0), { toJSON: () => "own" }], ["1970-01-01T00:00:00.000Z", "own"]],
    ["an object of a class with members", () => new Point(), { x: 1, at: "1970-01-01T00:00:00.000Z" }],
  ])("a JSON result is unchanged: %s [OR-510]", async (_, give, output) => {
    const { calls } = await play([[call("odd")], ["well"]], [plugin("p", { getTools: () => [tool("odd", give)] })]);
    expect(calls).toMatchObject([{ status: "done" }]);
    const [{ output: shown } = {}] = calls;
    expect(typeof output === "string" ? shown : JSON.parse(String(shown))).toEqual(output);
  });

  test("accepts a result of 256 KiB of JSON; one unit more fails its call [OR-144]", async () => {
    const fits = "x".repeat(TOOL_OUTPUT_SIZE - 2);
    const fitting = await play([[call("big")], ["well"]], [toolPlugin("big", fits)]);
    expect(fitting.calls).toMatchObject([{ status: "done", output: fits }]);
    const read = { ...tool("big", () => `${fits}x`), effect: "read" } as const;
    const over = await play([[call("big")], ["well"]], [plugin("p", { getTools: () => [read] })]);
    expect(over.calls).toMatchObject([{ status: "error", error: "The result of big is too large" }]);
  });

  test("stores an answer of 256 Ki units whole; one unit more ends the run as failed [OR-143]", async () => {
    const fits = await play([["x".repeat(ANSWER_SIZE)]], []);
    expect(fits.done).toMatchObject({ status: "finished" });
    const over = await play([["x".repeat(ANSWER_SIZE), "y"]], []);
    expect(over.done).toMatchObject({ status: "failed" });
    expect(over.answer?.content).toBe("x".repeat(ANSWER_SIZE));
  });

  test("the record keeps 256 Ki units of arguments and outputs; a later output is sent and leaves a note [OR-144]", async () => {
    const half = "x".repeat(KEPT_OUTPUT_SIZE / 2 - '{}""'.length);
    const { answer, calls } = await play(
      [[call("half"), call("rest")], [call("more")], ["well"]],
      [toolPlugin("half", half), toolPlugin("rest", half), toolPlugin("more", "y")],
    );
    expect(calls).toMatchObject([{ output: half }, { output: half }, { output: "y" }]);
    expect(answer?.toolCalls?.map(({ output }) => output)).toEqual([
      JSON.stringify(half),
      JSON.stringify(half),
      JSON.stringify("The output was too large to be kept"),
    ]);
  });

  test("tools known at boot are listed before those of the turn, and remain if getTools fails [OR-204]", async () => {
    const broken = plugin("fixed", {
      tools: [tool("look", async () => "fixed")],
      getTools: () => Promise.reject(new Error("no tools now")),
    });
    const { model, calls } = await play([[call("look")], ["ok"]], [toolPlugin("other", "other"), broken]);
    expect(calls).toMatchObject([{ output: "fixed" }]);
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["look", "other"]);
  });

  test("if names clash, the first plugin's tool is kept and the clash is logged [OR-131]", async () => {
    const { model, calls, events } = await play(
      [[call("look")], ["ok"]],
      [toolPlugin("look", "first"), toolPlugin("look", "second")],
    );
    expect(calls).toMatchObject([{ output: "first" }]);
    expect(model.asked[0]?.tools).toHaveLength(1);
    expect(events).toContain("tool-name-clash");
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
      "The arguments do not fit the tool (/query Invalid input: expected string, received number): strict",
    ],
    ["arguments that are not JSON", { call: "strict", input: "{query" }, "The arguments do not fit the tool: strict"],
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
