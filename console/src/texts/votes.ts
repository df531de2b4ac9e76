/** Words of the screen Votes: its lists, and what all its pages share. */
import { grouped } from "./number.ts";

/** A share as it was counted, beside the limit that it is held against. */
interface Share {
  readonly percent: number;
  readonly isJustOver: boolean;
}

export const votesTexts = {
  proposedBy: "proposed by",
  title: "Votes",
  lead: "A domain takes part in the programme once its voters have verified it. Open votes come first.",
  sections: "Sections of this screen",
  tabs: { proposals: "Proposals", roll: "Roll of voters", audit: "Audit trail" },
  percent: (value: Share) => `${value.isJustOver ? "just over " : ""}${grouped(value.percent, 2)} %`,

  newProposal: "New proposal",
  open: "Open",
  finished: "Finished",
  noOpen: "No vote is open",
  noOpenHint: "A proposal to verify or to revoke a domain opens a vote on it.",
  noneFound: "No proposal fits these filters",
  noFinished: "No vote has finished yet",
  clearFilters: "Clear the filters",

  moreFilters: "Domain and proposer",
  moreAuditFilters: "Domain, who and when",
  state: "State",
  anyState: "Any state",
  kind: "Kind",
  anyKind: "Any kind",
  domain: "Domain (DID)",
  proposer: "Proposer (DID)",
  actor: "Who (DID)",
  onlyMine: "Only where I am a voter",
  states: {
    open: "Open",
    passed: "Passed",
    rejected: "Rejected",
    expired: "Expired",
    withdrawn: "Withdrawn",
    superseded: "Superseded",
  },
  kinds: { verify: "Verify", revoke: "Revoke" },
  statuses: {
    AwaitingVerification: "awaiting verification",
    UnderVote: "under vote",
    Verified: "verified",
    Rejected: "rejected",
    Revoked: "revoked",
  },
  unnamed: "Domain without a name",

  durations: {
    days: (count: number) => `${count} d`,
    hours: (count: number) => `${count} h`,
    minutes: (count: number) => `${count} min`,
    seconds: (count: number) => `${count} s`,
  },
  timeLeft: (left: string) => `${left} left`,
  timeIsOver: "time is over, counting",
  ended: "ended",
  yourVoteWanted: "Your vote is wanted",
  notAVoter: "You are not a voter in this one",
  notVoted: "You did not vote",
  youVoted: (option: string) => `You voted ${option},`,
  withPower: (power: number) => `with ${grouped(power)} power`,
  /** A word that stands alone, such as a state. */
  alone: (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  options: { yes: "yes", no: "no", abstain: "abstain", no_with_veto: "no with veto" },
  notCast: "not cast",
  power: "Power",
  shareOfTotal: "Share",
};
