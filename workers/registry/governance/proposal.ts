/**
 * A proposal to verify a domain or to revoke its verification, and its result at a given time. Times are Unix
 * milliseconds.
 */
import type { JsonObject } from "../../../platform/json.ts";
import type { VerificationStatus, ContentDigests } from "../domain/domain.ts";
import type { Role } from "../caller.ts";
import { finalDecision, type Tally, type VoteOption } from "../../../shared/vote-tally.ts";
import type { VotingRules } from "./voting-rules.ts";

export const proposalKinds = ["verify", "revoke"] as const;
export const proposalStates = ["open", "passed", "rejected", "expired", "withdrawn", "superseded"] as const;
export type ProposalKind = (typeof proposalKinds)[number];
export type ProposalState = (typeof proposalStates)[number];

/** The deciding part of a proposal. */
export interface Ballot {
  readonly id: string;
  readonly domainId: string;
  readonly kind: ProposalKind;
  readonly state: ProposalState;
  readonly outcomeReason: string | null;
  /** The copy of the deployment's rules at the time of the proposal. */
  readonly rules: VotingRules;
  /** Total voting power of the electorate at the time of the proposal. */
  readonly totalPower: number;
  readonly tally: Tally;
  readonly createdAt: number;
  readonly endsAt: number;
  /** When it is decided unless more votes arrive: castAt of the deciding vote, or `endsAt` before there is one. */
  readonly dueAt: number;
  readonly decidedAt: number | null;
  readonly decidedEarly: boolean;
  /** The version of the domain that its voters see; null for a revocation. */
  readonly domainVersion: number | null;
  /** Digests of the content at that version; null for a revocation, and for a proposal of an older release. */
  readonly content: ContentDigests | null;
  /** The domain's verification status before the proposal. */
  readonly previousStatus: VerificationStatus;
}

export interface Proposal extends Ballot {
  readonly title: string;
  readonly summary: string;
  /** A DID. */
  readonly proposer: string;
  readonly proposerRole: Role;
  readonly package: JsonObject | null;
  readonly reason: string | null;
}

/** Electors whose keys are checked when an open proposal is read: each costs two look-ups. */
export const EXAMINED_ELECTORS = 1_000;
/** Electors without a key whose DIDs are listed. */
const SHOWN_ELECTORS = 10;

/** Electors who currently cannot vote. */
export interface ElectorsWithoutKey {
  readonly count: number;
  readonly power: number;
  readonly dids: readonly string[];
}

export function electorsWithoutKey(
  electors: readonly { readonly did: string; readonly weight: number }[],
): ElectorsWithoutKey {
  const power = electors.reduce((sum, { weight }) => sum + weight, 0);
  return { count: electors.length, power, dids: electors.slice(0, SHOWN_ELECTORS).map(({ did }) => did) };
}

/** A counted vote: one per DID, regardless of the API key. */
export interface Vote {
  readonly proposalId: string;
  /** A DID. */
  readonly voter: string;
  readonly option: VoteOption;
  readonly power: number;
  readonly rationale: string | null;
  /** Unix milliseconds. */
  readonly castAt: number;
}

/** The vote of one DID on a proposal whose electorate includes it. */
export interface OwnVote {
  readonly proposalId: string;
  readonly power: number;
  /** Undefined until it is cast. */
  readonly vote: Vote | undefined;
}

/** The proposal as of `now`: decided if a vote or the end of the vote has decided it. */
export function effectiveBallot<Open extends Ballot>(ballot: Open, now: number): Open {
  if (ballot.state !== "open" || !isDue(ballot, now)) return ballot;
  const { state, reason } = finalDecision(ballot.tally, ballot.totalPower, ballot.rules);
  return {
    ...ballot,
    state,
    outcomeReason: reason,
    decidedAt: ballot.dueAt,
    decidedEarly: ballot.dueAt < ballot.endsAt,
  };
}

/** A deciding vote counts at once, whatever the reader's clock shows. */
function isDue({ dueAt, endsAt }: Ballot, now: number): boolean {
  return dueAt < endsAt || now >= endsAt;
}

/** Whether the end of the vote closed it, rather than a deciding vote, a withdrawal or a change of the domain. */
export function endedByTime({ state, decidedEarly }: Ballot): boolean {
  return ["passed", "rejected", "expired"].includes(state) && !decidedEarly;
}

/** The votes cast, as text for the history of the domain. */
export function describeTally({ yes, no, abstain, noWithVeto }: Tally, totalPower: number): string {
  return `yes ${yes}, no ${no}, abstain ${abstain}, no with veto ${noWithVeto}, of ${totalPower}`;
}
