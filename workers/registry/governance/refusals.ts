/** Refusals that several effects of governance share. */
import { refused } from "../problem.ts";
import { endedByTime, type Ballot } from "./proposal.ts";

export function unknownDomain() {
  return refused("not_found", "There is no such domain");
}

export function unknownProposal() {
  return refused("not_found", "There is no such proposal");
}

export function notController() {
  return refused("not_controller", "Only its controllers and admins of the registry may change this domain");
}

/** After a few rereads somebody else was faster each time. */
export function writeContention() {
  return refused("write_contention", "Others are writing the same domain; try again");
}

/** `ballot` is settled and not open any more. */
export function closedBallot(ballot: Ballot) {
  if (endedByTime(ballot)) return refused("voting_closed", "The time to vote is over");
  return refused("proposal_closed", `The proposal is ${ballot.state}`);
}
