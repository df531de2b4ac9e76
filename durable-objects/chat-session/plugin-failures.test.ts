/** Failures of plugins during a run: a tool that throws, a result that is no JSON, an output that is too large. */
import { KEPT_OUTPUT_SIZE } from "../../oracle/runs/transcript.ts";
import { describe, expect, test } from "vitest";
import { plugin, tool, toolPlugin } from "../../test/support/plugins/small-plugins.ts";
import { ANSWER_SIZE } from "../../oracle/runs/active-run.ts";
import { TOOL_OUTPUT_SIZE } from "../../oracle/agent/tool-calls.ts";
import { play, call, broken } from "../../test/support/oracle/played-run.ts";

describe("a failure in a plugin ends its own tool or state, not the run [OR-131]", () => {
  test("a tool that throws: the model reads that it failed, and no reason", async () => {
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

  test("one that throws for its state or its tools loses these; the others stay", async () => {
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
    [
      "an async iterable of its own",
      () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true }) }) }),
    ],
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
  ])("a result that is JSON stays as it is: %s [OR-510]", async (_, give, output) => {
    const { calls } = await play([[call("odd")], ["well"]], [plugin("p", { getTools: () => [tool("odd", give)] })]);
    expect(calls).toMatchObject([{ status: "done" }]);
    const [{ output: shown } = {}] = calls;
    expect(typeof output === "string" ? shown : JSON.parse(String(shown))).toEqual(output);
  });

  test("a result of 256 KiB of JSON is accepted, one unit more fails its call [OR-144]", async () => {
    const fits = "x".repeat(TOOL_OUTPUT_SIZE - 2);
    const fitting = await play([[call("big")], ["well"]], [toolPlugin("big", fits)]);
    expect(fitting.calls).toMatchObject([{ status: "done", output: fits }]);
    const read = { ...tool("big", () => `${fits}x`), effect: "read" } as const;
    const over = await play([[call("big")], ["well"]], [plugin("p", { getTools: () => [read] })]);
    expect(over.calls).toMatchObject([{ status: "error", error: "The result of big is too large" }]);
  });

  test("an answer of 256 Ki units is stored whole, one unit more ends the run as failed [OR-143]", async () => {
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

  test("tools that are known at boot are offered before those of the turn, and kept when getTools fails [OR-204]", async () => {
    const broken = plugin("fixed", {
      tools: [tool("look", async () => "fixed")],
      getTools: () => Promise.reject(new Error("no tools now")),
    });
    const { model, calls } = await play([[call("look")], ["ok"]], [toolPlugin("other", "other"), broken]);
    expect(calls).toMatchObject([{ output: "fixed" }]);
    expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(["look", "other"]);
  });

  test("when names clash the first plugin's tool stays and the clash is logged [OR-131]", async () => {
    const { model, calls, events } = await play(
      [[call("look")], ["ok"]],
      [toolPlugin("look", "first"), toolPlugin("look", "second")],
    );
    expect(calls).toMatchObject([{ output: "first" }]);
    expect(model.asked[0]?.tools).toHaveLength(1);
    expect(events).toContain("tool-name-clash");
  });
});
