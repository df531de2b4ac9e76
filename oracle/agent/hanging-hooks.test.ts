/** Hooks, plugins and tools that never answer: the end of the turn aborts them, and leaves nothing running. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, textOf } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import type { AgentMiddleware, EndTurn } from "../framework/middleware.ts";
import type { PluginDefinition } from "../framework/plugin.ts";

const around = (...middlewares: AgentMiddleware[]): PluginDefinition =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });

const asking: readonly (readonly Beat[])[] = [["Let me see.", calling("look")], ["Here it is."]];
const end: EndTurn = { jumpTo: "end", message: "Enough." };

describe("a hook that hangs is aborted when the turn ends [OR-159]", () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  test.each([
    ["beforeAgent", { beforeAgent: never }],
    ["wrapModelCall", { wrapModelCall: never }],
    ["wrapToolCall", { wrapToolCall: never }],
    ["afterModel", { afterModel: never }],
    ["afterAgent", { afterAgent: never }],
  ] satisfies [string, Partial<AgentMiddleware>][])("%s, by the turn's time limit", async (_, hooks) => {
    const { session } = await openPlay(asking, [around({ name: "stuck", ...hooks })]);
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    await settledTicks();
    session.clock.advance(600_000);
    session.core.watch();
    const frames = await reader.rest();
    expect(frames.at(-1)?.data).toMatchObject({ status: "failed" });
    await session.settled();
  });

  test.each(["getSharedState", "getTools", "getSubAgents", "getMiddlewares"] as const)(
    "so is %s of a plugin",
    async (hook) => {
      const { session } = await openPlay([["Hi."]], [plugin("stuck", { [hook]: never })]);
      const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
      session.clock.advance(600_000);
      session.core.watch();
      expect((await reader.rest()).at(-1)?.data).toMatchObject({ status: "failed" });
      await session.settled();
    },
  );

  test("a tool that hangs is aborted too, and nothing of the turn keeps running", async () => {
    const { session } = await openPlay(
      [[calling("look")]],
      [plugin("stuck", { getTools: () => [tool("look", never)] })],
    );
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    await reader.until(({ event }) => event === "tool_call");
    session.clock.advance(600_000);
    session.core.watch();
    expect((await reader.rest()).at(-1)?.data).toMatchObject({ status: "failed" });
    await session.settled();
    expect(session.logged.map(({ event }) => event)).not.toContain("tool-failed");
  });

  test("by the user's stop; its later answer is dropped", async () => {
    const gate = createGate();
    const slow: AgentMiddleware = { name: "slow", beforeAgent: async () => (await gate.opened, end) };
    const { session } = await openPlay(asking, [around(slow)]);
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    await settledTicks();
    valueOf(await session.core.abort(OWNER));
    gate.open();
    const frames = await reader.rest();
    expect([frames.at(-1)?.data["status"], textOf(frames)]).toEqual(["aborted", ""]);
    await session.settled();
    expect(session.logged.map(({ event }) => event)).not.toContain("middleware-failed");
  });
});

async function settledTicks(): Promise<void> {
  for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => void setImmediate(resolve));
}
