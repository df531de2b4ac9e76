/** What a turn that a hook ends leaves behind: tokens, calls, questions, and what a restart knows of it. */
import { describe, expect, test } from "vitest";
import { readFrames, textOf } from "../../../test/support/frame-reader.ts";
import { OWNER, turn, valueOf } from "../../../test/support/chat-turns.ts";
import { follow, start } from "../../../test/support/oracle/lost-runs.ts";
import { calling, openPlay, playTurn } from "../../../test/support/played-turn.ts";
import { plugin, tool } from "../../../test/support/plugins.ts";
import type { AgentMiddleware, EndTurn } from "../../../workers/oracle/framework/middleware.ts";

const end: EndTurn = { jumpTo: "end", message: "Enough." };
const around = (...middlewares: AgentMiddleware[]) =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });
const asking: Parameters<typeof playTurn>[0] = [["Let me see.", calling("look")], ["Here it is."]];

describe("`afterAgent` cannot end the turn: it has ended [OR-156]", () => {
  const ending = { name: "late", afterAgent: () => end } as unknown as AgentMiddleware;

  test("one that tries has failed, and the others still run", async () => {
    let ran = 0;
    const { session, frames, done } = await playTurn(asking, [
      around({ name: "first", afterAgent: () => void (ran += 1) }, ending),
    ]);
    expect([done?.["status"], textOf(frames), ran]).toEqual(["finished", "Let me see.Here it is.", 1]);
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toMatchObject([
      { middleware: "late", hook: "afterAgent" },
    ]);
  });

  test("of a sub-agent: its answer counts, and the main turn goes on", async () => {
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

  test("a required one that fails after a hook has ended the turn fails it", async () => {
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
/** Ends the turn at the call of `stop`, once the others of its step have begun. */
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

  test("waits for no approval: the question is over, and the call is not made", async () => {
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

  test("ends as it was decided after a restart, and the model is not asked again", async () => {
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

test("a message that was said before a restart is not said again [OR-156]", async () => {
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
