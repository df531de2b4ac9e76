/** The types of the screen, by the names of the API's schemas. */
import type { components } from "../api/paths.d.ts";

type Schemas = components["schemas"];

export type Proposal = Schemas["Proposal"];
/** A proposal in the form of a request by id. */
export type ProposalDetail = Schemas["ProposalDetail"];
export type Vote = Schemas["Vote"];
export type OwnVote = Schemas["OwnVote"];
export type Voter = Schemas["Voter"];
export type VotingRules = Schemas["VotingRules"];
export type Domain = Schemas["Domain"];
export type HistoryEntry = Schemas["HistoryEntry"];
/** The values that determine a vote's standing. */
export type Counted = Pick<Proposal, "tally" | "totalPower" | "rules">;
export type VoteOption = Vote["option"];
export type ProposalState = Proposal["state"];

/** In display order. */
export const voteOptions = ["yes", "no", "abstain", "no_with_veto"] as const satisfies readonly VoteOption[];
export const finishedStates = ["passed", "rejected", "expired", "withdrawn", "superseded"] as const;
export const proposalKinds = ["verify", "revoke"] as const;
