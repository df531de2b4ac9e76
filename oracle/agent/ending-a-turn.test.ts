/** Turns ended by a hook: their tokens, calls and questions, and how a restart resumes them. */
import { describe, expect, test } from "vitest";
import { readFrames, textOf } from "../../test/support/oracle/frame-reader.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { follow, start } from "../../test/support/oracle/lost-runs.ts";
import { calling, openPlay, playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware, EndTurn } from "../framework/middleware.ts";

const end: EndTurn = { jumpTo: "end", message: "Enough." };
const around = (...middlewares: AgentMiddleware[]) =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });
const asking: Parameters<typeof playTurn>[0] = [["Let me see.", calling("look")], ["Here it is."]];

describe("`afterAgent` cannot end the turn, which has already ended [OR-156]", () => {
  const ending = { name: "late", afterAgent: () => end } as unknown as AgentMiddleware;

  test("an `afterAgent` that tries has failed, and the other hooks still run", async () => {
    let ran = 0;
    const { session, frames, done } = await playTurn(asking, [
      around({ name: "first", afterAgent: () => void (ran += 1) }, ending),
    ]);
    expect([done?.["status"], textOf(frames), ran]).toEqual(["finished", "Let me see.Here it is.", 1]);
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toMatchObject([
      { middleware: "late", hook: "afterAgent" },
    ]);
  });

  test("in a sub-agent, its answer counts and the main turn continues", async () => {
    const helper = {
      name: "helper",
      description: "helps",
      systemPrompt: "Help.",
      forwardTools: false,
      middlewares: [ending],
    };
    const { done, frames } = await playTurn(
      [[calling("call_helper", { task: "x" })], ["Helped."], ["All done."]],
      [plugin("p", { getSubAgents: () => [helper] })],
    );
    expect([done?.["status"], textOf(frames)]).toEqual(["finished", "All done."]);
  });

  test("the turn fails if a required hook fails after another hook has ended the turn", async () => {
    const gate: AgentMiddleware = {
      name: "bill",
      required: true,
      afterAgent: () => {
        throw new Error("no bill");
      },
    };
    const { done, frames } = await playTurn(asking, [around({ name: "sleepy", beforeAgent: () => end }, gate)]);
    expect(done).toMatchObject({ status: "failed", partialText: "Enough." });
    expect(frames.at(-2)?.data).toMatchObject({ code: "gate_failed" });
  });
});

const failing: NonNullable<AgentMiddleware["wrapToolCall"]> = async () => {
  throw new Error("no");
};
/** Ends the turn at the call of `stop`, after the other calls of its step have begun. */
function stopping(wrapToolCall: NonNullable<AgentMiddleware["wrapToolCall"]>, ready: Promise<void>): AgentMiddleware {
  return {
    name: "gate",
    required: true,
    async wrapToolCall(request, next, ctx) {
      if (request.name !== "stop") return next(request);
      await ready;
      return wrapToolCall(request, next, ctx);
    },
  };
}
const step: Parameters<typeof playTurn>[0] = [["Let me see.", calling("stop"), calling("other")], ["Never asked."]];
const ends = [
  ["a message", async () => end, { status: "finished" }, "Let me see.\n\nEnough."],
  ["a gate that failed", failing, { status: "failed" }, "Let me see."],
] as const;

describe.each(ends)("a turn that ends with %s while other calls of its step are open [OR-156]", (...row) => {
  const [, wrapToolCall, done, text] = row;

  test("does not wait for an approval: the question is closed, and the call is not made", async () => {
    const isAsked = Promise.withResolvers<void>();
    let made = 0;
    const other = { ...tool("other", () => (made += 1)), needsApproval: true };
    const { session, model } = await openPlay(step, [
      plugin("p", {
        getTools: () => [tool("stop", () => "stopped"), other],
        getMiddlewares: () => [stopping(wrapToolCall, isAsked.promise)],
      }),
    ]);
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    await reader.until(({ event }) => event === "action_call");
    isAsked.resolve();
    const frames = await reader.rest();
    expect(frames.at(-1)?.data).toMatchObject(done);
    const questions = frames.filter(({ event }) => event === "action_call").map(({ data }) => data["status"]);
    expect([questions.at(-1), made, model.asked.length]).toEqual(["error", 0, 1]);
  });

  test("ends with the stored verdict after a restart, without asking the model again", async () => {
    const begun = Promise.withResolvers<void>();
    const other = tool("other", () => (begun.resolve(), new Promise<never>(() => undefined)));
    const { session, model } = await openPlay(step, [
      plugin("p", {
        getTools: () => [tool("stop", () => "stopped"), other],
        getMiddlewares: () => [stopping(wrapToolCall, begun.promise)],
      }),
    ]);
    const runId = await start(session, "go");
    await begun.promise;
    await expect
      .poll(() => session.database.prepare("SELECT verdict FROM runs").get()?.["verdict"] ?? null)
      .not.toBeNull();
    session.restart();
    const frames = await follow(session, runId);
    expect(frames.at(-1)?.data).toMatchObject(done);
    expect([textOf(frames), model.asked.length]).toEqual([text, 1]);
    expect(session.database.prepare("SELECT verdict FROM runs").get()?.["verdict"]).toBeNull();
  });
});

