/** The cost of a turn, and the coverage of its hold. */
import { expect, it } from "vitest";
import type { RuntimeContext } from "../../framework/context.ts";
import type { AgentMiddleware, EndTurn } from "../../framework/middleware.ts";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import { costOf, isUnpriced } from "./cost.ts";
import { coverTurn, OUT_OF_CREDITS, SHORTEST_ANSWER_TOKENS, type CoverOptions } from "./turn-cover.ts";
import type { ModelCallRequest, ModelCallResult } from "../../framework/model-call.ts";

const terms = { creditsPerUsd: 1000, markup: 1.6 };
const pricing = (inputPerMillion: number, outputPerMillion: number) =>
  ({ inputPerMillion, outputPerMillion, currency: "USD", unit: "per_million_tokens" }) as const;

it.each([
  // A million tokens at a dollar: 1,000 credits, plus the markup.
  [1_000_000, 0, 1, 0, 1_600_000_000],
  [0, 1_000_000, 0, 1, 1_600_000_000],
  [1_000, 0, 0.15, 0, 240_000],
  [7, 3, 0.15, 0.6, 4_560],
  [1, 0, 0.000_001, 0, 1],
  [0, 0, 5, 5, 0],
])(
  "%d tokens in and %d out at %d and %d dollars a million cost %d micro-credits, rounded up [OR-342]",
  (input, output, priceIn, priceOut, micro) => {
    const usage = [{ model: "m", inputTokens: input, outputTokens: output }];
    expect(costOf(usage, () => pricing(priceIn, priceOut), terms)).toBe(micro);
  },
);

it("the cost of several models is added up before it is rounded [OR-342]", () => {
  const usage = ["a", "b", "c"].map((model) => ({ model, inputTokens: 1, outputTokens: 0 }));
  expect(costOf(usage, () => pricing(0.000_1, 0), terms)).toBe(1);
  expect(isUnpriced(pricing(0, 0))).toBe(true);
  expect(isUnpriced(pricing(0, 0.1))).toBe(false);
});

const request: ModelCallRequest = {
  system: "x".repeat(36),
  messages: [{ role: "user", content: [{ type: "text", text: "yyyy" }] }],
  tools: [],
  model: undefined,
  maxOutputTokens: 1_000,
};

/** A turn at one micro-credit per token, whose ledger has this balance including its hold. */
function turn(balance: number, initial: number, whenAnswered = Promise.resolve()) {
  const asked: (readonly [number, number])[] = [];
  const longest: (number | undefined)[] = [];
  let held = initial;
  const options: CoverOptions = {
    held,
    async cover(least, most) {
      asked.push([least, most]);
      if (least > balance) return { covered: false, held };
      held = Math.max(held, Math.min(most, balance));
      return { covered: true, held };
    },
    costOf: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    modelOf: () => "m",
    promptTokens: () => 10,
  };
  const middleware: AgentMiddleware = coverTurn(options);
  const ctx: RuntimeContext = runtimeContext();
  const call = async (
    usage: ModelCallResult["usage"],
    given = request,
  ): Promise<ModelCallResult | EndTurn | undefined> =>
    middleware.wrapModelCall?.(
      given,
      async ({ maxOutputTokens }) => {
        longest.push(maxOutputTokens);
        await whenAnswered;
        return { text: "12345678", toolCalls: [], finishReason: "stop", usage };
      },
      ctx,
    );
  return { asked, longest, call };
}

const least = 10 + SHORTEST_ANSWER_TOKENS;

it("the first call confirms the turn; later calls request only what the hold does not cover [OR-338]", async () => {
  expect(SHORTEST_ANSWER_TOKENS).toBe(256);
  const { asked, call } = turn(1e9, 2_500);
  await call({ inputTokens: 10, outputTokens: 990 });
  await call({ inputTokens: undefined, outputTokens: undefined });
  await call({ inputTokens: 500, outputTokens: 0 });
  await call({ inputTokens: 1, outputTokens: 1 });
  // The second call reported no usage, so it is estimated: 10 of input and 2 of output.
  const used = 1_000 + 12 + 500;
  expect(asked).toEqual([
    [least, 1_010],
    [used + least, used + 1_010],
  ]);
});

it("concurrent calls hold their maximum cost together; each keeps to its share [OR-338]", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { longest, call } = turn(1_500, 0, answered);
  const calls = [1, 2].map(() => call({ inputTokens: 10, outputTokens: 1 }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(longest).toEqual([1_000, 480]);
  answer();
  await Promise.all(calls);
  const poor = turn(1_100, 0);
  await Promise.all([1, 2].map(() => poor.call({ inputTokens: 10, outputTokens: 100 })));
  // The second call waits for the remainder of the first.
  expect(poor.longest).toEqual([1_000, 980]);
});

it("an answer is as long as the balance pays for, to the token; below the shortest answer, the turn ends for lack of credits [OR-338] [OR-460]", async () => {
  const rich = turn(1_010, 0);
  await rich.call({ inputTokens: 10, outputTokens: 1 });
  const poor = turn(least, 0);
  await poor.call({ inputTokens: 10, outputTokens: 1 });
  const broke = turn(least - 1, 0);
  expect(await broke.call({ inputTokens: 1, outputTokens: 1 })).toBe(OUT_OF_CREDITS);
  expect([rich.longest, poor.longest, broke.longest]).toEqual([[1_000], [SHORTEST_ANSWER_TOKENS], []]);
  expect(OUT_OF_CREDITS).toMatchObject({
    jumpTo: "end",
    failure: { kind: "budget_exhausted", limit: "credits", code: "budget_exhausted", retryable: false },
  });
});

it("a turn that continues after a kill may have used its whole hold [OR-338]", async () => {
  const { asked, call } = turn(1e9, 700);
  const messages = [
    ...request.messages,
    { role: "assistant" as const, content: [{ type: "text" as const, text: "" }] },
  ];
  await call({ inputTokens: 1, outputTokens: 1 }, { ...request, messages });
  expect(asked).toEqual([[700 + least, 700 + 1_010]]);
});
