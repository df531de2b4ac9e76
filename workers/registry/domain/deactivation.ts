/** The end of a domain (contract/registry.md section 5, DELETE): final, yet its record, history and DID stay. */
import { allServicesOff } from "./services.ts";
import type { DomainRecord, DomainStep } from "./domain.ts";
import { stepOf } from "./next-version.ts";

/**
 * Undefined when it is deactivated already. An open proposal is superseded; a domain whose first verification was under
 * vote then waits for one for ever, since a status that tells of a running vote would be a lie. `at` in Unix milliseconds.
 */
export async function deactivationStep(
  before: DomainRecord,
  actor: string,
  at: number,
): Promise<DomainStep | undefined> {
  const { status, verificationStatus, openProposalId, services } = before;
  if (status === "deactivated") return undefined;
  return stepOf({
    before,
    changed: {
      status: "deactivated",
      suspendedBy: null,
      verificationStatus: verificationStatus === "UnderVote" ? "AwaitingVerification" : verificationStatus,
      openProposalId: null,
      services: allServicesOff(services, at, "deactivated"),
    },
    action: "deactivated",
    actor,
    at,
    proposalId: openProposalId ?? undefined,
  });
}
