/**
 * What a proposal does to its domain: one version step when it opens and one when it
 * closes. A closing by a change of the domain itself is that change's step (domain/verification-loss.ts).
 */
import type { DomainAction, DomainRecord, DomainStep } from "../domain/domain.ts";
import { stepOf, type ChangedMembers } from "../domain/next-version.ts";
import { millisecondsOf, printTime } from "../domain/time.ts";
import { describeTally, type Ballot, type Proposal } from "./proposal.ts";
import { allServicesOff } from "../domain/services.ts";
import { noVerification } from "../domain/verification-loss.ts";

/** Whatever happens without anybody asking for it. */
export const SYSTEM = "system";

/** A proposal to revoke leaves the domain verified: proposing must not suspend. */
export async function openingStep(
  domain: DomainRecord,
  { id, kind, proposer, createdAt }: Pick<Proposal, "id" | "kind" | "proposer" | "createdAt">,
): Promise<DomainStep> {
  const changed: ChangedMembers = {
    openProposalId: id,
    ...(kind === "verify" ? { verificationStatus: "UnderVote" } : {}),
  };
  const step = await stepOf({
    before: domain,
    changed,
    action: "proposal-opened",
    actor: proposer,
    at: notBefore(domain, createdAt),
    proposalId: id,
  });
  return sure(step);
}

/** The step that executes a decision. `ballot` is a decided one. */
export async function decisionStep(domain: DomainRecord, ballot: Ballot): Promise<DomainStep> {
  const { action, changed } = effectOf(domain, ballot);
  const step = await stepOf({
    before: domain,
    changed: { ...changed, openProposalId: null },
    action,
    actor: SYSTEM,
    at: notBefore(domain, ballot.decidedAt ?? ballot.endsAt),
    reason: `${ballot.outcomeReason}: ${describeTally(ballot.tally, ballot.totalPower)}`,
    proposalId: ballot.id,
  });
  return sure(step);
}

export async function withdrawalStep(
  domain: DomainRecord,
  ballot: Ballot,
  { actor, at, reason }: { readonly actor: string; readonly at: number; readonly reason: string | null },
): Promise<DomainStep> {
  const tally = describeTally(ballot.tally, ballot.totalPower);
  const step = await stepOf({
    before: domain,
    changed: { ...undecided(ballot), openProposalId: null },
    action: "proposal-withdrawn",
    actor,
    at: notBefore(domain, at),
    reason: reason === null ? tally : `${reason} (${tally})`,
    proposalId: ballot.id,
  });
  return sure(step);
}

interface Effect {
  readonly action: DomainAction;
  readonly changed: ChangedMembers;
}

function effectOf(domain: DomainRecord, ballot: Ballot): Effect {
  const { kind, state, decidedAt, endsAt } = ballot;
  const at = decidedAt ?? endsAt;
  if (state === "expired") return { action: "proposal-expired", changed: undecided(ballot) };
  if (kind === "verify") {
    return state === "passed"
      ? { action: "verified", changed: verification(ballot, at) }
      : { action: "rejected", changed: { verificationStatus: "Rejected" } };
  }
  if (state !== "passed") return { action: "revocation-rejected", changed: {} };
  const services = allServicesOff(domain.services, at, "verification_lost");
  return {
    action: "revoked",
    changed: { ...noVerification, verificationStatus: "Revoked", services, wasVerified: false },
  };
}

/** A vote to verify that decides nothing leaves the status before it; one to revoke has changed nothing. */
function undecided({ kind, previousStatus }: Ballot): ChangedMembers {
  return kind === "verify" ? { verificationStatus: previousStatus } : {};
}

function verification({ domainVersion, content }: Ballot, at: number): ChangedMembers {
  return {
    verificationStatus: "Verified",
    verifiedAt: printTime(at),
    verifiedVersion: domainVersion,
    changedSinceVerification: [],
    verifiedContent: content,
  };
}

/** Versions of one record never go back in time, even where two clocks differ by a little. */
export function notBefore({ updatedAt }: Pick<DomainRecord, "updatedAt">, at: number): number {
  return Math.max(at, millisecondsOf(updatedAt));
}

/** Opening sets openProposalId and closing clears it, so neither can be a step that changes nothing. */
function sure(step: DomainStep | undefined): DomainStep {
  if (step === undefined) throw new Error("a proposal was opened or closed without effect on its domain");
  return step;
}
