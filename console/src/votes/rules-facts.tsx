/** The rules of a vote in words. */
import type { ReactNode } from "react";
import { Fact } from "../kit/fact.tsx";
import { tallyTexts } from "../texts/votes.ts";
import type { VotingRules } from "./proposal.ts";
import { standingOf } from "../../../shared/vote-tally.ts";

const nothingCast = { yes: 0, no: 0, abstain: 0, noWithVeto: 0, cast: 0 };

export interface RulesFactsProps {
  readonly rules: VotingRules;
  readonly totalPower: number;
  /** Further names and values. */
  readonly children?: ReactNode;
}

export function RulesFacts({ rules, totalPower, children }: RulesFactsProps) {
  const words = tallyTexts.rule;
  const { quorumPower } = standingOf(nothingCast, totalPower, rules);
  return (
    <dl className="facts">
      <Fact name={words.quorum}>{words.quorumOf(rules.quorumBp, quorumPower)}</Fact>
      <Fact name={words.threshold}>{words.thresholdOf(rules.thresholdBp)}</Fact>
      <Fact name={words.veto}>{words.vetoOf(rules.vetoBp)}</Fact>
      <Fact name={words.revote}>{words.revoteOf(rules.allowRevote)}</Fact>
      <Fact name={words.excluded}>{words.excludedOf[rules.excludedVoters]}</Fact>
      {children}
    </dl>
  );
}
