/**
 * How a verification ends without a vote: by a material change, which makes it a different domain, and by deactivation
 * (docs/decisions/005-registry.md, "What a verification covers").
 */
import { documentLists, type DomainRecord, type DomainStep } from "./domain.ts";
import { sameJson, valueAt } from "./json-values.ts";
import { type ChangedMembers, stepOf } from "./next-version.ts";
import { allServicesOff } from "./services.ts";

/** The names that REGISTRY_MATERIAL_FIELDS can contain besides JSON pointers into the metadata, such as `/location`. */
const namedMaterialFields: readonly string[] = ["validFrom", "validUntil", ...documentLists];

export function isMaterialField(text: string): boolean {
  return namedMaterialFields.includes(text) || /^(?:\/(?:[^/~]|~[01])*)+$/.test(text);
}

/** The material fields that differ, under the names that the history shows. */
export function materialChanges(
  before: DomainRecord,
  after: DomainRecord,
  added: readonly string[],
): readonly string[] {
  const asSet = (dids: readonly string[]) => dids.toSorted();
  const always = [
    ...(before.class === after.class ? [] : ["class"]),
    ...(sameJson(asSet(before.controllers), asSet(after.controllers)) ? [] : ["controllers"]),
    ...(before.relayerNode === after.relayerNode ? [] : ["relayerNode"]),
  ];
  const more = added.filter((field) => !sameJson(materialValue(before, field), materialValue(after, field)));
  return [...always, ...more.map((field) => (field.startsWith("/") ? `metadata${field}` : field))];
}

function materialValue(record: DomainRecord, field: string): unknown {
  if (field === "validFrom" || field === "validUntil") return record[field];
  const list = documentLists.find((name) => name === field);
  return list === undefined ? valueAt(record.metadata, field) : record.document[list];
}

/** The members of an unverified domain. */
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
 * Undefined if the domain is not verified. A vote to revoke the verification continues, so a change cannot avoid it.
 * `at` in Unix milliseconds.
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

/**
 * Undefined if it is already deactivated. Its verification ends, and a vote to verify it is superseded; a vote to
 * revoke its verification continues. `at` in Unix milliseconds.
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

/** The changes of a domain that is verified when it is deactivated. */
export const lostAtTheEnd: ChangedMembers = {
  ...noVerification,
  verificationStatus: "AwaitingVerification",
  wasVerified: true,
};
