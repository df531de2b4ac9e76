/** Calls of a tool with equal arguments. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { openPlay } from "../../test/support/oracle/played-turn.ts";
import { follow, start, transcript } from "../../test/support/oracle/lost-runs.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { AgentMiddleware } from "../../oracle/framework/middleware.ts";
import type { Effect } from "../../oracle/framework/tools.ts";
import type { JsonObject } from "../../platform/json.ts";
import { TOOL_OUTPUT_SIZE } from "../../oracle/agent/tool-calls.ts";
import { setUp, calls, errorsOf } from "../../test/support/oracle/calling-session.ts";

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
    "%s with the same arguments %d times is made %d times, side by side and one after the other",
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

  test("the order of members makes no difference, another value does", async () => {
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

  test("a read that failed does not count; a write that failed may have succeeded", async () => {
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

  test("one that never began does not count", async () => {
    const picky = { ...tool("pay", () => 1), schema: z.object({ to: z.string() }) };
    const { model, session } = await openPlay(
      [calls("pay", 1, same), calls("pay", 1, same), ["Done."]],
      [plugin("bank", { getTools: () => [picky] })],
    );
    await session.core.completeRun(OWNER, turn("go"));
    for (const error of await errorsOf(session))
      expect(error).toContain("The arguments do not match the tool's parameters");
    expect(model.asked).toHaveLength(3);
  });

  test.each([
    ["is too large", () => "h".repeat(TOOL_OUTPUT_SIZE - 1)],
    ["is not JSON", () => 1n],
  ])(
    "a write whose result %s was done: it is not made again, and the model reads why [OR-144]",
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
          output: `"pay was completed, but its result ${problem}. Do not call it again to see the result."`,
        },
        { status: "error", error: refusal("pay", "once") },
        { status: "error", error: refusal("pay", "once") },
      ]);
    },
  );

  test.each<[string, NonNullable<AgentMiddleware["wrapToolCall"]>]>([
    ["turns its result into an error", async (request, next) => (await next(request), { error: "Not shown" })],
    ["gives up on it", (request, next) => Promise.race([next(request), Promise.resolve({ error: "Too slow" })])],
    ["says that it only reads", (request, next) => next({ ...request, effect: "read" })],
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

  test("a tool whose effect is no known word is a write", async () => {
    let made = 0;
    const pay = { ...tool("pay", () => (made += 1)), effect: "READ" as Effect };
    const { session } = await openPlay(
      [calls("pay", 1, same), calls("pay", 1, same), ["Done."]],
      [plugin("bank", { getTools: () => [pay] })],
    );
    await session.core.completeRun(OWNER, turn("go"));
    expect(made).toBe(1);
  });

  describe("arguments that the tool's schema makes equal are the same", () => {
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

    test("what JSON cannot show is never taken for the same", async () => {
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

  test("another turn counts for itself", async () => {
    const set = await setUp([calls("pay", 1, same), ["Done."], calls("pay", 1, same), ["Done."]]);
    await set.session.core.completeRun(OWNER, turn("go"));
    await set.session.core.completeRun(OWNER, turn("again"));
    expect(set.made).toHaveLength(2);
  });

  test("a restart resets no count, and a write whose outcome is unknown counts", async () => {
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
