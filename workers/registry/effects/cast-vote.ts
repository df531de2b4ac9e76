/**
 * Casts a vote (contract/registry.md section 6.4): one of a DID, whatever key it comes by. The statement that stores it
 * decides whether it counts; what is read before only chooses the words of a refusal. A vote that decides is executed
 * at once, and by any reader's arithmetic even when that is cut short.
 */
import { success, type Result } from "../../platform/result.ts";
import { refused, unknownProposal, writeContention } from "../failures.ts";
import { ATTEMPTS, commit, pauseAfterConflict } from "../store/batch.ts";
import { readProposal } from "../store/proposal-store.ts";
import { loadShown, showProposal } from "../store/shown-domain.ts";
import { castStatements, readVote, readWeight, standingStatements } from "../store/vote-store.ts";
import { endedByTime, type Ballot } from "../governance/proposal.ts";
import type { VoteOption } from "../governance/tally.ts";
import type { Vote } from "../governance/vote.ts";

export interface VotingParts {
  readonly database: D1Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export interface BallotPaper {
  readonly proposalId: string;
  /** The voter's DID. */
  readonly voter: string;
  readonly option: VoteOption;
  readonly rationale: string | null;
  /** Statements for the same batch. */
  readonly beside: (cast: CastVote) => readonly D1PreparedStatement[];
}

export interface CastVote {
  readonly vote: Vote;
  /** The voter's first one on this proposal. */
  readonly isFirst: boolean;
}

/** The elector's weight, or why there is none. */
export async function admitElector(database: D1Database, proposalId: string, voter: string): Promise<Result<number>> {
  const weight = await readWeight(database, proposalId, voter);
  if (weight !== undefined) return success(weight);
  if ((await readProposal(database, proposalId)) === undefined) return unknownProposal();
  return refused("not_in_electorate", "The electorate that was taken with the proposal does not have this DID");
}

export async function castVote(parts: VotingParts, paper: BallotPaper, weight: number): Promise<Result<CastVote>> {
  const { database, clock } = parts;
  const { proposalId, voter, option, rationale, beside } = paper;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = clock();
    const [ballot, known] = await Promise.all([
      showProposal(database, proposalId, now),
      readVote(database, proposalId, voter),
    ]);
    if (ballot === undefined) return unknownProposal();
    if (ballot.state !== "open") return closedBallot(ballot);
    if (known?.option === option) {
      const standing: CastVote = { vote: known, isFirst: false };
      // The answer may be kept under a key, and is true only while the vote stands.
      const outcome = await commit(database, [...standingStatements(database, known), ...beside(standing)]);
      if (outcome === "committed") return success(standing);
      if (outcome === "answered") return writeContention();
      await pauseAfterConflict(attempt);
      continue;
    }
    if (known !== undefined && !ballot.rules.allowRevote) {
      return refused("already_voted", `This DID has voted ${known.option}, and a vote is final here`);
    }
    const castAt = Math.max(now, ballot.createdAt);
    const vote: Vote = { proposalId, voter, option, power: weight, rationale, castAt };
    const cast: CastVote = { vote, isFirst: known === undefined };
    const outcome = await commit(database, [...castStatements(database, vote, known), ...beside(cast)]);
    if (outcome === "answered") return writeContention();
    if (outcome === "conflict") {
      await pauseAfterConflict(attempt);
      continue;
    }
    // Nothing to store unless the vote has decided the proposal.
    await loadShown(database, ballot.domainId, clock());
    return success(cast);
  }
  return writeContention();
}

/** `ballot` is not open any more. */
function closedBallot(ballot: Ballot) {
  if (endedByTime(ballot)) return refused("voting_closed", "The time to vote is over");
  return refused("proposal_closed", `The proposal is ${ballot.state}`);
}
