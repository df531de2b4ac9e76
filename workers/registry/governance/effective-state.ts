/**
 * The effective state of a domain at a time: the result of its open proposal and the end of its validity, whether or
 * not it is stored yet, and the version steps of a proposal that opens or closes. These are pure functions of the
 * stored state and `now`, so every reader sees one state, before and after finalisation.
 */
import { versionIdOf } from "../domain/content.ts";
import type { DomainAction, DomainRecord, DomainStep, VerificationStatus } from "../domain/domain.ts";
import { type ChangedMembers, stepOf } from "../domain/next-version.ts";
import { allServicesOff, isAnyServiceOn } from "../domain/services.ts";
import { millisecondsOf, printTime } from "../domain/time.ts";
import { lostAtTheEnd, noVerification } from "../domain/verification-loss.ts";
import { isPastValidity } from "./eligibility.ts";
import { type Ballot, describeTally, effectiveBallot, type Proposal } from "./proposal.ts";

/** A domain and its open proposal, if any. */
export interface GovernedDomain {
  readonly domain: DomainRecord;
  readonly proposal: Ballot | undefined;
}

export interface EffectiveState extends GovernedDomain {
  /** The due steps that are not stored yet, in order, one version each. Empty if the stored state is current. */
  readonly due: readonly DomainStep[];
}

/**
 * `now` is in Unix milliseconds. Events apply in the order of their times; events at one instant in the order of
 * `ranks`.
 */
export async function effectiveState({ domain, proposal }: GovernedDomain, now: number): Promise<EffectiveState> {
  const decided = proposal === undefined ? undefined : effectiveBallot(proposal, now);
  const events = [...decisionOf(decided), ...endOfValidity(domain, now), ...endOfDomain(domain)].toSorted(
    (one, other) => one.at - other.at || one.rank - other.rank,
  );
  const due: DomainStep[] = [];
  let effective = domain;
  for (const { stepFrom } of events) {
    const step = await stepFrom(effective);
    if (step === undefined) continue;
    due.push(step);
    effective = step.after;
  }
  return { domain: effective, proposal: decided, due };
}

/**
 * The end of a vote comes before the end of validity. A deciding vote in the millisecond in which validity ends comes
 * after it, because a reader between the two has seen that version.
 */
const ranks = { endOfVote: 0, endOfValidity: 1, decidingVote: 2, endOfDomain: 3 } as const;

interface DueEvent {
  readonly at: number;
  readonly rank: number;
  /** Undefined if an earlier event left nothing to change. */
  readonly stepFrom: (domain: DomainRecord) => Promise<DomainStep | undefined>;
}

function decisionOf(ballot: Ballot | undefined): readonly DueEvent[] {
  if (ballot === undefined || ballot.decidedAt === null) return [];
  const rank = ballot.decidedEarly ? ranks.decidingVote : ranks.endOfVote;
  return [{ at: ballot.decidedAt, rank, stepFrom: (domain) => decisionStep(domain, ballot) }];
}

/** An older release left a deactivated domain verified. */
function endOfDomain({ status, verificationStatus, updatedAt }: DomainRecord): readonly DueEvent[] {
  if (status !== "deactivated" || verificationStatus !== "Verified") return [];
  const at = millisecondsOf(updatedAt);
  const stepFrom = (domain: DomainRecord) =>
    domain.verificationStatus === "Verified"
      ? stepOf({
          before: domain,
          changed: lostAtTheEnd,
          action: "verification-lost",
          actor: SYSTEM,
          at,
          reason: "deactivated",
        })
      : Promise.resolve(undefined);
  return [{ at, rank: ranks.endOfDomain, stepFrom }];
}

function endOfValidity({ validUntil, services }: DomainRecord, now: number): readonly DueEvent[] {
  if (validUntil === null || !isPastValidity({ validUntil }, now) || !isAnyServiceOn(services)) return [];
  const at = millisecondsOf(validUntil);
  const stepFrom = (domain: DomainRecord) =>
    stepOf({
      before: domain,
      changed: { services: allServicesOff(domain.services, at, "validity_ended") },
      action: "validity-ended",
      actor: SYSTEM,
      at: notBefore(domain, at),
    });
  return [{ at, rank: ranks.endOfValidity, stepFrom }];
}

/** The actor of changes that no request asked for. */
const SYSTEM = "system";

/** A proposal to revoke keeps the domain verified: proposing must not suspend. */
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

/** The step that executes a decision. `ballot` is decided. */
async function decisionStep(domain: DomainRecord, ballot: Ballot): Promise<DomainStep> {
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

/** The results of an earlier vote. A superseded vote decides nothing, so it restores them. */
const verdicts: readonly VerificationStatus[] = ["Rejected", "Revoked"];

/**
 * The step of a change that supersedes `ballot`. It restores the status before the vote if an earlier vote had set it.
 */
export async function supersedingStep(step: DomainStep, { kind, previousStatus }: Ballot): Promise<DomainStep> {
  if (kind !== "verify" || !verdicts.includes(previousStatus)) return step;
  const { versionId: _, ...after } = { ...step.after, verificationStatus: previousStatus };
  return { ...step, after: { ...after, versionId: await versionIdOf(after) } };
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

/** An undecided vote to verify restores the status before it; a vote to revoke has changed nothing. */
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

/** Times of one record's versions never decrease, even if two clocks differ a little. */
export function notBefore({ updatedAt }: Pick<DomainRecord, "updatedAt">, at: number): number {
  return Math.max(at, millisecondsOf(updatedAt));
}

/** Opening sets openProposalId and closing clears it, so both steps always change something. */
function sure(step: DomainStep | undefined): DomainStep {
  if (step === undefined) throw new Error("a proposal was opened or closed without effect on its domain");
  return step;
}
