/** The standing of an open vote, in sentences: quorum, threshold, veto, and the missing votes. */
import { grouped } from "../texts/number.ts";
import { tallyTexts, votesTexts } from "../texts/votes.ts";
import type { Counted } from "./proposal.ts";
import { standingOf } from "../../../shared/vote-tally.ts";
import { shareOf } from "./share-of.ts";

export function standingSentences({ tally, totalPower, rules }: Counted): readonly string[] {
  const standing = standingOf(tally, totalPower, rules);
  const { cast, decisive, quorumPower, missingForQuorum, outcomeNow, yesToPass, vetoPower } = standing;
  const yesShare = votesTexts.percent(shareOf(tally.yes, decisive, rules.thresholdBp));
  const veto = (): string => {
    if (vetoPower === undefined) return "This vote has no veto. No with veto counts as no.";
    if (cast === 0) return tallyTexts.vetoOfNone(rules.vetoBp);
    return tallyTexts.veto(rules.vetoBp, tally.noWithVeto, vetoPower, cast);
  };
  const toPass = (): readonly string[] => {
    if (yesToPass === undefined)
      return [
        rules.allowRevote
          ? "The remaining power cannot let it pass unless voters change their votes."
          : "It can no longer pass.",
      ];
    return yesToPass === 0 ? [] : [`${grouped(yesToPass)} more power for yes would let it pass.`];
  };
  return [
    missingForQuorum > 0
      ? tallyTexts.quorumMissing(missingForQuorum, quorumPower)
      : `The quorum is met: ${grouped(cast)} power is cast, ${grouped(quorumPower)} is needed.`,
    tallyTexts.threshold(rules.thresholdBp, tally.yes, decisive, yesShare),
    veto(),
    tallyTexts.endsNow[outcomeNow],
    ...toPass(),
  ];
}
