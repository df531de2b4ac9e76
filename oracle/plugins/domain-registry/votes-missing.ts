/** What an open vote still needs to pass, by the registry's rules (RG-106). Uses only integers, as the registry does. */
import { standingOf, WHOLE_BP } from "../../../shared/vote-tally.ts";
import type { Proposal } from "./records.ts";

export interface VotesMissing {
  /** Voting power required by the quorum, and how much of it is missing. */
  readonly quorum: number;
  readonly toQuorum: number;
  /** Yes votes needed in addition to those cast; undefined when no number is enough. */
  readonly yes: number | undefined;
  /** Other votes needed to outweigh the vetoes; 0 if they do not veto. */
  readonly toOutweighVetoes: number;
}

export function votesMissing({
  rules,
  totalPower,
  tally,
}: Pick<Proposal, "rules" | "totalPower" | "tally">): VotesMissing {
  const { quorumPower, missingForQuorum } = standingOf(tally, totalPower, rules);
  const least = Math.ceil((tally.noWithVeto * WHOLE_BP) / rules.vetoBp);
  return {
    quorum: quorumPower,
    toQuorum: missingForQuorum,
    yes: yesMissing(tally, rules.thresholdBp),
    toOutweighVetoes: Math.max(0, least - tally.cast),
  };
}

/** Each further yes vote also raises the total, and yes must exceed its share of that total. */
function yesMissing({ yes, no, noWithVeto }: Proposal["tally"], thresholdBp: number): number | undefined {
  const decisive = yes + no + noWithVeto;
  if (thresholdBp === WHOLE_BP) {
    if (yes < decisive) return undefined;
    return yes === 0 ? 1 : 0;
  }
  const behind = thresholdBp * decisive - WHOLE_BP * yes;
  return behind < 0 ? 0 : Math.floor(behind / (WHOLE_BP - thresholdBp)) + 1;
}
