/**
 * How a verification ends without a vote: a change of class, controllers or relayer node, or of what a deployment adds,
 * makes another domain of it (docs/decisions/005-registry.md, "What a verification covers").
 */
import { allServicesOff } from "./services.ts";
import type { DomainRecord } from "./domain.ts";
import type { ChangedMembers } from "./next-version.ts";

/** What a domain that is not verified tells of its verification. */
export const noVerification = {
  verifiedAt: null,
  verifiedVersion: null,
  changedSinceVerification: [],
  verifiedContent: null,
} as const satisfies ChangedMembers;

export interface VerificationLoss {
  readonly changed: ChangedMembers;
  readonly action: "verification-lost";
  /** Names the fields, for the history. */
  readonly reason: string;
}

/**
 * Undefined when there was no verification to lose. A vote to revoke it goes on: nobody dodges it by such a change. `at`
 * in Unix milliseconds.
 */
export function verificationLoss(
  { verificationStatus, services }: DomainRecord,
  fields: readonly string[],
  at: number,
): VerificationLoss | undefined {
  if (fields.length === 0 || verificationStatus !== "Verified") return undefined;
  return {
    changed: {
      ...noVerification,
      verificationStatus: "AwaitingVerification",
      wasVerified: true,
      services: allServicesOff(services, at, "verification_lost"),
    },
    action: "verification-lost",
    reason: `changed: ${fields.join(", ")}`,
  };
}
