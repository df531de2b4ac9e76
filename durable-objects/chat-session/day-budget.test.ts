/** Turns and the daily tokens of their user: each request is reserved before it is sent, and its answer is bounded. */
import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { calling, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { tokensOfDay, type TokensOfDay } from "../../test/support/oracle/tokens-of-day.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { FIRST_RETRY_WAIT_MS } from "../../oracle/agent/model-request.ts";
import { SHORTEST_ANSWER_TOKENS } from "../../oracle/agent/run-limits.ts";

const used = (input: number, output: number): Beat => ({ finish: "stop", used: [input, output] });
const looking = plugin("looking", { getTools: () => [tool("look", () => "seen")] });

async function open(
  day: TokensOfDay | undefined,
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[] = [],
  maxTokens = 500_000,
  maxRetries = 0,
) {
  const model = createScriptedModel();
  model.plays(...steps);
  const limits = { ...chatSettings().limits, maxTokens };
  const settings = { models: { ...chatModels(model, 1_000_000), maxRetries }, plugins, limits };
  return { model, session: await startSession({ settings, ...(day === undefined ? {} : { day }) }) };
}

describe("the longest answer that is requested from a model [OR-454]", () => {
  test("is what the operator allows, in each request of a turn, and of its sub-agents", async () => {
    const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: false };
    const { model, session } = await open(
      undefined,
      [[calling("call_helper", { task: "x" })], ["Done."], ["All done."]],
      [plugin("helping", { getSubAgents: () => [helper] })],
    );
    await say(session, "hi");
    expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([8_192, 8_192, 8_192]);
  });

  test("is less if middleware, the turn or the day leaves less, and never more", async () => {
    const shorter = plugin("shorter", {
      getMiddlewares: () => [
        { name: "shorter", wrapModelCall: (request, next) => next({ ...request, maxOutputTokens: 300 }) },
      ],
    });
    const longer = plugin("longer", {
      getMiddlewares: () => [
        { name: "longer", wrapModelCall: (request, next) => next({ ...request, maxOutputTokens: 1e9 }) },
      ],
    });
    const asked = async (...parts: Parameters<typeof open>) => {
      const { model, session } = await open(...parts);
      await say(session, "hi");
      return model.asked[0]?.maxOutputTokens ?? 0;
    };
    expect(await asked(undefined, [["Hi."]], [shorter])).toBe(300);
    expect(await asked(undefined, [["Hi."]], [longer])).toBe(8_192);
    expect(await asked(undefined, [["Hi."]], [], 5_000)).toBeLessThan(5_000);
    expect(await asked(undefined, [["Hi."]], [], 10)).toBe(SHORTEST_ANSWER_TOKENS);
    expect(await asked(tokensOfDay(5_000), [["Hi."]])).toBeLessThan(5_000);
    expect(await asked(tokensOfDay(1), [["Hi."]])).toBe(SHORTEST_ANSWER_TOKENS);
  });
});

describe("a turn whose daily tokens are used up [OR-456]", () => {
  test("ends after the step that used them up, with its text so far", async () => {
    const { model, session } = await open(
      tokensOfDay(20_000),
      [["Wait.", calling("look"), used(19_000, 1_000)]],
      [looking],
    );
    const frames = await say(session, "hi");
    expect(model.asked).toHaveLength(1);
    expect(frames.at(-2)?.data).toMatchObject({
      kind: "budget_exhausted",
      limit: "day",
      retryable: false,
      error: "Today's tokens are used up, and the answer was stopped. The limit resets at 00:00 UTC.",
    });
    expect(frames.at(-1)?.data).toMatchObject({ status: "failed", partialText: "Wait." });
  });

  test("reserves again for each step, and continues while tokens remain", async () => {
    const { model, session } = await open(
      tokensOfDay(50_000),
      [[calling("look"), used(19_000, 1_000)], [calling("look", { more: true }), used(19_000, 1_000)], ["Seen."]],
      [looking],
    );
    const frames = await say(session, "hi");
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    const [first = 0, second = 0, third = 0] = model.asked.map(({ maxOutputTokens }) => maxOutputTokens);
    expect([first, second]).toEqual([8_192, 8_192]);
    expect(third).toBeLessThanOrEqual(10_000);
  });

  test("does not count a lost request's usage twice [OR-550]", async () => {
    const lost = [{ refuse: new TypeError("fetch failed") }] satisfies Beat[];
    const { model, session } = await open(tokensOfDay(1), [lost, ["Hi."]], [], 500_000, 1);
    const { frames } = valueOf(await session.core.startRun(OWNER, turn("hi")));
    const reader = readFrames(frames);
    await reader.until(({ event }) => event === "error");
    session.clock.advance(FIRST_RETRY_WAIT_MS);
    expect((await reader.rest()).at(-2)?.data).toMatchObject({ kind: "budget_exhausted", limit: "day" });
    expect(model.asked).toHaveLength(1);
  });

  test("two concurrent sub-agents wait for each other instead of ending the turn", async () => {
    const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: false };
    const { session } = await open(
      tokensOfDay(10_000),
      [
        [calling("call_helper", { task: "x" }), calling("call_helper", { task: "y" }), used(100, 1)],
        ["One.", used(100, 1)],
        ["Two.", used(100, 1)],
        ["All done.", used(100, 1)],
      ],
      [plugin("helping", { getSubAgents: () => [helper] })],
    );
    const frames = await say(session, "hi");
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  });
});

test("500 concurrent sessions spend the day's tokens and at most one call more [OR-453]", async () => {
  const LIMIT = 200_000;
  const day = tokensOfDay(LIMIT);
  const sessions = await Promise.all(
    Array.from({ length: 500 }, () =>
      open(
        day,
        [
          [calling("look"), used(700, 2_000)],
          ["Seen.", used(2_800, 2_000)],
        ],
        [looking],
      ),
    ),
  );
  const ends = await Promise.all(
    sessions.map(async ({ session }) => {
      const started = valueOf(await session.core.startRun(OWNER, turn("hi")));
      return (await readFrames(started.frames).rest()).at(-1)?.data;
    }),
  );
  await Promise.all(sessions.map(({ session }) => session.settled()));
  const calls = sessions.flatMap(({ model }) => model.asked.map((_, step) => (step === 0 ? 2_700 : 4_800)));
  const spent = calls.reduce((sum, tokens) => sum + tokens, 0);
  expect(spent).toBeLessThan(LIMIT + 8_192 + 2_800);
  expect(ends.filter((end) => end?.["status"] === "finished").length).toBeGreaterThan(0);
});
