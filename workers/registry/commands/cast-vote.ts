/**
 * Casts a vote. A DID has one vote, regardless of the API key. The command makes one read and one batch, and the batch
 * of the deciding vote executes the decision too. The statement that stores a vote decides whether it counts; the
 * earlier read only selects the error message.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { type Result, success } from "../../../platform/result.ts";
import { refused, unknownProposal } from "../failures.ts";
import { effectiveState } from "../governance/effective-state.ts";
import { type Ballot, effectiveBallot, endedByTime, type Vote } from "../governance/proposal.ts";
import { earlyDecision, tallyWith, type VoteOption } from "../../../shared/vote-tally.ts";
import { commitCommand, LOST, type Write } from "../store/batch.ts";
import { effectiveStatements, readEffective } from "../store/effective-domain.ts";
import { refusedByQuota } from "../store/quota-store.ts";
import {
  castStatements,
  dueStatement,
  expectStillOpen,
  readVotingState,
  standingStatements,
  type VotingState,
} from "../store/vote-store.ts";

interface VotingContext {
  readonly database: Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export interface VoteRequest {
  readonly proposalId: string;
  /** The voter's DID. */
  readonly voter: string;
  readonly option: VoteOption;
  readonly rationale: string | null;
  /** Further statements for the same batch. */
  readonly extra: (cast: CastVote) => readonly Statement[];
}

export interface CastVote {
  readonly vote: Vote;
  /** Whether it is the voter's first vote on this proposal. */
  readonly isFirst: boolean;
}

/** A voting state whose voter is in the electorate. */
type BallotOfVoter = VotingState & { readonly weight: number };

/** The state that `castVote` needs, or the reason why this DID cannot vote. */
export async function readBallot(
  { database }: Pick<VotingContext, "database">,
  proposalId: string,
  voter: string,
): Promise<Result<BallotOfVoter>> {
  const state = await readVotingState(database, proposalId, voter);
  if (state === undefined) return unknownProposal();
  const { weight } = state;
  if (weight !== undefined) return success({ ...state, weight });
  return refused("not_in_electorate", "This DID is not in the electorate of the proposal");
}

/** `first` is the result of `readBallot`; later attempts read again. */
export async function castVote(
  context: VotingContext,
  request: VoteRequest,
  first: BallotOfVoter,
): Promise<Result<CastVote>> {
  let unused: BallotOfVoter | undefined = first;
  return commitCommand(
    context.database,
    async () => {
      const read: Result<BallotOfVoter> =
        unused === undefined ? await readBallot(context, request.proposalId, request.voter) : success(unused);
      unused = undefined;
      return read.ok ? decide(context, request, read.value) : read;
      // The response stored under an Idempotency-Key wins.
    },
    { refusedByQuota: () => refusedByQuota(context.clock()) },
  );
}

async function decide(
  { database, clock }: VotingContext,
  { proposalId, voter, option, rationale, extra }: VoteRequest,
  { ballot, domain, weight, vote: known }: BallotOfVoter,
): Promise<Result<CastVote> | Write<CastVote> | typeof LOST> {
  const now = clock();
  if (effectiveBallot(ballot, now).state !== ballot.state) {
    // Store the due decision before reporting it, then retry.
    await readEffective(database, domain.id, now);
    return LOST;
  }
  if (ballot.state !== "open") return closedBallot(ballot);
  if (known?.option === option) {
    const standing: CastVote = { vote: known, isFirst: false };
    // The response may be stored under an idempotency key, and is true only while the vote is valid.
    return { statements: [...standingStatements(database, known), ...extra(standing)], value: standing };
  }
  if (known !== undefined && !ballot.rules.allowRevote) {
    return refused("already_voted", `This DID has voted ${known.option}, and votes on this proposal are final`);
  }
  const castAt = Math.max(now, ballot.createdAt);
  const vote: Vote = { proposalId, voter, option, power: weight, rationale, castAt };
  const cast: CastVote = { vote, isFirst: known === undefined };
  const tally = tallyWith(ballot.tally, vote, known);
  // Never true if votes can be changed (`allowRevote`).
  const isDecided = earlyDecision(tally, ballot.totalPower, ballot.rules) !== undefined;
  const decision = isDecided
    ? [
        dueStatement(database, vote),
        ...effectiveStatements(
          database,
          await effectiveState({ domain, proposal: { ...ballot, tally, dueAt: castAt } }, castAt),
        ),
      ]
    : [expectStillOpen(database, ballot)];
  return { statements: [...castStatements(database, vote, known), ...decision, ...extra(cast)], value: cast };
}

/** `ballot` is no longer open. */
function closedBallot(ballot: Ballot) {
  if (endedByTime(ballot)) return refused("voting_closed", "Voting has ended");
  return refused("proposal_closed", `The proposal is ${ballot.state}`);
}
