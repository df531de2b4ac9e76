/** The end of a domain (contract/registry.md section 5, DELETE): final, yet its record, history and DID stay. */
import { allServicesOff } from "./services.ts";
import type { DomainRecord, DomainStep } from "./domain.ts";
import { stepOf, type ChangedMembers } from "./next-version.ts";
import { noVerification } from "./verification-loss.ts";

/**
 * Undefined when it is deactivated already. Its verification ends: what is deactivated is verified nowhere. A vote to
 * verify it is superseded, one to revoke its verification goes on. `at` in Unix milliseconds.
 */
export async function deactivationStep(
  before: DomainRecord,
  actor: string,
  at: number,
): Promise<DomainStep | undefined> {
  const { status, verificationStatus, openProposalId, services } = before;
  const isUnderVote = verificationStatus === "UnderVote";
  if (status === "deactivated") return undefined;
  return stepOf({
    before,
    changed: {
      status: "deactivated",
      suspendedBy: null,
      ...(isUnderVote ? { verificationStatus: "AwaitingVerification", openProposalId: null } : {}),
      ...(verificationStatus === "Verified" ? lostAtTheEnd : {}),
      services: allServicesOff(services, at, "deactivated"),
    },
    action: "deactivated",
    actor,
    at,
    proposalId: isUnderVote ? (openProposalId ?? undefined) : undefined,
  });
}

/** Of a domain that is verified when it is deactivated. */
export const lostAtTheEnd: ChangedMembers = {
  ...noVerification,
  verificationStatus: "AwaitingVerification",
  wasVerified: true,
};
