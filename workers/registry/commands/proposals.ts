/**
 * Opens and withdraws proposals. Opening stores the text, the version of the voter roll and the domain's step in one
 * batch. If two requests open a proposal at once, the second one finds the first.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { Failure } from "../../../platform/failure.ts";
import { failure, type Result } from "../../../platform/result.ts";
import { type Caller, holds } from "../caller.ts";
import { contentDigestsOf } from "../domain/content.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { millisecondsOf } from "../domain/time.ts";
import {
  insufficientScope,
  notProposer,
  refused,
  registryFailure,
  unknownDomain,
  unknownProposal,
} from "../failures.ts";
import { notBefore, openingStep, withdrawalStep } from "../governance/effective-state.ts";
import { isPastValidity } from "../governance/eligibility.ts";
import { mismatches } from "../governance/package-mismatches.ts";
import { factsOf, type ProposalDraft } from "../governance/proposal-body.ts";
import type { Proposal, ProposalKind } from "../governance/proposal.ts";
import { emptyTally } from "../../../shared/vote-tally.ts";
import { excludedVoters, type VotingRules } from "../governance/voting-rules.ts";
import { newIdentifier, type RandomBytes } from "../did.ts";
import { commitCommand, LOST } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { readEffective, readEffectiveProposal } from "../store/effective-domain.ts";
import { closingStatements, openingStatements, readElectorate } from "../store/proposal-store.ts";
import { bytesOf, bytesOfStep, quotaStatements, type QuotaSettings, refusedByQuota } from "../store/quota-store.ts";

interface ProposalContext {
  readonly database: Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly config: QuotaSettings;
}

interface OpeningContext extends ProposalContext {
  readonly randomBytes: RandomBytes;
  readonly rules: VotingRules;
}

export interface Opening {
  readonly domainId: string;
  readonly caller: Caller;
  readonly draft: ProposalDraft;
  /** Further statements for the same batch. */
  readonly extra: (proposal: Proposal) => readonly Statement[];
}

export async function openProposal(
  { database, clock, config, randomBytes, rules }: OpeningContext,
  { domainId, caller, draft, extra }: Opening,
): Promise<Result<Proposal>> {
  const { did: proposer, role } = caller;
  if (role === null) return insufficientScope("verification:propose");
  return commitCommand(
    database,
    async () => {
      const now = clock();
      const effective = await readEffective(database, domainId, now);
      if (effective === undefined) return unknownDomain();
      const { domain, guard } = effective;
      const reason = reasonAgainst(domain, draft, now);
      if (reason !== undefined) return failure(reason);
      const excluded = excludedVoters(rules, { proposer, controllers: domain.controllers });
      const { totalPower, voterCount } = await readElectorate(database, excluded);
      if (totalPower === 0)
        return refused("no_eligible_voters", "No voter on the voter roll may vote on this proposal");
      const createdAt = notBefore(domain, now);
      const digests = await contentDigestsOf(domain);
      const isVerification = draft.kind === "verify";
      const endsAt = createdAt + rules.votingPeriodSeconds * 1_000;
      const proposal: Proposal = {
        id: newIdentifier("prp", randomBytes),
        domainId,
        kind: draft.kind,
        title: draft.title,
        summary: draft.summary,
        proposer,
        proposerRole: role,
        package: { ...draft.package, domain: await factsOf(domain, digests) },
        reason: draft.reason ?? null,
        state: "open",
        outcomeReason: null,
        rules,
        totalPower,
        tally: emptyTally,
        createdAt,
        endsAt,
        dueAt: endsAt,
        decidedAt: null,
        decidedEarly: false,
        domainVersion: isVerification ? domain.version : null,
        content: isVerification ? digests : null,
        previousStatus: domain.verificationStatus,
      };
      const step = await openingStep(domain, proposal);
      const bytes = bytesOfStep(step) + bytesOf(proposal);
      return {
        statements: [
          ...quotaStatements(database, config, { caller, bytes, proposedOn: domainId, at: now }),
          ...guard,
          ...openingStatements(database, proposal, { excluded, voterCount }),
          ...stepStatements(database, step),
          ...extra(proposal),
        ],
        value: proposal,
      };
    },
    withQuota(clock),
  );
}

