/**
 * What a material change does to a verification (contract/registry.md section 5, second table): votes were given to
 * another domain than the one that is there now.
 */
import { allServicesOff } from "./services.ts";
import type { DomainRecord } from "./domain.ts";
import type { ChangedMembers } from "./next-version.ts";

export interface VerificationLoss {
  readonly changed: ChangedMembers;
  readonly action: "verification-lost" | "proposal-superseded";
  /** Names the fields, for the history. */
  readonly reason: string;
  /** The open proposal that it supersedes. */
  readonly proposalId: string | undefined;
}

/** Undefined when there was no verification to lose. `at` in Unix milliseconds. */
export function verificationLoss(
  { verificationStatus, openProposalId, services }: DomainRecord,
  fields: readonly string[],
  at: number,
): VerificationLoss | undefined {
  if (fields.length === 0) return undefined;
  const isVerified = verificationStatus === "Verified";
  if (!isVerified && verificationStatus !== "UnderVote") return undefined;
  return {
    changed: {
      verificationStatus: "AwaitingVerification",
      verifiedAt: null,
      openProposalId: null,
      services: allServicesOff(services, at, "verification_lost"),
    },
    action: isVerified ? "verification-lost" : "proposal-superseded",
    reason: `changed: ${fields.join(", ")}`,
    proposalId: openProposalId ?? undefined,
  };
}
