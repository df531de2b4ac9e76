/**
 * Middleware of one turn: before a model is asked, the turn's hold covers what it has used and the most that this call may
 * cost. Where the balance does not reach that far, the answer may be as long as it reaches. What the hold already covers
 * needs no call to the ledger, except for the first, which says that the turn runs.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { CoverAnswer } from "./ledger-rpc.ts";
import type { AgentMiddleware, EndTurn } from "../../framework/middleware.ts";
import type { ModelUsage } from "../../framework/ended-turn.ts";
import type { ModelCallRequest } from "../../framework/model-call.ts";

/** The shortest answer that a model is asked for, tokens: a balance that does not cover it ends the turn. */
export const SHORTEST_ANSWER_TOKENS = 256;
/** The longest one where a request names none, tokens. */
const LONGEST_ANSWER_TOKENS = 8_192;
/** UTF-16 units of a token, in most languages. */
const UNITS_OF_A_TOKEN = 4;

export const OUT_OF_CREDITS: EndTurn = {
  jumpTo: "end",
  failure: {
    kind: "budget_exhausted",
    limit: "credits",
    code: "budget_exhausted",
    message: "Your credits are used up. Top up to continue; the answer so far is kept.",
    retryable: false,
  },
};

export interface CoverOptions {
  /** What the turn has on hold when it begins, micro-credits. */
  readonly held: number;
  /** Raises the hold to `most`, as far as the balance reaches; covered when it holds `least`. */
  readonly cover: (least: number, most: number) => Promise<CoverAnswer>;
  /** Micro-credits. */
  readonly costOf: (usage: ModelUsage) => number;
  /** The id of the model that is asked when a request names that one. */
  readonly modelOf: (id: string | undefined) => string;
  /** The tokens of a prompt. */
  readonly promptTokens: (request: ModelCallRequest) => number;
}

export function coverTurn({ held: initial, cover, costOf, modelOf, promptTokens }: CoverOptions): AgentMiddleware {
  let held = initial;
  let used = 0;
  /** The most that calls may cost that are being answered; sub-agents may ask at the same time. */
  let expected = 0;
  let isFirst = true;
  let calls = 0;
  let whenAnswered = Promise.withResolvers<void>();

  /** How many tokens of answer so many micro-credits pay; the cost never falls with their number. */
  function payable(costWith: (outputTokens: number) => number, credits: number, longest: number): number {
    let [low, high] = [0, longest];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (costWith(middle) <= credits) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    name: "credits",
    required: true,
    async wrapModelCall(request, next) {
      const model = modelOf(request.model);
      const inputTokens = promptTokens(request);
      const longest = request.maxOutputTokens ?? LONGEST_ANSWER_TOKENS;
      const shortest = Math.min(SHORTEST_ANSWER_TOKENS, longest);
      const costWith = (outputTokens: number): number => costOf({ model, inputTokens, outputTokens });
      while (isFirst || used + expected + costWith(longest) > held) {
        // A turn that a kill has cut off may have used all that it holds.
        if (isFirst && isResumed(request)) used += held;
        isFirst = false;
        const answered = whenAnswered.promise;
        const answer = await cover(used + expected + costWith(shortest), used + expected + costWith(longest));
        held = Math.max(held, answer.held);
        if (used + expected + costWith(shortest) <= held) break;
        // Another call of the turn has taken its share meanwhile.
        if (answer.covered) continue;
        // What other calls of the turn leave of their share may be enough.
        if (calls === 0) return OUT_OF_CREDITS;
        await answered;
      }
      const maxOutputTokens = payable(costWith, held - used - expected, longest);
      const most = costWith(maxOutputTokens);
      expected += most;
      calls += 1;
      let cost = most;
      try {
        const result = await next({ ...request, maxOutputTokens });
        cost = costOf({
          model,
          inputTokens: result.usage.inputTokens ?? inputTokens,
          outputTokens: result.usage.outputTokens ?? Math.ceil(result.text.length / UNITS_OF_A_TOKEN),
        });
        return result;
      } finally {
        used += cost;
        expected -= most;
        calls -= 1;
        whenAnswered.resolve();
        whenAnswered = Promise.withResolvers<void>();
      }
    },
  };
}

/** Whether the agent has answered before in this turn: its own messages stand behind the question. */
function isResumed({ messages }: ModelCallRequest): boolean {
  return messages.findLastIndex(({ role }) => role === "assistant") > lastQuestion(messages);
}

function lastQuestion(messages: readonly LanguageModelV4Message[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}