function withQuota(clock: () => number) {
  return { refusedByQuota: () => refusedByQuota(clock()) };
}

/** Why the domain cannot have such a proposal now. */
function reasonAgainst(domain: DomainRecord, draft: ProposalDraft, now: number): Failure | undefined {
  const { status, verificationStatus, openProposalId, validUntil, wasVerified } = domain;
  if (openProposalId !== null) {
    return registryFailure("proposal_open", `The proposal ${openProposalId} on this domain is not decided yet`);
  }
  if (draft.kind === "verify" && verificationStatus === "Verified") {
    return registryFailure("already_verified", "The domain is already verified");
  }
  // Deactivating or changing a domain first does not prevent a revocation.
  const isRevocable = verificationStatus === "Verified" || (wasVerified && status === "deactivated");
  if (draft.kind === "revoke" && !isRevocable) {
    return registryFailure("not_verified", "The domain has no verification that could be revoked");
  }
  if (!statusesOpenTo[draft.kind].includes(status)) {
    return registryFailure("domain_not_active", `The domain is ${status}; no proposal on it can be opened`);
  }
  // The end of validity does not protect a verification from revocation.
  if (draft.kind === "verify" && isPastValidity({ validUntil }, now)) {
    return registryFailure("domain_expired", `The domain was valid until ${validUntil}`);
  }
  const details = mismatches(draft.sentPackage, domain);
  if (details.length === 0) return undefined;
  return registryFailure("package_mismatch", "The package does not match the domain; read the domain again", {
    details,
  });
}

const statusesOpenTo: Readonly<Record<ProposalKind, readonly DomainRecord["status"][]>> = {
  verify: ["active"],
  revoke: ["active", "suspended", "deactivated"],
};

export interface Withdrawal {
  readonly proposalId: string;
  readonly caller: Caller;
  readonly reason: string | null;
  readonly extra: (proposal: Proposal) => readonly Statement[];
}

export function mayWithdraw(caller: Caller, { proposer }: Pick<Proposal, "proposer">): boolean {
  return caller.did === proposer || holds(caller.scopes, "registry:admin");
}

/** Only while the proposal is open and undecided. */
export async function withdrawProposal(
  { database, clock, config }: ProposalContext,
  { proposalId, caller, reason, extra }: Withdrawal,
): Promise<Result<Proposal>> {
  return commitCommand(
    database,
    async () => {
      const now = clock();
      const proposal = await readEffectiveProposal(database, proposalId, now);
      if (proposal === undefined) return unknownProposal();
      if (!mayWithdraw(caller, proposal)) return notProposer();
      if (proposal.state !== "open") return refused("proposal_closed", `The proposal is ${proposal.state}`);
      const effective = await readEffective(database, proposal.domainId, now);
      // If another request closed it between the two reads, the next attempt finds out.
      if (effective?.openProposal?.id !== proposalId) return LOST;
      const { domain, openProposal, guard } = effective;
      const step = await withdrawalStep(domain, openProposal, { actor: caller.did, at: now, reason });
      const at = millisecondsOf(step.after.updatedAt);
      const closing = { state: "withdrawn", outcomeReason: reason, decidedAt: at, decidedEarly: false } as const;
      const withdrawn: Proposal = { ...proposal, ...openProposal, ...closing };
      return {
        statements: [
          ...guard,
          ...closingStatements(database, openProposal, closing),
          ...stepStatements(database, step),
          ...quotaStatements(database, config, { caller, bytes: bytesOfStep(step), at: now }),
          ...extra(withdrawn),
        ],
        value: withdrawn,
      };
    },
    withQuota(clock),
  );
}
