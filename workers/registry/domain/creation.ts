/**
 * Creates a domain from a request body. Unknown and read-only members are ignored, because entity documents of the
 * platform contain many of both.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { failureOfDetails } from "../failures.ts";
import type { FailureDetail } from "../../../platform/failure.ts";
import { emptyDocument, detailsOfDocument, mergeDocument } from "./document.ts";
import type { DomainRecord, DomainStep, ServiceState } from "./domain.ts";
import { creationMembers, detailsOfValidity, withFirstNames } from "./draft.ts";
import { firstStep } from "./next-version.ts";
import { readShape } from "./shape.ts";
import { printTime } from "./time.ts";

const neverEnabled: ServiceState = { enabled: false, enabledAt: null, disabledAt: null, disabledReason: null };
const noServices: DomainRecord["services"] = { reporting: neverEnabled, issuance: neverEnabled };

export interface Birth {
  /** Drawn by the caller, who draws again if the id is taken. */
  readonly id: string;
  /** The DID of the creating key. */
  readonly creator: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** The deployment's relayer node, the default for domains. */
  readonly relayerNode: string | undefined;
}

/** The first version of a domain, or all faults of the body. */
export async function createDomain(sent: JsonObject, birth: Birth): Promise<Result<DomainStep>> {
  const { id, creator, at, relayerNode } = birth;
  const { body, details } = withFirstNames(sent);
  const draft = readShape(creationMembers, body);
  if (!draft.ok) return failure(failureOfDetails([...details, ...draft.error]));
  const { type, class: protocol, metadata = {}, controllers = [creator], ...given } = draft.value;
  const document = mergeDocument(emptyDocument, given.document ?? {}, id);
  const validity = { validFrom: given.validFrom ?? null, validUntil: given.validUntil ?? null };
  const all: FailureDetail[] = [...details, ...detailsOfValidity(validity), ...detailsOfDocument(document, id)];
  if (all.length > 0) return failure(failureOfDetails(all));
  const now = printTime(at);
  return success(
    await firstStep(
      {
        id,
        type,
        class: protocol,
        metadata,
        ...validity,
        controllers,
        owner: creator,
        relayerNode: given.relayerNode ?? relayerNode ?? null,
        externalId: given.externalId ?? null,
        credentials: given.credentials ?? [],
        accounts: given.accounts ?? [],
        document,
        status: "active",
        suspendedBy: null,
        verificationStatus: "AwaitingVerification",
        verifiedAt: null,
        verifiedVersion: null,
        changedSinceVerification: [],
        verifiedContent: null,
        wasVerified: false,
        openProposalId: null,
        services: noServices,
        createdAt: now,
        updatedAt: now,
      },
      creator,
    ),
  );
}
