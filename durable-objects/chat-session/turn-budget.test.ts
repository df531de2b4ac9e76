/** Limits of one turn: tokens, tool calls and identical calls, at their edges and across restarts. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { openPlay } from "../../test/support/oracle/played-turn.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { AgentMiddleware } from "../../oracle/framework/middleware.ts";
import type { Effect } from "../../oracle/framework/tools.ts";
import type { JsonObject } from "../../platform/json.ts";
import { TOOL_OUTPUT_SIZE } from "../../oracle/agent/tool-calls.ts";
import type { RunLimits } from "../../oracle/settings.ts";

async function setUp(steps: readonly (readonly Beat[])[], limits: Partial<RunLimits> = {}) {
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

const calls = (name: string, count: number, input: (index: number) => JsonObject = (index) => ({ index })): Beat[] =>
  Array.from({ length: count }, (_, index) => ({ call: name, input: input(index) }));

async function errorsOf(session: Session) {
  const [, answer] = await transcript(session);
  return (answer?.toolCalls ?? []).map(({ error }) => error);
}

const exhausted = (limit: string) => ({ kind: "budget_exhausted", limit, retryable: false, source: "platform" });

describe("tool calls of a turn [OR-172]", () => {
  test("have default limits", () => {
    expect(chatSettings().limits).toEqual({
      maxTokens: 500_000,
      maxToolCalls: 120,
      maxSteps: 16,
      timeoutMs: 600_000,
      maxIdenticalWrites: 1,
      maxIdenticalReads: 5,
    });
  });

  test.each([
    [119, 119, "finished"],
    [120, 120, "finished"],
    [121, 120, "failed"],
  ])("if %d calls are wanted, %d are made, and the turn is %s", async (wanted, made, status) => {
    const set = await setUp([
      ["I look. ", ...calls("look", wanted - 60)],
      calls("look", 60, (index) => ({ more: index })),
      ["Done."],
    ]);
    const runId = await start(set.session, "go");
    const frames = await follow(set.session, runId);
    expect(set.made).toHaveLength(made);
    expect(frames.at(-1)?.data).toMatchObject({ status });
    if (status === "finished") return;
    expect(frames.at(-2)).toMatchObject({ event: "error", data: exhausted("tools") });
    expect(frames.at(-1)?.data).toMatchObject({ failed: true, partialText: "I look. " });
    expect((await transcript(set.session))[1]?.content).toBe("I look. ");
    expect((await errorsOf(set.session)).at(-1)).toBe("look was not run: the turn has reached its limit of tool calls");
  });

  test("are not increased by a restart", async () => {
    const gate = createGate();
    const set = await setUp([calls("look", 2), [{ wait: gate }], calls("look", 2, (index) => ({ more: index }))], {
      maxToolCalls: 3,
    });
    const runId = await start(set.session, "go");
    await set.model.whenAsked(2);
    set.session.restart();
    const frames = await follow(set.session, runId);
    expect(set.made).toHaveLength(3);
    expect(frames.at(-2)?.data).toMatchObject(exhausted("tools"));
  });
});

describe("model steps of an agent [OR-511]", () => {
  test.each([1, 20])("an answer in step %d, the last allowed one, is accepted", async (maxSteps) => {
    const looks = Array.from({ length: maxSteps - 1 }, (_, index) => calls("look", 1, () => ({ index })));
    const { session, model } = await setUp([...looks, ["Done."]], { maxSteps });
    const frames = await follow(session, await start(session, "go"));
    expect(model.asked).toHaveLength(maxSteps);
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  });

  test("one step more is not requested: the turn fails and reports its number of steps", async () => {
    const { session, model } = await setUp([["I look. ", ...calls("look", 1)], ["Done."]], { maxSteps: 1 });
    const frames = await follow(session, await start(session, "go"));
    expect(model.asked).toHaveLength(1);
    const error = "The answer took more than 1 step. Please ask for less at a time.";
    expect(frames.slice(-2).map(({ data }) => data)).toMatchObject([{ error }, { status: "failed" }]);
    expect((await transcript(session))[1]?.content).toBe("I look. ");
  });
});

describe("tokens of a turn [OR-172]", () => {
  const using = (tokens: number): Beat => ({ finish: "tool-calls", used: [tokens - 1, 1] });

  test.each([
    [999, "finished", "I look. Done."],
    [1_000, "failed", "I look. "],
    [1_001, "failed", "I look. "],
  ])("after %d of 1000 tokens it is %s", async (tokens, status, content) => {
    const { session } = await setUp([["I look. ", ...calls("look", 1), using(tokens)], ["Done."]], {
      maxTokens: 1_000,
    });
    const frames = await follow(session, await start(session, "go"));
    expect(frames.at(-1)?.data).toMatchObject({ status });
    expect((await transcript(session))[1]?.content).toBe(content);
    const errors = frames.filter(({ event }) => event === "error").map(({ data }) => data);
    expect(errors).toMatchObject(status === "failed" ? [exhausted("tokens")] : []);
  });

  test("a complete answer is never cut because of its usage", async () => {
    const { session } = await setUp([["All of it.", { finish: "stop", used: [5_000, 5_000] }]], { maxTokens: 1_000 });
    expect(valueOf(await session.core.completeRun(OWNER, turn("go")))).toMatchObject({ status: "finished" });
  });

  test("count across a restart", async () => {
    const gate = createGate();
    const steps = [
      [...calls("look", 1), using(600)],
      [{ wait: gate }],
      [...calls("look", 1, () => ({ more: 1 })), using(400)],
      ["never asked"],
    ];
    const { session, model } = await setUp(steps, { maxTokens: 1_000 });
    const runId = await start(session, "go");
    await model.whenAsked(2);
    session.restart();
    expect((await follow(session, runId)).at(-2)?.data).toMatchObject(exhausted("tokens"));
    expect(model.asked).toHaveLength(3);
  });
});

test("a short time limit ends the turn at that time, even if nothing else would wake the object [OR-142]", async () => {
  const stuck = createGate();
  const set = await setUp([[{ wait: stuck }]], { timeoutMs: 1_000 });
  const begun = set.session.clock.now();
  const runId = await start(set.session, "go");
  await set.model.whenAsked(1);
  expect(set.session.wokenBy).toBe(begun + 1_000);
  set.session.clock.advance(999);
  expect(set.session.core.watch()).toBe(begun + 1_000);
  set.session.clock.advance(1);
  set.session.core.watch();
  const frames = await follow(set.session, runId);
  expect(frames.at(-2)?.data).toMatchObject(exhausted("time"));
});

describe("identical calls [OR-171]", () => {
  const same = () => ({ a: 1, b: { c: 2, d: 3 } });
  const refusal = (name: string, times: string) =>
    `${name} was not run again: it was called with these arguments ${times} in this turn. Use the result, or change the arguments.`;

  test.each([
    ["pay", 1, 1, undefined],
    ["pay", 2, 1, refusal("pay", "once")],
    ["look", 5, 5, undefined],
    ["look", 6, 5, refusal("look", "5 times")],
  ])(
    "%s with equal arguments %d times is made %d times, concurrently and sequentially",
    async (name, wanted, made, error) => {
      const oneByOne = calls(name, wanted, same).map((call) => [call]);
      for (const steps of [[calls(name, wanted, same)], oneByOne]) {
        const set = await setUp([...steps, ["Done."]]);
        expect(valueOf(await set.session.core.completeRun(OWNER, turn("go")))).toMatchObject({ status: "finished" });
        expect(set.made).toHaveLength(made);
        expect((await errorsOf(set.session)).at(-1)).toBe(error);
      }
    },
  );

  test("ignores the order of members, but not their values", async () => {
    const inputs: readonly JsonObject[] = [
      same(),
      { b: { d: 3, c: 2 }, a: 1 },
      { a: 1, b: { c: 2, d: 4 } },
      { a: 1, b: [2, 3] },
      { a: 1, b: [3, 2] },
    ];
    const set = await setUp([inputs.map((input) => ({ call: "pay", input })), ["Done."]]);
    await set.session.core.completeRun(OWNER, turn("go"));
    expect(set.made).toHaveLength(4);
    expect((await errorsOf(set.session)).map((error) => error !== undefined)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  test("a failed read does not count; a failed write may have succeeded", async () => {
    const failing = (name: string) => ({ call: name, input: { fails: true } });
    const reads = await setUp([...Array.from({ length: 7 }, () => [failing("look")]), ["Done."]]);
    await reads.session.core.completeRun(OWNER, turn("go"));
    expect([reads.made.length, new Set(await errorsOf(reads.session))]).toEqual([7, new Set(["look failed"])]);
    const writes = await setUp([[failing("pay")], [failing("pay")], ["Done."]]);
    await writes.session.core.completeRun(OWNER, turn("go"));
    expect(writes.made).toHaveLength(1);
    expect(await errorsOf(writes.session)).toEqual([
      "pay failed",
      "pay was not run again: an earlier call with these arguments may have succeeded. Ask the user.",
    ]);
  });

  test("a call that never began does not count", async () => {
    const picky = { ...tool("pay", () => 1), schema: z.object({ to: z.string() }) };
    const { model, session } = await openPlay(
      [calls("pay", 1, same), calls("pay", 1, same), ["Done."]],
      [plugin("bank", { getTools: () => [picky] })],
    );
    await session.core.completeRun(OWNER, turn("go"));
    for (const error of await errorsOf(session)) expect(error).toContain("The arguments do not fit the tool");
    expect(model.asked).toHaveLength(3);
  });

  test.each([
    ["is too large", () => "h".repeat(TOOL_OUTPUT_SIZE - 1)],
    ["is not JSON", () => 1n],
  ])(
    "a write whose result %s was done: it is not repeated, and the model sees the reason [OR-144]",
    async (problem, give) => {
      const model = createScriptedModel();
      model.plays(calls("pay", 1, same), calls("pay", 1, same), calls("pay", 1, same), ["Done."]);
      let made = 0;
      const pay = tool("pay", () => ((made += 1), give()));
      const session = await startSession({
        settings: { models: chatModels(model), plugins: [plugin("bank", { getTools: () => [pay] })] },
      });
      expect(valueOf(await session.core.completeRun(OWNER, turn("go")))).toMatchObject({ status: "finished" });
      expect(made).toBe(1);
      const [, answer] = await transcript(session);
      expect(answer?.toolCalls).toMatchObject([
        {
          status: "done",
          output: `"pay was done, but its result ${problem}. Do not call it again to see the result."`,
        },
        { status: "error", error: refusal("pay", "once") },
        { status: "error", error: refusal("pay", "once") },
      ]);
    },
  );

  test.each<[string, NonNullable<AgentMiddleware["wrapToolCall"]>]>([
    ["turns its result into an error", async (request, next) => (await next(request), { error: "Not shown" })],
    ["gives up waiting", (request, next) => Promise.race([next(request), Promise.resolve({ error: "Too slow" })])],
    ["declares it a read", (request, next) => next({ ...request, effect: "read" })],
  ])("a write is made once, whatever middleware does: one that %s", async (_, wrapToolCall) => {
    let made = 0;
    const bank = plugin("bank", {
      getTools: () => [tool("pay", () => (made += 1))],
      getMiddlewares: () => [{ name: "strict", wrapToolCall }],
    });
    const { session } = await openPlay([calls("pay", 1, same), calls("pay", 1, same), ["Done."]], [bank]);
    await session.core.completeRun(OWNER, turn("go"));
    expect(made).toBe(1);
  });

  test("a tool with an unknown effect is a write", async () => {
    let made = 0;
    const pay = { ...tool("pay", () => (made += 1)), effect: "READ" as Effect };
    const { session } = await openPlay(
      [calls("pay", 1, same), calls("pay", 1, same), ["Done."]],
      [plugin("bank", { getTools: () => [pay] })],
    );
    await session.core.completeRun(OWNER, turn("go"));
    expect(made).toBe(1);
  });

  describe("arguments that the tool's schema makes equal are equal", () => {
    const schema = z.object({ to: z.string().trim(), amount: z.coerce.number() });
    const inputs: readonly JsonObject[] = [
      { to: "Amina", amount: 5 },
      { to: "Amina ", amount: 5 },
      { to: "Amina", amount: "5" },
      { to: "Amina", amount: 5, more: 1 },
      { to: "Amina", amount: 6 },
    ];
    test.each([
      ["one after the other", inputs.map((input) => [{ call: "pay", input }])],
      ["side by side", [inputs.map((input) => ({ call: "pay", input }))]],
    ])("%s", async (_, steps) => {
      const paid: unknown[] = [];
      const pay = { ...tool("pay", (args) => void paid.push(args)), schema };
      const { session } = await openPlay([...steps, ["Done."]], [plugin("bank", { getTools: () => [pay] })]);
      await session.core.completeRun(OWNER, turn("go"));
      expect(paid).toEqual([
        { to: "Amina", amount: 5 },
        { to: "Amina", amount: 6 },
      ]);
    });

    test("arguments that JSON cannot represent are never equal", async () => {
      let made = 0;
      const orders = z.object({ id: z.string().transform((id) => new Map([[id, 1]])) });
      const pay = { ...tool("pay", () => (made += 1)), schema: orders };
      const { session } = await openPlay(
        [[{ call: "pay", input: { id: "a" } }], [{ call: "pay", input: { id: "b" } }], ["Done."]],
        [plugin("bank", { getTools: () => [pay] })],
      );
      await session.core.completeRun(OWNER, turn("go"));
      expect(made).toBe(2);
    });
  });

  test("another turn has its own count", async () => {
    const set = await setUp([calls("pay", 1, same), ["Done."], calls("pay", 1, same), ["Done."]]);
    await set.session.core.completeRun(OWNER, turn("go"));
    await set.session.core.completeRun(OWNER, turn("again"));
    expect(set.made).toHaveLength(2);
  });

  test("a restart resets no count, and a write with an unknown outcome counts", async () => {
    const stuck = createGate();
    const model = createScriptedModel();
    model.plays(calls("pay", 1, same), calls("pay", 1, same), ["I do not know."]);
    const paid: unknown[] = [];
    const pay = tool("pay", async (args) => {
      paid.push(args);
      await stuck.opened;
    });
    const session = await startSession({
      settings: { models: chatModels(model), plugins: [plugin("bank", { getTools: () => [pay] })] },
    });
    const runId = await start(session, "go");
    await expect.poll(() => paid.length).toBe(1);
    session.restart();
    expect((await follow(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
    expect(paid).toHaveLength(1);
    expect((await errorsOf(session)).at(-1)).toBe(
      "pay was not run again: an earlier call with these arguments may have succeeded. Ask the user.",
    );
  });
});
