/** Every model request counts, however its answer ends: the tokens that it reported, or an estimate. */
import { describe, expect, test } from "vitest";
import { chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay, playTurn, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import type { AgentMiddleware, EndTurn } from "../framework/middleware.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { ANSWER_SIZE } from "../runs/active-run.ts";
import { estimateTokens } from "../runs/step-store.ts";

const used: Beat = { finish: "stop", used: [100, 20] };
const end: EndTurn = { jumpTo: "end", message: "Enough." };
const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: false };
const around = (middleware: Omit<AgentMiddleware, "name">) =>
  plugin("around", { getMiddlewares: () => [{ name: "around", ...middleware }] });
const withHelper = plugin("helping", { getSubAgents: () => [helper] });

function endOf({ logged }: SessionInNode) {
  return logged.find(({ event }) => event === "run-ended") as unknown as { inputTokens: number; outputTokens: number };
}

describe("a turn that a hook ends counts its model's tokens [OR-158] [OR-172]", () => {
  test.each<[string, Omit<AgentMiddleware, "name">]>([
    ["wrapModelCall, after the model", { wrapModelCall: async (request, next) => (await next(request), end) }],
    ["afterModel", { afterModel: () => end }],
    [
      "afterModel of a gate that fails",
      {
        required: true,
        afterModel: () => {
          throw new Error("no");
        },
      },
    ],
  ])("%s", async (_, middleware) => {
    const { session } = await playTurn([["Hi.", used]], [around(middleware)]);
    expect(endOf(session)).toMatchObject({ inputTokens: 100, outputTokens: 20 });
  });
});

describe("an interrupted answer counts [OR-158] [OR-172]", () => {
  const long = "x".repeat(30_000);
  const retrying: Omit<AgentMiddleware, "name"> = {
    async wrapModelCall(request, next) {
      for (;;) {
        try {
          return await next(request);
        } catch (thrown) {
          if ((thrown as Error).name !== "ModelError") throw thrown;
        }
      }
    },
  };
  const broken: Beat[] = [long, { fail: new Error("lost") }];

  test("each time that middleware asks again", async () => {
    const { session } = await playTurn([broken, broken, ["Hi.", used]], [around(retrying)]);
    expect(endOf(session).outputTokens).toBe(2 * estimateTokens(long.length) + 20);
    expect(endOf(session).inputTokens).toBeGreaterThan(100);
  });

  test("and the turn stops asking once its tokens are used", async () => {
    const { model, session } = await openPlay([broken, broken, broken, ["Hi."]], [around(retrying)], {
      limits: { ...chatSettings().limits, maxTokens: estimateTokens(long.length) + 10_000 },
    });
    const frames = await say(session, "go");
    expect(model.asked).toHaveLength(2);
    expect(frames.at(-2)?.data).toMatchObject({ kind: "budget_exhausted", limit: "tokens" });
  });

  test("a sub-agent's answer that grows too long", async () => {
    const { session, done } = await playTurn(
      [[calling("call_helper", { task: "x" })], ["x".repeat(ANSWER_SIZE), "y"], ["Done."]],
      [withHelper],
    );
    expect(done).toMatchObject({ status: "finished" });
    expect(endOf(session).outputTokens).toBeGreaterThanOrEqual(estimateTokens(ANSWER_SIZE));
  });

  test.each<[string, readonly (readonly Beat[])[], number]>([
    ["a sub-agent's, by a stop", [[calling("call_helper", { task: "x" })], [long, { wait: createGate() }]], 2],
    ["a held back one, by a stop", [[long, { wait: createGate() }]], 1],
  ])("%s", async (_, steps, asked) => {
    const held = around({ rewritesText: true, wrapModelCall: (request, next) => next(request) });
    const { model, session } = await openPlay(steps, [held, withHelper]);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("go")));
    const reader = readFrames(frames);
    await model.whenAsked(asked);
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    await session.core.abort(OWNER);
    await reader.rest();
    await session.settled();
    expect(endOf(session).outputTokens).toBeGreaterThanOrEqual(estimateTokens(long.length));
  });

  test("a complete answer that middleware is still processing when the user stops the turn", async () => {
    const reached = Promise.withResolvers<void>();
    const busy = around({
      async wrapModelCall(request, next) {
        await next(request);
        reached.resolve();
        return await new Promise<never>(() => undefined);
      },
    });
    const { session } = await openPlay([["Hi.", used]], [busy]);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("go")));
    await reached.promise;
    await session.core.abort(OWNER);
    await readFrames(frames).rest();
    await session.settled();
    expect(endOf(session)).toMatchObject({ inputTokens: 100, outputTokens: 20 });
  });
});

describe("failures in a turn other than the model's [OR-234]", () => {
  test("our own error is logged with its reason, and the run fails", async () => {
    const { session } = await openPlay([["Hi."]], []);
    session.database.exec(
      "CREATE TRIGGER full BEFORE INSERT ON steps BEGIN SELECT RAISE(ABORT, 'steps are full'); END",
    );
    const frames = await say(session, "go");
    expect(frames.at(-1)?.data).toMatchObject({ status: "failed" });
    expect(frames.at(-2)?.data).toMatchObject({ source: "platform", code: "run_failed" });
    const events = session.logged.map(({ event }) => event);
    expect(events).not.toContain("run-model-failed");
    expect(session.logged.find(({ event }) => event === "run-broken")).toMatchObject({
      reason: expect.stringContaining("steps are full"),
    });
  });

  test("a provider's error is logged as the model's, without its text", async () => {
    const { session, done } = await playTurn([[{ fail: new Error("words of the provider") }]], []);
    expect(done).toMatchObject({ status: "failed" });
    const events = session.logged.map(({ event }) => event);
    expect([events.includes("run-model-failed"), events.includes("run-broken")]).toEqual([true, false]);
    expect(JSON.stringify(session.logged)).not.toContain("words of the provider");
  });
});

describe("a plugin's invalid values fail only the part they belong to [OR-131] [OR-157]", () => {
  test("a call result that is neither an output nor an error", async () => {
    const odd = { wrapToolCall: async () => ({ error: 5, output: 1 }) } as unknown as Omit<AgentMiddleware, "name">;
    const { session, done } = await playTurn(
      [[calling("look")], ["Done."]],
      [around(odd), plugin("p", { getTools: () => [tool("look", () => "seen")] })],
    );
    expect(done).toMatchObject({ status: "finished" });
    expect(session.logged.map(({ event }) => event)).toContain("middleware-failed");
  });

  test("a tool whose name cannot be read", async () => {
    const unreadable = Object.defineProperty({ ...tool("look", () => "seen") }, "name", {
      enumerable: true,
      get() {
        throw new Error("no name");
      },
    });
    const { session, done } = await playTurn([["Hi."]], [plugin("p", { getTools: () => [unreadable] })]);
    expect(done).toMatchObject({ status: "finished" });
    expect(session.logged.map(({ event }) => event)).toContain("tool-left-out");
  });
});
