/** The state of a proposal in a word. */
import { Badge, type Tone } from "../kit/badge.tsx";
import { votesTexts } from "../texts/votes.ts";
import type { ProposalState } from "./proposal.ts";

const tones: Readonly<Record<ProposalState, Tone>> = {
  open: "info",
  passed: "ok",
  rejected: "danger",
  expired: "warn",
  withdrawn: "neutral",
  superseded: "neutral",
};

export function StateBadge({ state }: { readonly state: ProposalState }) {
  return <Badge tone={tones[state]}>{votesTexts.states[state]}</Badge>;
}
