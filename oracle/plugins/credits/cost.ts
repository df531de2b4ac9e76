/** The cost of model calls in whole micro-credits: computed exactly, and rounded up once at the end. */
import type { ModelFacts } from "../../framework/context.ts";
import type { ModelUsage } from "../../framework/ended-turn.ts";
import type { PriceSettings } from "./settings.ts";

/** Prices and settings are decimals with at most six places: as integers of this unit, they multiply exactly. */
const UNIT = 1_000_000;
/** Number of tokens per price. */
const TOKENS_OF_A_PRICE = 1_000_000n;
/** USD, credits per USD and markup are in `UNIT`s; the result is in micro-credits, which are one `UNIT` of credits. */
const DIVISOR = TOKENS_OF_A_PRICE * BigInt(UNIT) * BigInt(UNIT);

export function costOf(
  usage: readonly ModelUsage[],
  pricingOf: (model: string) => ModelFacts["pricing"],
  { creditsPerUsd, markup }: PriceSettings,
): number {
  let tokensTimesPrice = 0n;
  for (const { model, inputTokens, outputTokens } of usage) {
    const { inputPerMillion, outputPerMillion } = pricingOf(model);
    tokensTimesPrice += whole(inputTokens) * units(inputPerMillion) + whole(outputTokens) * units(outputPerMillion);
  }
  const exact = tokensTimesPrice * units(creditsPerUsd) * units(markup);
  return Number((exact + DIVISOR - 1n) / DIVISOR);
}

/** Whether a model has no price, and is therefore free. */
export function isUnpriced({ inputPerMillion, outputPerMillion }: ModelFacts["pricing"]): boolean {
  return inputPerMillion === 0 && outputPerMillion === 0;
}

function units(value: number): bigint {
  return BigInt(Math.round(Math.max(0, value) * UNIT));
}

function whole(tokens: number): bigint {
  return BigInt(Math.ceil(Math.max(0, tokens)));
}
