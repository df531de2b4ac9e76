/** The result of `getSharedState` is validated, whatever its type says. */
import { expect, test } from "vitest";
import { playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import type { SharedState } from "../framework/shared-state.ts";

test.each<[string, unknown]>([
  ["a number as its section", { promptSection: 5 }],
  ["a promise as its section", { promptSection: Promise.resolve("## Home") }],
  ["an agent's name that is no text", { agentName: {} }],
  ["a text", "## Home"],
])("%s: the plugin loses its state, and the turn continues without it [OR-231]", async (_, state) => {
  const given: unknown[] = [];
  const { session, done, prompts } = await playTurn(
    [["Hi."]],
    [
      plugin("wrong", {
        getSharedState: () => state as SharedState,
        getTools: (ctx) => (given.push(ctx.state), []),
      }),
      plugin("right", { getSharedState: () => ({ promptSection: "## Right\nyes" }) }),
    ],
  );
  expect(done).toMatchObject({ status: "finished" });
  expect(prompts[0]).toContain("## Right\nyes");
  expect(given).toEqual([{}]);
  expect(session.logged.filter(({ event }) => event === "plugin-state-failed")).toMatchObject([
    { plugin: "wrong", reason: expect.stringContaining("TypeError: ") },
  ]);
});

test("anything with a `then` is awaited, such as the answer of another Worker [OR-231]", async () => {
  const answer = {};
  Reflect.set(answer, "then", (resolve: (state: SharedState) => void) => resolve({ promptSection: "## Far\naway" }));
  const { session, prompts } = await playTurn([["Hi."]], [plugin("far", { getSharedState: () => answer })]);
  expect(prompts[0]).toContain("## Far\naway");
  expect(session.logged.map(({ event }) => event)).not.toContain("plugin-state-failed");
});
