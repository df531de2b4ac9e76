/**
 * Whether a domain can take part in activities for verified domains. Reads a record in its effective state
 * (effective-state.ts).
 */
import type { DomainRecord, DomainStatus, ServiceName, VerificationStatus } from "../domain/domain.ts";
import { millisecondsOf } from "../domain/time.ts";

export const reasonCodes = [
  "deactivated",
  "suspended",
  "not_yet_valid",
  "expired",
  "awaiting_verification",
  "under_vote",
  "rejected",
  "revoked",
  "service_disabled",
] as const;
type ReasonCode = (typeof reasonCodes)[number];

export interface Reason {
  readonly code: ReasonCode;
  readonly message: string;
}

type EligibilityInput = Pick<DomainRecord, "status" | "verificationStatus" | "validFrom" | "validUntil" | "services">;

const reasonOfStatus: Readonly<Record<Exclude<DomainStatus, "active">, Reason>> = {
  deactivated: { code: "deactivated", message: "The domain is permanently deactivated" },
  suspended: { code: "suspended", message: "The domain is suspended" },
};

const reasonOfVerification: Readonly<Record<Exclude<VerificationStatus, "Verified">, Reason>> = {
  AwaitingVerification: { code: "awaiting_verification", message: "The domain is not verified" },
  UnderVote: { code: "under_vote", message: "The vote on the domain is not decided yet" },
  Rejected: { code: "rejected", message: "The last vote on the domain rejected it" },
  Revoked: { code: "revoked", message: "A vote revoked the verification of the domain" },
};

/** All reasons that apply, in the order of RG-114; an empty list means eligible. `now` is in Unix milliseconds. */
export function reasonsAgainst(domain: EligibilityInput, now: number, activity?: ServiceName): readonly Reason[] {
  const { status, verificationStatus, validFrom, validUntil, services } = domain;
  const reasons: Reason[] = [];
  if (status !== "active") reasons.push(reasonOfStatus[status]);
  if (validFrom !== null && now < millisecondsOf(validFrom)) {
    reasons.push({ code: "not_yet_valid", message: `The domain is not valid before ${validFrom}` });
  }
  if (isPastValidity(domain, now)) {
    reasons.push({ code: "expired", message: `The domain was valid until ${validUntil}` });
  }
  if (verificationStatus !== "Verified") reasons.push(reasonOfVerification[verificationStatus]);
  if (activity !== undefined && !services[activity].enabled) {
    reasons.push({ code: "service_disabled", message: `The service ${activity} is not enabled` });
  }
  return reasons;
}

/** Validity ends at `validUntil`, inclusive. */
export function isPastValidity({ validUntil }: Pick<DomainRecord, "validUntil">, now: number): boolean {
  return validUntil !== null && now >= millisecondsOf(validUntil);
}
