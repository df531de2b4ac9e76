/** Takes a proposal back while it is open and undecided (contract/registry.md section 6.2). */
import { success, type Result } from "../../platform/result.ts";
import type { Caller } from "../caller.ts";
import { millisecondsOf } from "../domain/time.ts";
import { refused, unknownProposal, notProposer, writeContention } from "../failures.ts";
import { holds } from "../scopes.ts";
import { ATTEMPTS, commit, pauseAfterConflict } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { closingStatements } from "../store/proposal-store.ts";
import { loadShown, showProposal } from "../store/shown-domain.ts";
import { withdrawalStep } from "../governance/proposal-steps.ts";
import type { Proposal } from "../governance/proposal.ts";

export interface Withdrawal {
  readonly proposalId: string;
  readonly caller: Caller;
  readonly reason: string | null;
  readonly beside: (proposal: Proposal) => readonly D1PreparedStatement[];
}

export function mayWithdraw(caller: Caller, { proposer }: Pick<Proposal, "proposer">): boolean {
  return caller.did === proposer || holds(caller.scopes, "registry:admin");
}

export async function withdrawProposal(
  { database, clock }: { readonly database: D1Database; readonly clock: () => number },
  { proposalId, caller, reason, beside }: Withdrawal,
): Promise<Result<Proposal>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = clock();
    const proposal = await showProposal(database, proposalId, now);
    if (proposal === undefined) return unknownProposal();
    if (!mayWithdraw(caller, proposal)) return notProposer();
    if (proposal.state !== "open") return refused("proposal_closed", `The proposal is ${proposal.state}`);
    const settled = await loadShown(database, proposal.domainId, now);
    // Whoever has closed it between the two reads is found by the next attempt.
    if (settled?.openProposal?.id !== proposalId) continue;
    const step = await withdrawalStep(settled.domain, settled.openProposal, { actor: caller.did, at: now, reason });
    const at = millisecondsOf(step.after.updatedAt);
    const closing = { state: "withdrawn", outcomeReason: reason, decidedAt: at, decidedEarly: false } as const;
    const withdrawn: Proposal = { ...proposal, ...settled.openProposal, ...closing };
    const outcome = await commit(database, [
      ...settled.statements,
      ...closingStatements(database, settled.openProposal, closing),
      ...stepStatements(database, step, at),
      ...beside(withdrawn),
    ]);
    if (outcome === "committed") return success(withdrawn);
    if (outcome === "answered") return writeContention();
    await pauseAfterConflict(attempt);
  }
  return writeContention();
}
