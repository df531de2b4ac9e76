/** A meter of titles that permits each call, or none, and records the usage. */
import type { ModelUsage } from "../../../oracle/model-usage.ts";
import type { TitleMeter } from "../../../oracle/models/model-port.ts";

const tokensOf = ({ inputTokens, outputTokens }: ModelUsage): number => inputTokens + outputTokens;

export function titleMeter(permits = true): TitleMeter & { readonly counted: readonly number[] } {
  const counted: number[] = [];
  return {
    counted,
    async begin(most) {
      counted.push(tokensOf(most));
      return permits;
    },
    used: (usage) => void counted.push(tokensOf(usage)),
  };
}
