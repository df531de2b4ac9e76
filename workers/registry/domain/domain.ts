/**
 * The record of one domain. Times are RFC 3339 text in UTC. `store/domain-rows.ts` defines its storage and
 * `domain/representation.ts` its form for clients.
 */
import type { JsonObject } from "../../../platform/json.ts";

export const domainStatuses = ["active", "suspended", "deactivated"] as const;
export type DomainStatus = (typeof domainStatuses)[number];
export const verificationStatuses = ["AwaitingVerification", "UnderVote", "Verified", "Rejected", "Revoked"] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];
/** The activities that only a verified domain can take part in. */
export type ServiceName = "reporting" | "issuance";

export const serviceNames: readonly ServiceName[] = ["reporting", "issuance"];

export interface ServiceState {
  readonly enabled: boolean;
  readonly enabledAt: string | null;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
}

export const credentialStatuses = ["active", "suspended", "revoked", "expired", "unknown"] as const;

export interface Credential {
  readonly id: string;
  readonly type: string;
  readonly status: (typeof credentialStatuses)[number];
}

export interface Account {
  readonly name: string;
  readonly address: string;
}

/** The lists of a domain's own document, in printed order. Each item is an object with an `id`. */
export const itemLists = [
  "verificationMethod",
  "service",
  "linkedResource",
  "linkedClaim",
  "linkedEntity",
  "accordedRight",
] as const;
/** The verification relationships: lists of ids of verification methods. */
export const relationships = [
  "authentication",
  "assertionMethod",
  "keyAgreement",
  "capabilityInvocation",
  "capabilityDelegation",
] as const;

export type ItemList = (typeof itemLists)[number];
export type Relationship = (typeof relationships)[number];

/** Every list that a domain's own document has. */
export const documentLists = ["alsoKnownAs", "context", ...itemLists, ...relationships] as const;

/** A domain's own statements in its DID document, without inherited items. */
export type DomainDocument = Readonly<Record<ItemList, readonly JsonObject[]>> &
  Readonly<Record<Relationship | "alsoKnownAs" | "context", readonly string[]>>;

export interface DomainRecord {
  readonly id: string;
  readonly type: string;
  /** The protocol domain: a DID or a DID URL. */
  readonly class: string;
  readonly metadata: JsonObject;
  readonly name: string | null;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly controllers: readonly string[];
  readonly owner: string;
  readonly relayerNode: string | null;
  readonly externalId: string | null;
  readonly credentials: readonly Credential[];
  readonly accounts: readonly Account[];
  readonly document: DomainDocument;
  readonly status: DomainStatus;
  /** Who can lift the suspension; null unless suspended. */
  readonly suspendedBy: "controller" | "admin" | null;
  readonly verificationStatus: VerificationStatus;
  readonly verifiedAt: string | null;
  /** The version that was voted on; null unless verified, and null if an older release verified it. */
  readonly verifiedVersion: number | null;
  /** Members of the content that differ from the verified content. */
  readonly changedSinceVerification: readonly string[];
  /** Digests of the verified content; not shown to clients. */
  readonly verifiedContent: ContentDigests | null;
  /**
   * Its verification ended without a vote. After a deactivation, a vote can still revoke the verification. Not shown to
   * clients.
   */
  readonly wasVerified: boolean;
  readonly openProposalId: string | null;
  readonly services: Readonly<Record<ServiceName, ServiceState>>;
  /** 1 at creation, one more for each effective change. */
  readonly version: number;
  /** The version in which the content last changed; not shown to clients. */
  readonly contentVersion: number;
  /** SHA-256 of the record's canonical JSON without this member, in lower-case hexadecimal. */
  readonly versionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The possible actions of a version step. */
export const domainActions = [
  "created",
  "updated",
  "suspended",
  "reactivated",
  "deactivated",
  "proposal-opened",
  "proposal-withdrawn",
  "proposal-superseded",
  "proposal-expired",
  "verified",
  "rejected",
  "revoked",
  "revocation-rejected",
  "verification-lost",
  "service-enabled",
  "service-disabled",
  "validity-ended",
] as const;
export type DomainAction = (typeof domainActions)[number];

/**
 * One member that a step changed. `path` is a JSON pointer into the record; null means that the member does not exist.
 */
export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** One version step of a domain: what a history entry reports and what the storage writes. */
export interface DomainStep {
  /** Undefined when the domain is created. */
  readonly before: DomainRecord | undefined;
  readonly after: DomainRecord;
  readonly action: DomainAction;
  /** The DID of the actor, or `system`. */
  readonly actor: string;
  readonly reason?: string;
  readonly proposalId?: string;
}

/** A change of one of these members keeps the domain verified and marks the record. */
export const markedMembers = [
  "metadata",
  "document",
  "credentials",
  "accounts",
  "externalId",
  "validFrom",
  "validUntil",
] as const;

type MarkedMember = (typeof markedMembers)[number];

/** SHA-256 of the canonical JSON of each member, in lower-case hexadecimal. */
export type ContentDigests = Readonly<Record<MarkedMember, string>>;
