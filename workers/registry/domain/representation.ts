/** A domain as a client reads it (contract/registry.md section 1.1); `controller` beside `controllers` by decisions 5.1. */
import { sha256Hex } from "../../platform/digest.ts";
import type { DomainRecord } from "./domain.ts";

export type DomainRepresentation = ReturnType<typeof representationOf>;

export function representationOf(record: DomainRecord) {
  return {
    id: record.id,
    type: record.type,
    class: record.class,
    protocol: record.class,
    name: record.name,
    metadata: record.metadata,
    validFrom: record.validFrom,
    validUntil: record.validUntil,
    controllers: record.controllers,
    controller: record.controllers,
    owner: record.owner,
    relayerNode: record.relayerNode,
    externalId: record.externalId,
    credentials: record.credentials,
    accounts: record.accounts,
    document: record.document,
    status: record.status,
    suspendedBy: record.suspendedBy,
    verificationStatus: record.verificationStatus,
    entityVerified: record.verificationStatus === "Verified",
    verifiedAt: record.verifiedAt,
    verifiedVersion: record.verifiedVersion,
    changedSinceVerification: record.changedSinceVerification,
    openProposalId: record.openProposalId,
    services: record.services,
    version: record.version,
    versionId: record.versionId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** The strong entity tag of a version (contract/registry.md section 4.1). */
export function etagOf({ version }: Pick<DomainRecord, "version">): string {
  return `"v${version}"`;
}

/**
 * The tag of a form of a version that depends on more than the version, such as its media type or the host in its links.
 * A write takes it like that of the version.
 */
export async function variantTagOf(
  record: Pick<DomainRecord, "version">,
  ...parts: readonly string[]
): Promise<string> {
  const digest = await sha256Hex(JSON.stringify(parts));
  return `"v${record.version}-${digest.slice(0, VARIANT_DIGITS)}"`;
}

const VARIANT_DIGITS = 8;
