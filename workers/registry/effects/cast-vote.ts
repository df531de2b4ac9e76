/**
 * Casts a vote (contract/registry.md section 6.4): one of a DID, whatever key it comes by. The statement that stores it
 * decides whether it counts; what is read before only chooses the words of a refusal. A vote that decides is executed
 * at once, and by any reader's arithmetic even when that is cut short.
 */
import { success } from "../../platform/result.ts";
import { refused, type Outcome } from "../problem.ts";
import { ATTEMPTS, commit } from "../store/batch.ts";
import { readProposal } from "../store/proposal-store.ts";
import { loadSettled, persistSettlement } from "../store/settled-domain.ts";
import { castStatements, readVote, readWeight } from "../store/vote-store.ts";
import { endedByTime, settledBallot, type Ballot } from "../governance/proposal.ts";
import { unknownProposal, writeContention } from "../refusals.ts";
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
export async function admitElector(database: D1Database, proposalId: string, voter: string): Promise<Outcome<number>> {
  const weight = await readWeight(database, proposalId, voter);
  if (weight !== undefined) return success(weight);
  if ((await readProposal(database, proposalId)) === undefined) return unknownProposal();
  return refused("not_in_electorate", "The electorate that was taken with the proposal does not have this DID");
}

export async function castVote(parts: VotingParts, paper: BallotPaper, weight: number): Promise<Outcome<CastVote>> {
  const { database, clock } = parts;
  const { proposalId, voter, option, rationale, beside } = paper;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = clock();
    const [proposal, known] = await Promise.all([
      readProposal(database, proposalId),
      readVote(database, proposalId, voter),
    ]);
    if (proposal === undefined) return unknownProposal();
    if (known?.option === option) return success({ vote: known, isFirst: false });
    const ballot = settledBallot(proposal, now);
    if (ballot.state !== "open") return closedBallot(ballot);
    if (known !== undefined && !ballot.rules.allowRevote) {
      return refused("already_voted", `This DID has voted ${known.option}, and a vote is final here`);
    }
    const castAt = Math.max(now, ballot.createdAt);
    const vote: Vote = { proposalId, voter, option, power: weight, rationale, castAt };
    const cast: CastVote = { vote, isFirst: known === undefined };
    const outcome = await commit(database, [...castStatements(database, vote, known), ...beside(cast)]);
    if (outcome === "conflict") continue;
    await executeDecision(parts, ballot.domainId);
    return success(cast);
  }
  return writeContention();
}

/** `ballot` is settled and not open any more. */
function closedBallot(ballot: Ballot) {
  if (endedByTime(ballot)) return refused("voting_closed", "The time to vote is over");
  return refused("proposal_closed", `The proposal is ${ballot.state}`);
}

/** Nothing to do unless the vote has decided the proposal; a conflict means that somebody else may have done it. */
async function executeDecision({ database, clock }: VotingParts, domainId: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const settled = await loadSettled(database, domainId, clock());
    if (settled === undefined || (await persistSettlement(database, settled)) === "committed") return;
  }
}
