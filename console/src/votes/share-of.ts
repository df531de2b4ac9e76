/** Shares of power in words. */
import { WHOLE_BP } from "../../../shared/vote-tally.ts";

/**
 * A share that never contradicts its limit in words: rounded down to hundredths of a percent, and "just over" if only the rounding
 * makes it equal to the limit.
 */
export function shareOf(part: number, whole: number, limitBp?: number): { percent: number; isJustOver: boolean } {
  if (whole === 0) return { percent: 0, isJustOver: false };
  const basisPoints = Math.floor((part * WHOLE_BP) / whole);
  return {
    percent: basisPoints / 100,
    isJustOver: basisPoints === limitBp && basisPoints * whole < part * WHOLE_BP,
  };
}
