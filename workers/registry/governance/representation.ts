/** Proposals and votes as clients read them: schemas and values. */
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import { verificationStatuses } from "../domain/domain.ts";
import { printTime } from "../domain/time.ts";
import { roles } from "../caller.ts";
import { packageRecord } from "./proposal-body.ts";
import { EXAMINED_ELECTORS, proposalKinds, proposalStates, type Proposal } from "./proposal.ts";
import { awaitedBy, castPower, isQuorumMet, voteOptions } from "../../../shared/vote-tally.ts";
import type { OwnVote, Vote } from "./proposal.ts";
import { votingRulesSchema } from "./voting-rules.ts";

const power = z.int().min(0);

export const proposalRecord = z
  .object({
    id: z.string(),
    domainId: did,
    kind: z.enum(proposalKinds),
    title: z.string(),
    summary: z.string(),
    proposer: did,
    proposerRole: z.enum(roles),
    package: packageRecord.nullable().meta({
      description:
        "The package as it was sent. `domain` contains the version that voters see, its facts and SHA-256 digests of the rest.",
    }),
    reason: z.string().nullable(),
    state: z.enum(proposalStates),
    outcomeReason: z.string().nullable().meta({
      description:
        "approved, threshold_not_met, vetoed, all_abstained, quorum_not_met, material_change, content_changed or deactivated; for a withdrawn proposal, the reason that was given.",
    }),
    rules: votingRulesSchema,
    totalPower: power.meta({ description: "Power of the proposal's whole electorate." }),
    tally: z.object({ yes: power, no: power, abstain: power, noWithVeto: power, cast: power }),
    quorumMet: z.boolean(),
    createdAt: time,
    votingEndsAt: time,
    decidedAt: time.nullable(),
    decidedEarly: z.boolean(),
    previousStatus: z.enum(verificationStatuses),
    awaiting: z
      .object({
        reason: z
          .enum(["quorum", "votes", "end"])
          .meta({ description: "`end`: votes may be changed until the vote ends." }),
        quorumMissing: power.meta({ description: "Power that must be cast before a decision is possible." }),
        yesToPass: power
          .nullable()
          .meta({ description: "Yes power that would decide it at once; null if none would." }),
        noToReject: power
          .nullable()
          .meta({ description: "No power that would decide it at once; null if none would." }),
        remaining: power.meta({ description: "Power that is not yet cast." }),
      })
      .nullable()
      .meta({ description: "Why it is open; null once it is closed." }),
  })
  .meta({ id: "Proposal" });

/** One proposal as it is read by its id. */
export const proposalDetail = proposalRecord
  .extend({
    electorsWithoutKey: z
      .object({ count: z.int(), power, dids: z.array(did).meta({ description: "The first ten of them." }) })
      .nullable()
      .meta({
        description: `Electors for whom no API key can vote now. Null once it is closed, and for an electorate of more than ${EXAMINED_ELECTORS}.`,
      }),
  })
  .meta({ id: "ProposalDetail" });

/** `proposal` as stored, or in its effective state if the response must be current. */
export function proposalRepresentation(proposal: Proposal) {
  const { tally, totalPower, rules, createdAt, endsAt, decidedAt } = proposal;
  return {
    id: proposal.id,
    domainId: proposal.domainId,
    kind: proposal.kind,
    title: proposal.title,
    summary: proposal.summary,
    proposer: proposal.proposer,
    proposerRole: proposal.proposerRole,
    package: proposal.package,
    reason: proposal.reason,
    state: proposal.state,
    outcomeReason: proposal.outcomeReason,
    rules,
    totalPower,
    tally: { ...tally, cast: castPower(tally) },
    quorumMet: isQuorumMet(tally, totalPower, rules),
    createdAt: printTime(createdAt),
    votingEndsAt: printTime(endsAt),
    decidedAt: decidedAt === null ? null : printTime(decidedAt),
    decidedEarly: proposal.decidedEarly,
    previousStatus: proposal.previousStatus,
    awaiting: proposal.state === "open" ? awaitedBy(tally, totalPower, rules) : null,
  };
}

export const voteRecord = z
  .object({
    proposalId: z.string(),
    voter: did,
    option: z.enum(voteOptions),
    power,
    rationale: z.string().nullable(),
    castAt: time,
  })
  .meta({ id: "Vote" });

export function voteRepresentation({ castAt, ...same }: Vote) {
  return { ...same, castAt: printTime(castAt) };
}

export const ownVoteRecord = z
  .object({
    proposalId: z.string(),
    power: power.meta({ description: "The caller's power in the proposal's electorate." }),
    vote: voteRecord.nullable(),
  })
  .meta({ id: "OwnVote" });

export function ownVoteRepresentation({ proposalId, power, vote }: OwnVote) {
  return { proposalId, power, vote: vote === undefined ? null : voteRepresentation(vote) };
}
