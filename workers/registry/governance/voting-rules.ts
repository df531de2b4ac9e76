/**
 * The rules of a vote. A deployment sets them; a proposal keeps a copy of the rules in force when it was made. Shares
 * are in basis points, 1/10000.
 */
import * as z from "zod";
import type { RegistryConfig } from "../config.ts";

export const votingRulesSchema = z
  .object({
    quorumBp: z.int().meta({ description: "Minimum share of the total power that must be cast." }),
    thresholdBp: z.int().meta({
      description:
        "Yes must exceed this share of all votes except abstentions. 10000 means that all of them must be yes.",
    }),
    vetoBp: z.int().meta({ description: "More than this share of the cast power vetoes; 10000 means no veto." }),
    votingPeriodSeconds: z.int(),
    allowRevote: z.boolean().meta({
      description: "Voters may change their vote, the last vote counts, and nothing is decided before the end.",
    }),
    excludedVoters: z
      .enum(["none", "proposer", "controllers", "both"])
      .meta({ description: "The DIDs that a proposal's electorate excludes." }),
  })
  .meta({ id: "VotingRules" });

export type VotingRules = Readonly<z.output<typeof votingRulesSchema>>;

type VotingVariables = Pick<
  RegistryConfig,
  | "REGISTRY_QUORUM_BP"
  | "REGISTRY_THRESHOLD_BP"
  | "REGISTRY_VETO_BP"
  | "REGISTRY_VOTING_PERIOD_S"
  | "REGISTRY_ALLOW_REVOTE"
  | "REGISTRY_EXCLUDED_VOTERS"
>;

export function votingRulesOf(config: VotingVariables): VotingRules {
  return {
    quorumBp: config.REGISTRY_QUORUM_BP,
    thresholdBp: config.REGISTRY_THRESHOLD_BP,
    vetoBp: config.REGISTRY_VETO_BP,
    votingPeriodSeconds: config.REGISTRY_VOTING_PERIOD_S,
    allowRevote: config.REGISTRY_ALLOW_REVOTE,
    excludedVoters: config.REGISTRY_EXCLUDED_VOTERS,
  };
}

/** DIDs that are excluded from the electorate of a proposal, each once. */
export function excludedVoters(
  { excludedVoters: excluded }: Pick<VotingRules, "excludedVoters">,
  { proposer, controllers }: { readonly proposer: string; readonly controllers: readonly string[] },
): readonly string[] {
  const excludesProposer = excluded === "proposer" || excluded === "both";
  const excludesControllers = excluded === "controllers" || excluded === "both";
  return [...new Set([...(excludesProposer ? [proposer] : []), ...(excludesControllers ? controllers : [])])];
}
