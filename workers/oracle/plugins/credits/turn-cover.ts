/**
 * Middleware of one turn: before a model is asked, the turn's hold covers what it has used and what this call may use. What
 * the hold already covers needs no call to the ledger, except for the first, which says that the turn runs.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { CoverAnswer } from "../../../../durable-objects/credit-ledger/rpc.ts";
import type { AgentMiddleware, EndTurn, ModelCallRequest } from "../../framework/middleware.ts";
import type { ModelUsage } from "../../framework/ended-turn.ts";

/** Tokens that an answer is expected to have at most; what it has beyond them is charged when the turn ends. */
export const EXPECTED_ANSWER_TOKENS = 1_000;
/** UTF-16 units of a token, in most languages. */
const UNITS_OF_A_TOKEN = 4;

export const OUT_OF_CREDITS: EndTurn = {
  jumpTo: "end",
  failure: {
    kind: "budget_exhausted",
    limit: "credits",
    code: "budget_exhausted",
    message: "Your credits are used up. Top up to continue; what was said so far is kept.",
    retryable: false,
  },
};

export interface CoverOptions {
  /** What the turn has on hold when it begins, micro-credits. */
  readonly held: number;
  /** Raises the hold to so much, where it is less. */
  readonly cover: (amount: number) => Promise<CoverAnswer>;
  /** Micro-credits. */
  readonly costOf: (usage: ModelUsage) => number;
  /** The id of the model that is asked when a request names that one. */
  readonly modelOf: (id: string | undefined) => string;
}

export function coverTurn({ held: initial, cover, costOf, modelOf }: CoverOptions): AgentMiddleware {
  let held = initial;
  let used = 0;
  /** Of calls that are being answered; sub-agents may ask at the same time. */
  let expected = 0;
  let isFirst = true;

  return {
    name: "credits",
    required: true,
    async wrapModelCall(request, next) {
      const model = modelOf(request.model);
      const inputTokens = estimatedTokens(request);
      const estimate = costOf({ model, inputTokens, outputTokens: EXPECTED_ANSWER_TOKENS });
      const needed = used + expected + estimate;
      expected += estimate;
      try {
        if (isFirst || needed > held) {
          // A turn that a kill has cut off may have used all that it holds.
          const before = isFirst && isResumed(request) ? held : 0;
          isFirst = false;
          const answer = await cover(before + needed);
          held = Math.max(held, answer.held);
          used += before;
          if (!answer.covered) return OUT_OF_CREDITS;
        }
        const result = await next(request);
        used += costOf({
          model,
          inputTokens: result.usage.inputTokens ?? inputTokens,
          outputTokens: result.usage.outputTokens ?? Math.ceil(result.text.length / UNITS_OF_A_TOKEN),
        });
        return result;
      } finally {
        expected -= estimate;
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

function estimatedTokens({ system, messages, tools }: ModelCallRequest): number {
  let units = system.length;
  for (const message of messages) units += textLength(message);
  for (const { name, description, inputSchema } of tools)
    units += name.length + description.length + JSON.stringify(inputSchema).length;
  return Math.ceil(units / UNITS_OF_A_TOKEN);
}

/** Of what is no text, such as an image, nothing is known: the provider counts it. */
function textLength({ content }: LanguageModelV4Message): number {
  if (typeof content === "string") return content.length;
  let units = 0;
  for (const part of content) {
    if (part.type === "text" || part.type === "reasoning") units += part.text.length;
    else if (part.type === "tool-call" || part.type === "tool-result") units += JSON.stringify(part).length;
  }
  return units;
}