describe("a hook ends the turn with a failure [OR-242]", () => {
  const failure = {
    kind: "budget_exhausted",
    limit: "credits",
    code: "credits_used_up",
    message: "Please top up.",
    retryable: false,
  } as const;
  const spent: EndTurn = { jumpTo: "end", failure };
  const hooks: readonly (readonly [string, AgentMiddleware, string])[] = [
    ["beforeAgent", { name: "m", beforeAgent: () => spent }, ""],
    ["beforeModel", { name: "m", beforeModel: ({ step: taken }) => (taken === 1 ? spent : undefined) }, "Let me see."],
    ["wrapModelCall", { name: "m", wrapModelCall: async () => spent }, ""],
    ["afterModel", { name: "m", afterModel: () => spent }, "Let me see."],
    ["wrapToolCall", { name: "m", wrapToolCall: async () => spent }, "Let me see."],
  ];

  test.each(hooks)(
    "%s: text already sent is kept, and the run fails with that failure",
    async (_, middleware, text) => {
      let ended = 0;
      const { session, frames, done } = await playTurn(asking, [
        around(middleware, { name: "after", afterAgent: () => void (ended += 1) }),
      ]);
      expect(done).toMatchObject({ status: "failed", failed: true, partialText: text });
      const { message: error, ...rest } = failure;
      expect(frames.at(-2)).toMatchObject({ event: "error", data: { error, ...rest, source: "platform" } });
      expect([textOf(frames), ended]).toEqual([text, 0]);
      const stored = session.database.prepare("SELECT failure, verdict FROM runs").get();
      expect(JSON.parse(String(stored?.["failure"]))).toEqual(failure);
      expect(stored?.["verdict"]).toBeNull();
    },
  );

  test("the whole reply contains it too", async () => {
    const { session } = await openPlay(asking, [around({ name: "m", beforeAgent: () => spent })]);
    const reply = valueOf(await session.core.completeRun(OWNER, turn("go")));
    expect(reply).toMatchObject({ status: "failed", failure });
  });

  test("a restart keeps the failure", async () => {
    const begun = Promise.withResolvers<void>();
    const other = tool("other", () => (begun.resolve(), new Promise<never>(() => undefined)));
    const { session, model } = await openPlay(step, [
      plugin("p", {
        getTools: () => [tool("stop", () => "stopped"), other],
        getMiddlewares: () => [stopping(async () => spent, begun.promise)],
      }),
    ]);
    const runId = await start(session, "go");
    await expect
      .poll(() => session.database.prepare("SELECT verdict FROM runs").get()?.["verdict"] ?? null)
      .not.toBeNull();
    session.restart();
    const frames = await follow(session, runId);
    expect(frames.at(-2)?.data).toMatchObject({ code: "credits_used_up", limit: "credits" });
    expect([textOf(frames), model.asked.length]).toEqual(["Let me see.", 1]);
  });

  test("from a sub-agent's step it fails the whole turn", async () => {
    const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: false };
    const { done, model } = await playTurn(
      [[calling("call_helper", { task: "x" })], ["Helped."], ["Never asked."]],
      [
        plugin("p", {
          getSubAgents: () => [helper],
          getMiddlewares: () => [{ name: "m", beforeModel: ({ agent }) => (agent === "helper" ? spent : undefined) }],
        }),
      ],
    );
    expect([done?.["status"], model.asked.length]).toEqual(["failed", 1]);
  });

  test("it outweighs a message with which another hook ended the turn, and a failed gate outweighs it", async () => {
    const late = (wrapToolCall: NonNullable<AgentMiddleware["wrapToolCall"]>) =>
      plugin("late", { getMiddlewares: () => [{ name: "late", required: true, wrapToolCall }] });
    const turnWith = async (first: NonNullable<AgentMiddleware["wrapToolCall"]>, second: typeof first) => {
      const both = Promise.withResolvers<void>();
      return playTurn(
        [["Let me see.", calling("look"), calling("stop")]],
        [
          plugin("p", { getTools: () => [tool("look", () => "seen"), tool("stop", () => "stopped")] }),
          late(async (request, next, ctx) => {
            if (request.name === "look") {
              both.resolve();
              return first(request, next, ctx);
            }
            await both.promise;
            return second(request, next, ctx);
          }),
        ],
      );
    };
    const outweighing = await turnWith(
      async () => end,
      async () => spent,
    );
    expect(outweighing.frames.at(-2)?.data).toMatchObject({ code: "credits_used_up" });
    const outweighed = await turnWith(async () => spent, failing);
    expect(outweighed.frames.at(-2)?.data).toMatchObject({ code: "gate_failed" });
  });

  test.each([
    [{ ...failure, message: " " }],
    [{ ...failure, kind: "no such" }],
    [{ ...failure, limit: "money" }],
    [{ ...failure, code: "Two Words" }],
    [{ ...failure, retryable: undefined }],
    [undefined],
  ])("%j is an invalid failure, and the hook's mistake", async (wrong) => {
    const mistaken = {
      name: "m",
      beforeAgent: () => ({ jumpTo: "end", failure: wrong }),
    } as unknown as AgentMiddleware;
    const { session, done } = await playTurn(asking, [around(mistaken)]);
    expect(done).toMatchObject({ status: "finished" });
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toHaveLength(1);
  });
});

test("a message sent before a restart is not sent again [OR-156]", async () => {
  const reached = Promise.withResolvers<void>();
  let isFirst = true;
  const hanging: AgentMiddleware = {
    name: "hanging",
    beforeAgent: () => end,
    afterAgent() {
      if (!isFirst) return undefined;
      isFirst = false;
      reached.resolve();
      return new Promise<never>(() => undefined);
    },
  };
  const { session, model } = await openPlay([["Never asked."]], [around(hanging)]);
  const runId = await start(session, "go");
  await reached.promise;
  session.restart();
  const frames = await follow(session, runId);
  expect([textOf(frames), model.asked.length]).toEqual(["Enough.", 0]);
  expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
});
