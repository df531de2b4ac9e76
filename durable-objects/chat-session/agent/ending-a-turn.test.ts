/** What a turn that a hook ends leaves behind: tokens, calls, questions, and what a restart knows of it. */
import { describe, expect, test } from "vitest";
import { textOf } from "../../../test/support/frame-reader.ts";
import { calling, playTurn } from "../../../test/support/played-turn.ts";
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
