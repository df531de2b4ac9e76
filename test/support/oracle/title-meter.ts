/** A meter of titles that permits each call, or none, and keeps what was counted. */
import type { TitleMeter } from "../../../oracle/models/model-port.ts";

export function titleMeter(permits = true): TitleMeter & { readonly counted: readonly number[] } {
  const counted: number[] = [];
  return {
    counted,
    async begin(most) {
      counted.push(most);
      return permits;
    },
    used: (tokens) => void counted.push(tokens),
  };
}
