/**
 * The tally of a vote (contract/registry.md section 6.5), in integers only: power is at most 10^10, so every product
 * with basis points stays below 2^53. Order of votes plays no part: a tally is a sum.
 */
import { WHOLE_BP, type VotingRules } from "./voting-rules.ts";

export const voteOptions = ["yes", "no", "abstain", "no_with_veto"] as const;
export type VoteOption = (typeof voteOptions)[number];

/** The power behind each option. */
export interface Tally {
  readonly yes: number;
  readonly no: number;
  readonly abstain: number;
  readonly noWithVeto: number;
}

export const emptyTally: Tally = { yes: 0, no: 0, abstain: 0, noWithVeto: 0 };

export type OutcomeReason = "quorum_not_met" | "all_abstained" | "vetoed" | "approved" | "threshold_not_met";

export interface Decision {
  readonly state: "passed" | "rejected" | "expired";
  readonly reason: OutcomeReason;
}

type Shares = Pick<VotingRules, "quorumBp" | "thresholdBp" | "vetoBp">;

export function tallyOf(votes: readonly { readonly option: VoteOption; readonly power: number }[]): Tally {
  const powerOf = (option: VoteOption): number =>
    votes.filter((vote) => vote.option === option).reduce((sum, { power }) => sum + power, 0);
  return { yes: powerOf("yes"), no: powerOf("no"), abstain: powerOf("abstain"), noWithVeto: powerOf("no_with_veto") };
}

/** All power that was cast, abstentions included. */
export function castPower({ yes, no, abstain, noWithVeto }: Tally): number {
  return yes + no + abstain + noWithVeto;
}

export function isQuorumMet(tally: Tally, totalPower: number, { quorumBp }: Shares): boolean {
  const cast = castPower(tally);
  return cast > 0 && cast * WHOLE_BP >= quorumBp * totalPower;
}

/** What the votes decide once no more can come; the first test that holds. */
export function finalDecision(tally: Tally, totalPower: number, rules: Shares): Decision {
  const cast = castPower(tally);
  const decisive = cast - tally.abstain;
  if (!isQuorumMet(tally, totalPower, rules)) return { state: "expired", reason: "quorum_not_met" };
  if (decisive === 0) return { state: "rejected", reason: "all_abstained" };
  if (tally.noWithVeto * WHOLE_BP > rules.vetoBp * cast) return { state: "rejected", reason: "vetoed" };
  if (exceedsThreshold(tally.yes, decisive, rules)) return { state: "passed", reason: "approved" };
  return { state: "rejected", reason: "threshold_not_met" };
}

/**
 * The decision before the end, when no way of casting or withholding the rest could change its state; undefined while
 * one could. `earlyDecisionSql` in store/vote-store.ts says the same to the database.
 */
export function earlyDecision(
  tally: Tally,
  totalPower: number,
  rules: Shares & Pick<VotingRules, "allowRevote">,
): Decision | undefined {
  if (rules.allowRevote || !isQuorumMet(tally, totalPower, rules)) return undefined;
  const certain = isPassCertain(tally, totalPower, rules) || isRejectionCertain(tally, totalPower, rules);
  return certain ? finalDecision(tally, totalPower, rules) : undefined;
}

/** Even if all that is left vetoes, or all of it says no. */
function isPassCertain(tally: Tally, totalPower: number, rules: Shares): boolean {
  const left = totalPower - castPower(tally);
  const greatestDecisive = castPower(tally) - tally.abstain + left;
  return (
    (tally.noWithVeto + left) * WHOLE_BP <= rules.vetoBp * totalPower &&
    exceedsThreshold(tally.yes, greatestDecisive, rules)
  );
}

/** Even if all that is left says yes. */
function isRejectionCertain(tally: Tally, totalPower: number, rules: Shares): boolean {
  const left = totalPower - castPower(tally);
  const greatestDecisive = castPower(tally) - tally.abstain + left;
  return (
    tally.noWithVeto * WHOLE_BP > rules.vetoBp * totalPower ||
    !exceedsThreshold(tally.yes + left, greatestDecisive, rules)
  );
}

/** A threshold of all of it asks for every decisive vote, any other for more than its share. */
function exceedsThreshold(yes: number, decisive: number, { thresholdBp }: Shares): boolean {
  if (thresholdBp === WHOLE_BP) return yes > 0 && yes === decisive;
  return yes * WHOLE_BP > thresholdBp * decisive;
}
