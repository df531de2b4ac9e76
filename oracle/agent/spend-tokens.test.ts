/** Tokens of a model that a plugin calls itself count with its turn, and are refused when turn or day has too few left. */
import { expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { calling, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { reporting } from "../../test/support/plugins/reporting-plugin.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { tokensOfDay, type TokensOfDay } from "../../test/support/oracle/tokens-of-day.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";

const used = (input: number, output: number): Beat => ({ finish: "tool-calls", used: [input, output] });

/** One turn whose tool spends this many tokens each time: its results, and the turn's usage. */
async function spend(
  tokens: readonly number[],
  { maxTokens = 500_000, day }: { maxTokens?: number; day?: TokensOfDay },
) {
  const { reports, ledger } = reporting();
  const answers: unknown[] = [];
  const embedding = plugin("embedding", {
    getTools: () => [
      tool("embed", async (_, ctx) => {
        for (const each of tokens)
          answers.push(await ctx.spendTokens(each).catch((thrown: unknown) => (thrown as Error).name));
        return "done";
      }),
    ],
  });
  const model = createScriptedModel();
  model.plays([calling("embed"), used(1_000, 10)], ["Done.", { finish: "stop", used: [100, 10] }]);
  const limits = { ...chatSettings().limits, maxTokens };
  const settings = { models: chatModels(model, 1_000_000), plugins: [embedding, ledger], limits };
  const session = await startSession({ settings, ...(day === undefined ? {} : { day }) });
  await say(session, "hi");
  const [usage] = reports[0]?.usage ?? [];
  return { answers, usage, touches: session.touches };
}

test("they count as input of the turn's model, for plugins and for the user's day [OR-606]", async () => {
  const { answers, usage, touches } = await spend([700, 0], {});
  expect(answers).toEqual([true, true]);
  expect(usage).toMatchObject({ inputTokens: 1_800, outputTokens: 20 });
  expect(touches.flatMap(({ spent = [] }) => spent.map(({ tokens }) => tokens)).at(-1)).toBe(1_820);
});

test("tokens beyond the turn's budget are refused and not counted [OR-606]", async () => {
  const { answers, usage } = await spend([9_000, 7_000], { maxTokens: 10_000 });
  expect(answers).toEqual([false, true]);
  expect(usage).toMatchObject({ inputTokens: 8_100, outputTokens: 20 });
});

test("tokens beyond the day's limit are refused [OR-606]", async () => {
  const { answers } = await spend([50_000], { day: tokensOfDay(1_005) });
  expect(answers).toEqual([false]);
});

test.each([-1, 0.5, Number.NaN])("%d is not a number of tokens [OR-606]", async (tokens) => {
  expect((await spend([tokens], {})).answers).toEqual(["TypeError"]);
});
