/**
 * Who may vote on a proposal (contract/registry.md section 6.4): the voter roll as it was when the proposal was made,
 * without those whom the rules leave out. The snapshot itself is taken in the proposal's batch (store/proposal-store.ts).
 */
import type { VotingRules } from "./voting-rules.ts";

/** DIDs that are left out of the snapshot, each once. */
export function leftOut(
  { excludedVoters }: Pick<VotingRules, "excludedVoters">,
  { proposer, controllers }: { readonly proposer: string; readonly controllers: readonly string[] },
): readonly string[] {
  const excludesProposer = excludedVoters === "proposer" || excludedVoters === "both";
  const excludesControllers = excludedVoters === "controllers" || excludedVoters === "both";
  return [...new Set([...(excludesProposer ? [proposer] : []), ...(excludesControllers ? controllers : [])])];
}
