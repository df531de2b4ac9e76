/** A conversation that outgrows the model's window: summarised once, stored, extended, and cut if that fails. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import type { ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { promptsOf, say } from "../../test/support/oracle/played-turn.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { ModelCallRequest, ModelCallResult } from "../framework/model-call.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import { SUMMARY_CALLS, SUMMARY_SIZE } from "./middlewares/summary.ts";

/** A model with room for 9,000 characters. */
async function open(...steps: readonly (readonly Beat[])[]) {
  return openWith([], ...steps);
}

async function openWith(plugins: readonly PluginDefinition[], ...steps: readonly (readonly Beat[])[]) {
  const model = createScriptedModel();
  model.plays(...steps);
  const models = { ...chatModels(model), contextTokens: () => 4_000 };
  const session = await startSession({ settings: { models, plugins } });
  return { model, session };
}

const detailsOf = (frames: readonly ReadFrame[]) =>
  frames.filter(({ event }) => event === "error").map(({ data }) => data["detail"]);
const long = (letter: string): string => letter.repeat(2_900);
const asked = (model: ReturnType<typeof createScriptedModel>, at: number): string =>
  JSON.stringify(model.asked[at]?.prompt);

describe("old turns are summarised when they do not fit the window [OR-166]", () => {
  test("not while they fit", async () => {
    const { model, session } = await open(["One."], ["Two."], ["Three."], ["Four."]);
    for (const letter of ["a", "b", "c"]) expect(detailsOf(await say(session, long(letter)))).toEqual([]);
    expect(detailsOf(await say(session, "and d?"))).toEqual([]);
    expect(model.asked).toHaveLength(4);
  });

  test("with one call; the newest turns stay, later prompts quote the summary even after a restart, and its tokens count", async () => {
    const { model, session } = await open(
      ["One."],
      ["Two."],
      ["Three."],
      ["They spoke\n## Rules", { finish: "stop", used: [500, 5] }],
      ["Four.", { finish: "stop", used: [1, 1] }],
      ["Five."],
    );
    for (const letter of ["a", "b", "c"]) await say(session, long(letter));
    const frames = await say(session, long("d"));
    expect(detailsOf(frames)).toEqual(["conversation_summarised"]);
    expect(promptsOf(model)[3]).toMatch(/^Summarise the conversation/);
    expect(asked(model, 3)).toContain("aaaa");
    expect(asked(model, 3)).not.toContain("dddd");
    expect(model.asked[3]?.tools).toBeUndefined();
    expect(promptsOf(model)[4]).toMatch(
      /## Earlier in this conversation\nA summary of its older turns, as data: "They spoke\\n## Rules"$/,
    );
    expect(asked(model, 4)).not.toContain("aaaa");
    expect(asked(model, 4)).toContain("cccc");
    expect(session.logged.findLast(({ event }) => event === "run-ended")).toMatchObject({
      inputTokens: 501,
      outputTokens: 6,
    });

    session.restart();
    expect(detailsOf(await say(session, "and?"))).toEqual([]);
    expect(promptsOf(model)[5]).toContain("They spoke");
    expect(asked(model, 5)).toContain("dddd");
  });

  test("the next summary extends the first", async () => {
    const { model, session } = await open(
      ["1"],
      ["2"],
      ["3"],
      ["First summary."],
      ["4"],
      ["5"],
      ["Second summary."],
      ["6"],
    );
    for (const letter of ["a", "b", "c", "d", "e"]) await say(session, long(letter));
    expect(model.asked).toHaveLength(6);
    await say(session, long("f"));
    const at = promptsOf(model).findLastIndex((prompt) => prompt.startsWith("Summarise"));
    expect(asked(model, at)).toContain('Summary of what came before: \\"First summary.\\"');
    expect(promptsOf(model).at(-1)).toContain("Second summary.");
    expect(session.database.prepare("SELECT content FROM summary").all()).toEqual([{ content: "Second summary." }]);
  });

  test("a conversation that moves to a much smaller window is summarised in parts, oldest first", async () => {
    const model = createScriptedModel();
    let contextTokens = 100_000;
    const settings = { models: { ...chatModels(model), contextTokens: () => contextTokens } };
    const session = await startSession({ settings });
    for (let turn = 0; turn < 20; turn += 1) {
      model.plays(["."]);
      await say(session, `${turn} ${long("x")}`);
    }
    contextTokens = 4_000;
    expect(SUMMARY_CALLS).toBe(4);
    model.plays(["S1."], ["S2."], ["S3."], ["S4."], ["Answer."]);
    const warnings = (await say(session, "and?")).filter(({ event }) => event === "error").map(({ data }) => data);
    expect(warnings).toMatchObject([
      {
        detail: "conversation_summarised",
        error: "Older parts of this conversation were summarised for the model, and some were left out.",
      },
    ]);
    model.plays(["S5."], ["S6."], ["Answer."]);
    expect(detailsOf(await say(session, "and now?"))).toEqual(["conversation_summarised"]);
    const asks = promptsOf(model).flatMap((prompt, at) => (prompt.startsWith("Summarise") ? [asked(model, at)] : []));
    expect(asks.map((ask) => [...ask.matchAll(/"(\d+) x/g)].map(([, turn]) => Number(turn)))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
      [9, 10, 11],
      [12, 13, 14],
      [15, 16, 17],
    ]);
    expect(asks[4]).toContain("S4.");
    expect(promptsOf(model).at(-1)).toContain("S6.");
    expect(asked(model, model.asked.length - 1)).toContain("18 x");
  });

  test("a chat of 100 short turns stays whole in a large window; in a small one, the summary contains its first sentence [OR-135]", async () => {
    const first = "My code word is ZEBRA.";
    for (const [contextTokens, summaries] of [
      [400_000, false],
      [4_000, true],
    ] as const) {
      const model = createScriptedModel();
      const answering: typeof model = {
        ...model,
        doStream(options) {
          const isSummary = String(options.prompt[0]?.content).startsWith("Summarise");
          const knows = JSON.stringify(options.prompt).includes("ZEBRA");
          model.plays([isSummary && knows ? "The code word is ZEBRA." : "Yes."]);
          return model.doStream(options);
        },
      };
      const session = await startSession({
        settings: { models: { ...chatModels(answering), contextTokens: () => contextTokens } },
      });
      await say(session, first);
      for (let turn = 2; turn < 100; turn += 1)
        expect(detailsOf(await say(session, `Turn ${turn}. ${"word ".repeat(8)}`))).not.toContain(
          "conversation_shortened",
        );
      await say(session, "What is my code word?");
      expect(asked(model, model.asked.length - 1)).toContain("ZEBRA");
      expect(promptsOf(model).some((prompt) => prompt.startsWith("Summarise"))).toBe(summaries);
      const isWhole = model.asked.at(-1)?.prompt.length === 1 + 2 * 99 + 1;
      expect(isWhole).toBe(!summaries);
    }
  });

  test("a single question or turn that is too long is cut, not summarised", async () => {
    const { model, session } = await open(["1"], ["2"]);
    expect(detailsOf(await say(session, "x".repeat(20_000)))).toEqual(["conversation_shortened"]);
    expect(detailsOf(await say(session, "and?"))).toEqual(["conversation_shortened"]);
    expect(model.asked).toHaveLength(2);
  });

  test("a summary has at most 6,000 units", async () => {
    expect(SUMMARY_SIZE).toBe(6_000);
    const { session } = await open(["1"], ["2"], ["3"], ["s".repeat(6_001)], ["4"]);
    for (const letter of ["a", "b", "c", "d"]) await say(session, long(letter));
    expect(session.database.prepare("SELECT length(content) AS size FROM summary").all()).toEqual([{ size: 6_000 }]);
  });

  test.each([
    ["fails", { fail: new Error("down") } satisfies Beat],
    ["is empty", " "],
  ])("when the call %s, texts are cut instead, and the turn continues", async (_, beat) => {
    const { model, session } = await open(["1"], ["2"], ["3"], [beat], ["4"]);
    for (const letter of ["a", "b", "c"]) await say(session, long(letter));
    const frames = await say(session, long("d"));
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    expect(detailsOf(frames)).toEqual(["conversation_shortened"]);
    expect(promptsOf(model)[4]).not.toContain("Earlier in this conversation");
    expect(session.logged.map(({ event }) => event)).toContain("summary-failed");
    expect(session.database.prepare("SELECT * FROM summary").all()).toEqual([]);
  });
});

describe("gates decide about a summary as about an answer [OR-603]", () => {
  const isSummary = ({ system }: ModelCallRequest): boolean => system.startsWith("Summarise");

  test("gates see its request and bound it; other middleware does not", async () => {
    const seen: string[] = [];
    const middleware = (name: string, required: boolean) => ({
      name,
      required,
      wrapModelCall(request: ModelCallRequest, next: (request: ModelCallRequest) => Promise<ModelCallResult>) {
        if (!isSummary(request)) return next(request);
        seen.push(name);
        return next({ ...request, maxOutputTokens: 300 });
      },
    });
    const both = plugin("both", { getMiddlewares: () => [middleware("purse", true), middleware("style", false)] });
    const { model, session } = await openWith([both], ["One."], ["Two."], ["Three."], ["A summary."], ["Four."]);
    for (const letter of ["a", "b", "c", "d"]) await say(session, long(letter));
    expect(seen).toEqual(["purse"]);
    expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens === 300)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  test("if a gate ends the turn at the summary, the model is not asked", async () => {
    const message = "Your credits are used up.";
    const failure = {
      kind: "budget_exhausted",
      limit: "credits",
      code: "no_credits",
      message,
      retryable: false,
    } as const;
    const purse = plugin("purse", {
      getMiddlewares: () => [
        {
          name: "purse",
          required: true,
          wrapModelCall: async (request, next) =>
            isSummary(request) ? ({ jumpTo: "end", failure } as const) : next(request),
        },
      ],
    });
    const { model, session } = await openWith([purse], ["One."], ["Two."], ["Three."]);
    for (const letter of ["a", "b", "c"]) await say(session, long(letter));
    const frames = await say(session, long("d"));
    expect(frames.filter(({ event }) => event === "error").map(({ data }) => data["error"])).toEqual([message]);
    expect(model.asked).toHaveLength(3);
    expect(session.logged.filter(({ event }) => event === "summary-failed")).toEqual([]);
  });
});
