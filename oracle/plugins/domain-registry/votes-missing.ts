/** What an open vote still needs to pass, by the registry's rules (RG-106). Integers only, as there. */
import { standingOf, WHOLE_BP } from "../../../shared/vote-tally.ts";
import type { Proposal } from "./records.ts";

export interface VotesMissing {
  /** Voting power that has to be cast, and how much of it is missing. */
  readonly quorum: number;
  readonly toQuorum: number;
  /** Yes that has to come on top of what is cast now; undefined when no number of them is enough. */
  readonly yes: number | undefined;
  /** Power that has to be cast beside the vetoes so that they no longer veto; 0 when they do not. */
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

/** Each further yes also adds to the votes that yes has to exceed its share of. */
function yesMissing({ yes, no, noWithVeto }: Proposal["tally"], thresholdBp: number): number | undefined {
  const decisive = yes + no + noWithVeto;
  if (thresholdBp === WHOLE_BP) {
    if (yes < decisive) return undefined;
    return yes === 0 ? 1 : 0;
  }
  const behind = thresholdBp * decisive - WHOLE_BP * yes;
  return behind < 0 ? 0 : Math.floor(behind / (WHOLE_BP - thresholdBp)) + 1;
}
