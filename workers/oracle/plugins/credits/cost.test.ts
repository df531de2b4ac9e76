/** What a turn costs, and what its hold covers. */
import { expect, it } from "vitest";
import type { RuntimeContext } from "../../framework/context.ts";
import type { AgentMiddleware, EndTurn, ModelCallRequest, ModelCallResult } from "../../framework/middleware.ts";
import { runtimeContext } from "../../../../test/support/plugins.ts";
import { costOf, isUnpriced } from "./cost.ts";
import { coverTurn, EXPECTED_ANSWER_TOKENS, OUT_OF_CREDITS, type CoverOptions } from "./turn-cover.ts";

const terms = { creditsPerUsd: 1000, markup: 1.6 };
const pricing = (inputPerMillion: number, outputPerMillion: number) =>
  ({ inputPerMillion, outputPerMillion, currency: "USD", unit: "per_million_tokens" }) as const;

it.each([
  // A million tokens at a dollar: 1,000 credits, and the markup.
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

it("what several models used is added up before it is rounded [OR-342]", () => {
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
};

/** A turn at one micro-credit a token; its ledger has so much for it in all. */
function turn(balance: number, held: number) {
  const asked: number[] = [];
  const options: CoverOptions = {
    held,
    async cover(amount) {
      asked.push(amount);
      return amount <= balance ? { covered: true, held: Math.max(amount, held) } : { covered: false, held };
    },
    costOf: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    modelOf: () => "m",
  };
  const middleware: AgentMiddleware = coverTurn(options);
  const ctx: RuntimeContext = runtimeContext();
  const call = (usage: ModelCallResult["usage"], given = request): Promise<ModelCallResult | EndTurn> | undefined =>
    middleware.wrapModelCall?.(
      given,
      async () => ({ text: "12345678", toolCalls: [], finishReason: "stop", usage }),
      ctx,
    );
  return { asked, call };
}

it("the first call says that the turn runs; later ones ask only for what the hold does not cover [OR-338]", async () => {
  expect(EXPECTED_ANSWER_TOKENS).toBe(1_000);
  const { asked, call } = turn(1e9, 2_500);
  await call({ inputTokens: 10, outputTokens: 990 });
  await call({ inputTokens: undefined, outputTokens: undefined });
  await call({ inputTokens: 500, outputTokens: 0 });
  await call({ inputTokens: 1, outputTokens: 1 });
  // 10 tokens of input and 1,000 of output are expected; the second call counted nothing, so it is estimated: 10 and 2.
  expect(asked).toEqual([1_010, 1_000 + 12 + 500 + 1_010]);
});

it("calls at the same time need what they use together [OR-338]", async () => {
  const { asked, call } = turn(1e9, 1_500);
  await Promise.all([call({ inputTokens: 10, outputTokens: 1 }), call({ inputTokens: 10, outputTokens: 1 })]);
  expect(asked).toEqual([1_010, 2_020]);
});

it("what the balance does not cover is not asked of a model: the turn ends for lack of credits [OR-338]", async () => {
  const { call } = turn(1_009, 0);
  expect(await call({ inputTokens: 1, outputTokens: 1 })).toBe(OUT_OF_CREDITS);
  expect(OUT_OF_CREDITS).toMatchObject({
    jumpTo: "end",
    failure: { kind: "budget_exhausted", limit: "credits", code: "budget_exhausted", retryable: false },
  });
});

it("a turn that goes on after a kill may have used what it holds [OR-338]", async () => {
  const { asked, call } = turn(1e9, 700);
  const messages = [
    ...request.messages,
    { role: "assistant" as const, content: [{ type: "text" as const, text: "" }] },
  ];
  await call({ inputTokens: 1, outputTokens: 1 }, { ...request, messages });
  expect(asked).toEqual([700 + 1_010]);
});
