/** How tools and the middleware around them may change the arguments and the result of a call. */
import { expect, test } from "vitest";
import { calling, playTurn, recordsOf } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware, ToolCallResult } from "../framework/middleware.ts";
import { TOOL_OUTPUT_SIZE } from "./tool-calls.ts";

const looking: Parameters<typeof playTurn>[0] = [[calling("look", { at: { place: "here" } })], ["Done."]];

async function callOf(wrapToolCall: NonNullable<AgentMiddleware["wrapToolCall"]>) {
  const { frames, done } = await playTurn(looking, [
    plugin("p", {
      getTools: () => [tool("look", () => ({ seen: "much" }))],
      getMiddlewares: () => [{ name: "around", wrapToolCall }],
    }),
  ]);
  expect(done).toMatchObject({ status: "finished" });
  return frames.findLast(({ event }) => event === "tool_call")?.data;
}

/** A text whose JSON has this length. */
const text = (size: number): string => "x".repeat(size - 2);

test.each<[string, ToolCallResult]>([
  ["result", { output: text(TOOL_OUTPUT_SIZE + 1) }],
  ["error", { error: "x".repeat(TOOL_OUTPUT_SIZE + 1) }],
])("a result from middleware has the size limit of a tool's %s [OR-232]", async (part, result) => {
  expect(await callOf(async () => result)).toMatchObject({
    status: "error",
    error: `The ${part} of look is too large`,
  });
});

test("a result of exactly the maximum size is kept [OR-232]", async () => {
  const largest = text(TOOL_OUTPUT_SIZE);
  expect(await callOf(async () => ({ output: largest }))).toMatchObject({ output: largest });
});

test("a result that middleware changed in place has the size limit too [OR-232]", async () => {
  const call = await callOf(async (request, next) => {
    const result = await next(request);
    if ("output" in result) Object.assign(result.output as object, { seen: text(TOOL_OUTPUT_SIZE) });
    return result;
  });
  expect(call).toMatchObject({ output: expect.stringContaining("look was completed, but its result is too large") });
});

test("changing arguments in handlers and middleware affects neither record nor frames [OR-233]", async () => {
  const spoil = (args: unknown): void => {
    const { at } = args as { at: { place?: string } };
    delete at.place;
  };
  const { session, frames } = await playTurn(looking, [
    plugin("p", {
      getTools: () => [tool("look", (args) => (spoil(args), "seen"))],
      getMiddlewares: () => [
        { name: "around", wrapToolCall: (request, next) => (Object.assign(request.args, { more: 1 }), next(request)) },
      ],
    }),
  ]);
  const args = { at: { place: "here" } };
  expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ args }]);
  const shown = frames.filter(({ event }) => event === "tool_call").map(({ data }) => data["args"]);
  expect(shown).toEqual([
    { ...args, toolName: "look" },
    { ...args, toolName: "look" },
  ]);
});
