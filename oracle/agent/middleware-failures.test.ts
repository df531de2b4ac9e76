/** Middleware that throws, or returns a value of a wrong kind. */
import { describe, expect, test } from "vitest";
import { textOf } from "../../test/support/oracle/frame-reader.ts";
import { playTurn, recordsOf } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware, CallModel } from "../framework/middleware.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { ModelCallRequest } from "../framework/model-call.ts";
import { around, asking, noticesOf } from "../../test/support/oracle/middleware-turns.ts";

const broken = (): never => {
  throw new Error("broken hook");
};

describe("a hook that throws is skipped for the rest of the turn [OR-157]", () => {
  const failing: readonly (keyof AgentMiddleware)[] = [
    "beforeAgent",
    "beforeModel",
    "wrapModelCall",
    "afterModel",
    "wrapToolCall",
    "afterAgent",
  ];

  test.each(failing)("%s: one notice that names it, a line in the log, and the turn is as without it", async (hook) => {
    const { frames, session, done } = await playTurn(asking, [around({ name: "shaky", [hook]: broken })]);
    expect(done).toMatchObject({ status: "finished" });
    expect(textOf(frames)).toBe("Let me see.Here it is.");
    expect(noticesOf(frames)).toMatchObject([
      {
        error: 'The extension "shaky" failed and was left out of this answer.',
        detail: "middleware_failed",
        retryable: false,
      },
    ]);
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toMatchObject([
      { middleware: "shaky", hook, required: false, reason: "Error: broken hook" },
    ]);
    expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ status: "done", output: '"seen"' }]);
  });

  test.each(failing)("%s of a required one fails the turn instead", async (hook) => {
    const { frames, done } = await playTurn(asking, [around({ name: "credits", required: true, [hook]: broken })]);
    expect(done).toMatchObject({ status: "failed", failed: true });
    expect(frames.at(-2)).toMatchObject({
      event: "error",
      data: {
        error: 'The check "credits" could not be completed, so this answer was stopped. Please try again.',
        kind: "unknown",
        code: "gate_failed",
      },
    });
    expect(JSON.stringify(frames)).not.toContain("broken hook");
  });

  test("in a later step it is not asked again", async () => {
    let asked = 0;
    await playTurn(asking, [around({ name: "shaky", beforeModel: () => ((asked += 1), broken()) })]);
    expect(asked).toBe(1);
  });

  test("after `next` has succeeded, what `next` returned counts, and nothing is made twice", async () => {
    let made = 0;
    const late: AgentMiddleware = {
      name: "late",
      wrapModelCall: async (request, next) => (await next(request), broken()),
      wrapToolCall: async (request, next) => (await next(request), broken()),
    };
    for (const middleware of [
      late,
      { name: "hasty", wrapToolCall: (request, next) => (void next(request), broken()) } satisfies AgentMiddleware,
    ]) {
      made = 0;
      const { model, frames, session } = await playTurn(asking, [
        plugin("p", { getMiddlewares: () => [middleware], getTools: () => [tool("look", () => (made += 1))] }),
      ]);
      expect([model.asked.length, made, textOf(frames)]).toEqual([2, 1, "Let me see.Here it is."]);
      expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ status: "done", output: "1" }]);
    }
  });

  test("what the model failed with is not the middleware's fault", async () => {
    const passing: AgentMiddleware = { name: "passing", wrapModelCall: (request, next) => next(request) };
    const { frames, session, done } = await playTurn([[{ fail: new Error("down") }]], [around(passing)]);
    expect(done).toMatchObject({ status: "failed" });
    expect(noticesOf(frames)).toHaveLength(1);
    expect(session.logged.map(({ event }) => event)).not.toContain("middleware-failed");
  });

  test("so has one whose result cannot be stored", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const bored = async (request: ModelCallRequest, next: CallModel) => ({
      ...(await next(request)),
      finishReason: "bored",
    });
    const { done, session } = await playTurn(asking, [
      around(
        { name: "bored", wrapModelCall: bored as unknown as NonNullable<AgentMiddleware["wrapModelCall"]> },
        { name: "endless", wrapToolCall: async () => ({ output: cyclic as JsonObject }) },
      ),
    ]);
    expect(done).toMatchObject({ status: "finished", finishReason: "stop" });
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toHaveLength(2);
  });

  test("one that returns no result has failed too", async () => {
    const empty = {
      name: "empty",
      wrapModelCall: async () => undefined,
      wrapToolCall: async () => ({}),
    } as unknown as AgentMiddleware;
    const { frames, done } = await playTurn(asking, [around(empty)]);
    expect([done?.["status"], textOf(frames), noticesOf(frames).length]).toEqual([
      "finished",
      "Let me see.Here it is.",
      1,
    ]);
  });

  test.each([
    ["throws", broken],
    ["returns no list", () => ({ name: "gate" }) as unknown as AgentMiddleware[]],
  ])("a plugin whose getMiddlewares %s may have had a gate: the turn fails [OR-131]", async (_, getMiddlewares) => {
    const { model, frames, done, session } = await playTurn([["Hi."]], [plugin("credits", { getMiddlewares })]);
    expect([done?.["status"], model.asked.length]).toEqual(["failed", 0]);
    expect(frames.at(-2)?.data).toMatchObject({
      code: "gate_failed",
      error: 'The check "credits" could not be completed, so this answer was stopped. Please try again.',
    });
    expect(session.logged.map(({ event }) => event)).toContain("plugin-middlewares-failed");
  });
});

describe("a hook whose answer is neither nothing nor an end has failed [OR-157]", () => {
  const odd: readonly unknown[] = [
    { jumpTo: "end", messages: ["Enough."] },
    { jumpTo: "end" },
    { jumpTo: "end", message: 5 },
    { jumpTo: "end", message: " " },
    { jumpTo: "model" },
    "stop",
    false,
  ];
  const hooks = ["beforeAgent", "beforeModel", "afterModel"] as const;
  const cases = hooks.flatMap((hook) => odd.map((answer) => [hook, answer] as const));

  test.each(cases)("%s: %j", async (hook, answer) => {
    const asked: AgentMiddleware = { name: "gate", [hook]: () => answer };
    const open = await playTurn(asking, [around(asked)]);
    expect([open.done?.["status"], noticesOf(open.frames).length]).toEqual(["finished", 1]);
    const closed = await playTurn(asking, [around({ ...asked, required: true })]);
    expect(closed.done).toMatchObject({ status: "failed" });
    expect(closed.frames.at(-2)?.data).toMatchObject({ code: "gate_failed" });
  });

  test.each([{ jumpTo: "end" }, { jumpTo: "end", message: "" }])("a wrap hook with %j too", async (answer) => {
    for (const hook of ["wrapModelCall", "wrapToolCall"]) {
      const gate = { name: "gate", required: true, [hook]: async () => answer } as AgentMiddleware;
      const { frames, done } = await playTurn(asking, [around(gate)]);
      expect([done?.["status"], frames.at(-2)?.data["code"]]).toEqual(["failed", "gate_failed"]);
    }
  });

  test("null is nothing", async () => {
    const quiet = { name: "quiet", required: true, beforeAgent: () => null } as unknown as AgentMiddleware;
    expect((await playTurn(asking, [around(quiet)])).done).toMatchObject({ status: "finished" });
  });
});
