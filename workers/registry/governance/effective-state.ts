/**
 * The effective state of a domain at a time: what its open proposal and the end of its validity have made of it by then,
 * whether or not it is stored yet. A pure function of what is stored and `now`, so every reader sees the same, before the
 * finalisation and after it.
 */
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { stepOf } from "../domain/next-version.ts";
import { allServicesOff, isAnyServiceOn } from "../domain/services.ts";
import { millisecondsOf } from "../domain/time.ts";
import { lostAtTheEnd } from "../domain/verification-loss.ts";
import { isPastValidity } from "./eligibility.ts";
import { decisionStep, notBefore, SYSTEM } from "./proposal-steps.ts";
import { type Ballot, effectiveBallot } from "./proposal.ts";

/** A domain and its open proposal, when it has one. */
export interface GovernedDomain {
  readonly domain: DomainRecord;
  readonly proposal: Ballot | undefined;
}

export interface EffectiveState extends GovernedDomain {
  /** What is due and not stored yet, in order, one version each; empty when what is stored is the state. */
  readonly due: readonly DomainStep[];
}

/** `now` is in Unix milliseconds. Events apply in the order of their times, at one instant in that of `ranks`. */
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
 * The end of a vote comes before the end of validity. A vote that decides in the very millisecond in which
 * validity ends comes after it: whoever read the domain between the two has seen that version.
 */
const ranks = { endOfVote: 0, endOfValidity: 1, decidingVote: 2, endOfDomain: 3 } as const;

interface DueEvent {
  readonly at: number;
  readonly rank: number;
  /** Undefined when an earlier event left it nothing to do. */
  readonly stepFrom: (domain: DomainRecord) => Promise<DomainStep | undefined>;
}

function decisionOf(ballot: Ballot | undefined): readonly DueEvent[] {
  if (ballot === undefined || ballot.decidedAt === null) return [];
  const rank = ballot.decidedEarly ? ranks.decidingVote : ranks.endOfVote;
  return [{ at: ballot.decidedAt, rank, stepFrom: (domain) => decisionStep(domain, ballot) }];
}

/** An older release left a domain verified when it was deactivated. */
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
