/**
 * Opens a proposal (contract/registry.md sections 6.1, 6.2 and 6.4): its text, the snapshot of the electorate and the
 * domain's step in one batch. Of two at once the second finds the first.
 */
import { failure, success, type Result } from "../../platform/result.ts";
import type { Caller } from "../caller.ts";
import type { RandomBytes } from "../identifier.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { contentDigestsOf } from "../domain/content.ts";
import { millisecondsOf } from "../domain/time.ts";
import { newIdentifier } from "../identifier.ts";
import { insufficientScope, registryFailure, refused, unknownDomain, writeContention } from "../failures.ts";
import type { Failure } from "../../platform/failure.ts";
import { ATTEMPTS, commit, pauseAfterConflict } from "../store/batch.ts";
import { stepStatements } from "../store/domain-steps.ts";
import { openingStatements, readRoll } from "../store/proposal-store.ts";
import { loadShown } from "../store/shown-domain.ts";
import { leftOut } from "../governance/electorate.ts";
import { isPastValidity } from "../governance/eligibility.ts";
import { factsOf } from "../governance/entity-package.ts";
import { mismatches } from "../governance/package-mismatches.ts";
import type { ProposalDraft } from "../governance/proposal-body.ts";
import { notBefore, openingStep } from "../governance/proposal-steps.ts";
import type { Proposal, ProposalKind } from "../governance/proposal.ts";
import { emptyTally } from "../governance/tally.ts";
import type { VotingRules } from "../governance/voting-rules.ts";

export interface OpeningParts {
  readonly database: D1Database;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
  readonly rules: VotingRules;
}

export interface Opening {
  readonly domainId: string;
  readonly caller: Caller;
  readonly draft: ProposalDraft;
  /** What belongs into the same batch, told of the proposal that it is for. */
  readonly beside: (proposal: Proposal) => readonly D1PreparedStatement[];
}

export async function openProposal(parts: OpeningParts, opening: Opening): Promise<Result<Proposal>> {
  const { database, clock, rules } = parts;
  const { domainId, caller, draft, beside } = opening;
  if (caller.role === null) return insufficientScope("verification:propose");
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = clock();
    const settled = await loadShown(database, domainId, now);
    if (settled === undefined) return unknownDomain();
    const { domain } = settled;
    const refusal = refusalOf(domain, draft, now);
    if (refusal !== undefined) return failure(refusal);
    const absent = leftOut(rules, { proposer: caller.did, controllers: domain.controllers });
    const { totalPower } = await readRoll(database, absent);
    if (totalPower === 0) return refused("no_eligible_voters", "Nobody on the voter roll may vote on this proposal");
    const createdAt = notBefore(domain, now);
    const digests = await contentDigestsOf(domain);
    const isVerification = draft.kind === "verify";
    const proposal: Proposal = {
      id: newIdentifier("prp", parts.randomBytes),
      domainId,
      kind: draft.kind,
      title: draft.title,
      summary: draft.summary,
      proposer: caller.did,
      proposerRole: caller.role,
      package: { ...draft.package, domain: await factsOf(domain, digests) },
      reason: draft.reason ?? null,
      state: "open",
      outcomeReason: null,
      rules,
      totalPower,
      tally: emptyTally,
      createdAt,
      endsAt: createdAt + rules.votingPeriodSeconds * 1_000,
      dueAt: createdAt + rules.votingPeriodSeconds * 1_000,
      decidedAt: null,
      decidedEarly: false,
      domainVersion: isVerification ? domain.version : null,
      content: isVerification ? digests : null,
      previousStatus: domain.verificationStatus,
    };
    const step = await openingStep(domain, proposal);
    const outcome = await commit(database, [
      ...settled.statements,
      ...openingStatements(database, proposal, absent),
      ...stepStatements(database, step, millisecondsOf(step.after.updatedAt)),
      ...beside(proposal),
    ]);
    if (outcome === "committed") return success(proposal);
    if (outcome === "answered") return writeContention();
    await pauseAfterConflict(attempt);
  }
  return writeContention();
}

/** Why the settled domain takes no such proposal now. */
function refusalOf(domain: DomainRecord, draft: ProposalDraft, now: number): Failure | undefined {
  const { status, verificationStatus, openProposalId, validUntil, wasVerified } = domain;
  if (openProposalId !== null) {
    return registryFailure("proposal_open", `The proposal ${openProposalId} on this domain is not decided yet`);
  }
  if (draft.kind === "verify" && verificationStatus === "Verified") {
    return registryFailure("already_verified", "The domain is verified already");
  }
  // Nobody ends a domain to keep a clean record, nor changes it first to do so.
  const isRevocable = verificationStatus === "Verified" || (wasVerified && status === "deactivated");
  if (draft.kind === "revoke" && !isRevocable) {
    return registryFailure("not_verified", "The domain has no verification that could be revoked");
  }
  if (!statusesOpenTo[draft.kind].includes(status)) {
    return registryFailure("domain_not_active", `The domain is ${status}; nothing can be proposed on it`);
  }
  // The end of validity protects nobody from losing a verification.
  if (draft.kind === "verify" && isPastValidity({ validUntil }, now)) {
    return registryFailure("domain_expired", `The domain was valid until ${validUntil}`);
  }
  const details = mismatches(draft.sentPackage, domain);
  if (details.length === 0) return undefined;
  return registryFailure("package_mismatch", "The package says of the domain what it is not; read the domain again", {
    details,
  });
}

const statusesOpenTo: Readonly<Record<ProposalKind, readonly DomainRecord["status"][]>> = {
  verify: ["active"],
  revoke: ["active", "suspended", "deactivated"],
};
