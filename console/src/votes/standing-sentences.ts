/** How an open vote stands, in sentences: quorum, threshold, veto, and what it would take. */
import { votesTexts } from "../texts/votes.ts";
import { tallyTexts } from "../texts/votes-tally.ts";
import type { Counted } from "./proposal.ts";
import { standingOf } from "../../../shared/vote-tally.ts";
import { shareOf } from "./share-of.ts";

export function standingSentences({ tally, totalPower, rules }: Counted): readonly string[] {
  const standing = standingOf(tally, totalPower, rules);
  const { cast, decisive, quorumPower, missingForQuorum, outcomeNow, yesToPass, vetoPower } = standing;
  const yesShare = votesTexts.percent(shareOf(tally.yes, decisive, rules.thresholdBp));
  const veto = (): string => {
    if (vetoPower === undefined) return tallyTexts.noVeto;
    if (cast === 0) return tallyTexts.vetoOfNone(rules.vetoBp);
    return tallyTexts.veto(rules.vetoBp, tally.noWithVeto, vetoPower, cast);
  };
  const toPass = (): readonly string[] => {
    if (yesToPass === undefined) return [tallyTexts.cannotPass(rules.allowRevote)];
    return yesToPass === 0 ? [] : [tallyTexts.yesToPass(yesToPass)];
  };
  return [
    missingForQuorum > 0
      ? tallyTexts.quorumMissing(missingForQuorum, quorumPower)
      : tallyTexts.quorumMet(cast, quorumPower),
    tallyTexts.threshold(rules.thresholdBp, tally.yes, decisive, yesShare),
    veto(),
    tallyTexts.endsNow[outcomeNow],
    ...toPass(),
  ];
}
