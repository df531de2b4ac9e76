/**
 * How a vote stands by its tally and its rules: what it would be if it ended now, and what is missing. Integers only, as in the
 * registry, whose own tally these figures never contradict.
 */
import type { Tally, VoteOption, VotingRules } from "./proposal.ts";

/** All of it, in basis points. */
export const WHOLE = 10_000;

export type Rules = Pick<VotingRules, "quorumBp" | "thresholdBp" | "vetoBp" | "allowRevote">;
export type OutcomeNow = "quorum_not_met" | "all_abstained" | "vetoed" | "approved" | "threshold_not_met";

export interface Standing {
  /** Power that was cast, abstentions included. */
  readonly cast: number;
  /** Power that was cast and did not abstain. */
  readonly decisive: number;
  /** Power that was not cast. */
  readonly rest: number;
  /** The least power that meets the quorum. */
  readonly quorumPower: number;
  readonly missingForQuorum: number;
  /** What the end of the vote would make of these votes. */
  readonly outcomeNow: OutcomeNow;
  /** The least power that, all of it saying yes, would let it pass; undefined when no power that is left can. */
  readonly yesToPass: number | undefined;
  /** The least power of no with veto, of all that is cast now, that vetoes; undefined when the rules have no veto. */
  readonly vetoPower: number | undefined;
}

export function standingOf(tally: Tally, totalPower: number, rules: Rules): Standing {
  const { yes, no, abstain, noWithVeto } = tally;
  const cast = yes + no + abstain + noWithVeto;
  const decisive = cast - abstain;
  const quorumPower = Math.max(1, Math.ceil((rules.quorumBp * totalPower) / WHOLE));
  const missingForQuorum = Math.max(0, quorumPower - cast);
  const rest = totalPower - cast;
  const toPass = Math.max(
    missingForQuorum,
    yesForThreshold(yes, decisive, rules),
    Math.max(0, Math.ceil((noWithVeto * WHOLE) / rules.vetoBp) - cast),
  );
  return {
    cast,
    decisive,
    rest,
    quorumPower,
    missingForQuorum,
    outcomeNow: outcomeOf(tally, missingForQuorum === 0, rules),
    yesToPass: toPass <= rest ? toPass : undefined,
    vetoPower: rules.vetoBp >= WHOLE ? undefined : Math.floor((rules.vetoBp * cast) / WHOLE) + 1,
  };
}

function outcomeOf({ yes, no, abstain, noWithVeto }: Tally, isQuorumMet: boolean, rules: Rules): OutcomeNow {
  const cast = yes + no + abstain + noWithVeto;
  if (!isQuorumMet) return "quorum_not_met";
  if (cast === abstain) return "all_abstained";
  if (noWithVeto * WHOLE > rules.vetoBp * cast) return "vetoed";
  return yesForThreshold(yes, cast - abstain, rules) === 0 ? "approved" : "threshold_not_met";
}

/** How much more yes the threshold takes; Infinity when it cannot be had any more. */
function yesForThreshold(yes: number, decisive: number, { thresholdBp }: Rules): number {
  if (thresholdBp < WHOLE) {
    const lacking = thresholdBp * decisive - WHOLE * yes;
    return lacking < 0 ? 0 : Math.floor(lacking / (WHOLE - thresholdBp)) + 1;
  }
  if (yes < decisive) return Infinity;
  return yes > 0 ? 0 : 1;
}

const members = { yes: "yes", no: "no", abstain: "abstain", no_with_veto: "noWithVeto" } as const;

/** With one vote more, in place of `replaced` when the voter changes theirs. */
export function tallyWith(tally: Tally, option: VoteOption, power: number, replaced?: VoteOption): Tally {
  const after: Record<keyof Tally, number> = { ...tally };
  if (replaced !== undefined) after[members[replaced]] -= power;
  else after.cast += power;
  after[members[option]] += power;
  return after;
}

/** Whether no way of casting or withholding the rest can change what these votes decide, so that the vote ends at once. */
export function isDecided(tally: Tally, totalPower: number, rules: Rules): boolean {
  if (rules.allowRevote) return false;
  const { yes, no, abstain, noWithVeto } = tally;
  const { missingForQuorum } = standingOf(tally, totalPower, rules);
  if (missingForQuorum > 0) return false;
  if (noWithVeto * WHOLE > rules.vetoBp * totalPower) return true;
  // Even if all that is left says yes.
  const allYes = { ...tally, yes: totalPower - no - abstain - noWithVeto };
  if (yesForThreshold(allYes.yes, totalPower - abstain, rules) > 0) return true;
  // Even if all that is left vetoes, or says no.
  const worst = totalPower - yes - no - abstain;
  return worst * WHOLE <= rules.vetoBp * totalPower && yesForThreshold(yes, totalPower - abstain, rules) === 0;
}

/**
 * A share in words that never contradict the limit it is held against: rounded down to hundredths of a percent, and "just over"
 * where only the rounding makes it equal to the limit.
 */
export function shareOf(part: number, whole: number, limitBp?: number): { percent: number; isJustOver: boolean } {
  if (whole === 0) return { percent: 0, isJustOver: false };
  const basisPoints = Math.floor((part * WHOLE) / whole);
  return {
    percent: basisPoints / 100,
    isJustOver: basisPoints === limitBp && basisPoints * whole < part * WHOLE,
  };
}
