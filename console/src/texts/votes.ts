/** Texts of the screen Votes: its lists, and those shared by its pages. */
import { grouped, plural } from "./number.ts";

/** A share of the count, with its limit. */
interface Share {
  readonly percent: number;
  readonly isJustOver: boolean;
}

export const votesTexts = {
  title: "Votes",
  tabs: { proposals: "Proposals", roll: "Voter roll", audit: "Audit trail" },
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
  notAVoter: "You are not a voter in this proposal",
  notVoted: "You did not vote",
  withPower: (power: number) => `with ${grouped(power)} power`,
  /** A word that is used alone, such as a state. */
  alone: (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  options: { yes: "yes", no: "no", abstain: "abstain", no_with_veto: "no with veto" },
  notCast: "not cast",
};

/** Texts of the caller's vote, and of the list of votes. */
export const ballotTexts = {
  yourVote: "Your vote",
  voteFinal: "Votes cannot be changed.",
  you: "you",
};

/** Words of the form of a new proposal, and of its obstacles. */
export const newProposalTexts = {
  proposalLoss: "The vote has not been opened. Your entries will be lost.",
  addMyself: "Add yourself to the voter roll",
};

/** Texts of the page of one proposal: its question, its outcome, and its subject. */
export const proposalTexts = {
  back: "All votes",
  reason: "Reason",
  differs: "Differs",
  nothing: "nothing",
  evidence: "Evidence",
  notes: "Notes",
  programme: "Programme",
  credentialsOfPackage: "Credentials of the package",
};

/** Words of the voter roll. */
export const rollTexts = {
  labelHint: "The name that everyone sees in votes and in the audit trail.",
  addVoter: "Add a voter",
  did: "DID",
  noDid: "This is not a DID, such as did:web:example.org.",
  isListed: (who: string, power: number) => `This DID is already on the roll, as ${who} with power ${grouped(power)}.`,
  totalEffect: (before: number, after: number) =>
    before === after
      ? `The total power of the roll stays ${grouped(after)}.`
      : `The total power of the roll goes from ${grouped(before)} to ${grouped(after)}. Open votes keep their voters and power.`,
};

/** Why an open vote is not decided, according to the registry. */
interface Awaited {
  readonly quorumMissing: number;
  readonly yesToPass: number | null;
  readonly noToReject: number | null;
  readonly remaining: number;
}

const share = (basisPoints: number): string => `${grouped(basisPoints / 100, 2)} %`;
const unanimous = 10_000;

/** Texts of a vote's tally, standing and rules. */
export const tallyTexts = {
  tallyLead: (cast: number, total: number) => `${grouped(cast)} of ${grouped(total)} power has been cast.`,
  part: (option: string, power: number, of: string) => `${option} ${grouped(power)} (${of})`,
  thresholdMark: (bp: number) => (bp === unanimous ? "all must be yes" : `more than ${share(bp)} yes passes`),
  vetoMark: (bp: number) => `more than ${share(bp)} vetoes`,

  quorumMissing: (missing: number, quorum: number) =>
    `Needs ${grouped(missing)} more power to reach the quorum of ${grouped(quorum)}.`,
  threshold: (bp: number, yes: number, decisive: number, of: string) =>
    `${
      bp === unanimous
        ? "Passes when all votes that do not abstain are yes"
        : `Passes when more than ${share(bp)} of the votes that do not abstain are yes`
    }; ${decisive === 0 ? "no such votes yet" : `currently ${grouped(yes)} of ${grouped(decisive)} (${of})`}.`,
  veto: (bp: number, veto: number, needed: number, cast: number) =>
    `Vetoed if more than ${share(bp)} of the cast power is No with veto. Currently ${grouped(veto)} of ${grouped(cast)}; ${grouped(needed)} needed to veto.`,
  vetoOfNone: (bp: number) => `Vetoed if more than ${share(bp)} of the cast power is No with veto.`,
  endsNow: {
    approved: "If it ended now, it would pass.",
    quorum_not_met: "If it ended now, it would expire without a quorum.",
    all_abstained: "If it ended now, it would be rejected, because everybody abstained.",
    vetoed: "If it ended now, it would be rejected by veto.",
    threshold_not_met: "If it ended now, it would be rejected: too few of the votes are yes.",
  },

  awaiting: {
    quorum: ({ quorumMissing }: Awaited) =>
      `It stays open because the quorum is not met: ${grouped(quorumMissing)} more power must be cast.`,
    votes: ({ remaining, yesToPass, noToReject }: Awaited) =>
      [
        `It stays open because the ${grouped(remaining)} power not yet cast can still change the result.`,
        ...(yesToPass === null ? [] : [`${grouped(yesToPass)} more power for yes would pass it at once.`]),
        ...(noToReject === null ? [] : [`${grouped(noToReject)} more power for no would reject it at once.`]),
      ].join(" "),
    end: () => "It stays open because voters may change their votes until the vote ends.",
  },
  withoutKey: (count: number, power: number) =>
    `${plural(count, "elector", "electors")} with ${grouped(power)} power cannot vote because no API key acts for them. An operator can issue keys with the scope verification:vote.`,
  rule: {
    quorum: "Quorum",
    quorumOf: (bp: number, power: number) => `${share(bp)} of all power (${grouped(power)})`,
    threshold: "Threshold",
    thresholdOf: (bp: number) =>
      bp === unanimous ? "all votes that do not abstain" : `more than ${share(bp)} of the votes that do not abstain`,
    veto: "Veto",
    vetoOf: (bp: number) => (bp === unanimous ? "none" : `more than ${share(bp)} of the cast power`),
    revote: "Changing a vote",
    revoteOf: (allowed: boolean) =>
      allowed ? "allowed until the end; the vote is never decided early" : "not allowed; the vote may be decided early",
    excluded: "May not vote",
    excludedOf: {
      none: "everyone on the roll may vote",
      proposer: "the proposer",
      controllers: "controllers of the domain",
      both: "the proposer and the controllers of the domain",
    },
    opened: "Opened",
    ends: "Ends",
  },
};
