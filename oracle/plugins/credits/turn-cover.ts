/**
 * Middleware of one turn: before a model call, the turn's hold must cover its usage so far and the maximum cost of this call. If
 * the balance is too small for that, the answer is shortened to fit. A call that the hold already covers needs no request to the
 * ledger, except the first one, which confirms that the turn runs.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { CoverAnswer } from "./ledger-rpc.ts";
import type { AgentMiddleware, EndTurn } from "../../framework/middleware.ts";
import type { ModelUsage } from "../../framework/ended-turn.ts";
import type { ModelCallRequest } from "../../framework/model-call.ts";

/** The shortest answer that a model is asked for, tokens: a balance that does not cover it ends the turn. */
export const SHORTEST_ANSWER_TOKENS = 256;
/** The longest answer if a request names none, tokens. */
const LONGEST_ANSWER_TOKENS = 8_192;
/** UTF-16 units per token, in most languages. */
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
  /** The turn's hold when it begins, micro-credits. */
  readonly held: number;
  /** Raises the hold to `most`, as far as the balance reaches; covered if it reaches `least`. */
  readonly cover: (least: number, most: number) => Promise<CoverAnswer>;
  /** Micro-credits. */
  readonly costOf: (usage: ModelUsage) => number;
  /** The id of the model that this id in a request selects. */
  readonly modelOf: (id: string | undefined) => string;
  /** The tokens of a prompt. */
  readonly promptTokens: (request: ModelCallRequest) => number;
}

export function coverTurn({ held: initial, cover, costOf, modelOf, promptTokens }: CoverOptions): AgentMiddleware {
  let held = initial;
  let used = 0;
  /** The maximum cost of calls in progress; sub-agents may call concurrently. */
  let expected = 0;
  let isFirst = true;
  let calls = 0;
  let whenAnswered = Promise.withResolvers<void>();

  /** How many answer tokens an amount pays for; the cost is monotonic. */
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
        // A turn that a kill interrupted may have used its whole hold.
        if (isFirst && isResumed(request)) used += held;
        isFirst = false;
        const answered = whenAnswered.promise;
        const answer = await cover(used + expected + costWith(shortest), used + expected + costWith(longest));
        held = Math.max(held, answer.held);
        if (used + expected + costWith(shortest) <= held) break;
        // Another call of the turn has taken its share meanwhile.
        if (answer.covered) continue;
        // The remainders of the turn's other calls may be enough.
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

/** Whether the agent has answered before in this turn: its own messages follow the question. */
function isResumed({ messages }: ModelCallRequest): boolean {
  return messages.findLastIndex(({ role }) => role === "assistant") > lastQuestion(messages);
}

function lastQuestion(messages: readonly LanguageModelV4Message[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}
