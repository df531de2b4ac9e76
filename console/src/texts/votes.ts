/** Words of the screen Votes: its lists, and what all its pages share. */
import { grouped } from "./number.ts";

/** A share as it was counted, beside the limit that it is held against. */
interface Share {
  readonly percent: number;
  readonly isJustOver: boolean;
}

export const votesTexts = {
  title: "Votes",
  tabs: { proposals: "Proposals", roll: "Roll of voters", audit: "Audit trail" },
  percent: (value: Share) => `${value.isJustOver ? "just over " : ""}${grouped(value.percent, 2)} %`,
  kind: "Kind",
  domain: "Domain (DID)",
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
  notAVoter: "You are not a voter in this one",
  notVoted: "You did not vote",
  withPower: (power: number) => `with ${grouped(power)} power`,
  /** A word that stands alone, such as a state. */
  alone: (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  options: { yes: "yes", no: "no", abstain: "abstain", no_with_veto: "no with veto" },
  notCast: "not cast",
};
