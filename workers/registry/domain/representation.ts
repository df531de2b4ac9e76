/**
 * A domain as clients read it, and the changes of a history step as JSON pointers into it. Derived members and members
 * of the entry itself are not listed. The changes, applied to the record before, give the record after.
 */
import { sha256Hex } from "../../../platform/digest.ts";
import { isJsonObject } from "../../../platform/json.ts";
import type { Change, DomainAction, DomainRecord } from "./domain.ts";
import { escapeToken, sameJson } from "./json-values.ts";

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

/** The strong entity tag of a version. */
export function etagOf({ version }: Pick<DomainRecord, "version">): string {
  return `"v${version}"`;
}

/**
 * The tag of a representation that depends on more than the version, such as its media type or the host in its links. A write
 * accepts this tag like the version's own tag.
 */
export async function variantTagOf(
  record: Pick<DomainRecord, "version">,
  ...parts: readonly string[]
): Promise<string> {
  const digest = await sha256Hex(JSON.stringify(parts));
  return `"v${record.version}-${digest.slice(0, VARIANT_DIGITS)}"`;
}

const VARIANT_DIGITS = 8;

export interface HistoryEntry {
  readonly version: number;
  readonly versionId: string;
  readonly at: string;
  readonly actor: string;
  readonly action: DomainAction;
  readonly changes: readonly Change[];
  readonly reason: string | null;
  readonly proposalId: string | null;
}

const derived = ["protocol", "controller", "name", "entityVerified", "version", "versionId", "updatedAt"];

/** The members that a history lists. */
export function explainedMembers(record: DomainRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(representationOf(record)).filter(([member]) => !derived.includes(member)));
}

/** For a new domain, every member that has a value. */
export function changesBetween(before: DomainRecord | undefined, after: DomainRecord): readonly Change[] {
  const from = before === undefined ? {} : explainedMembers(before);
  const to = explainedMembers(after);
  return objectChanges("", from, to).filter((change) => before !== undefined || change.to !== null);
}

function objectChanges(path: string, from: object, to: object): Change[] {
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const place = `${path}/${escapeToken(name)}`;
    if (before.has(name) === after.has(name)) return changesOf(place, before.get(name), after.get(name));
    return [{ path: place, from: before.get(name) ?? null, to: after.get(name) ?? null }];
  });
}

function changesOf(path: string, from: unknown, to: unknown): Change[] {
  if (sameJson(from, to)) return [];
  if (isJsonObject(from) && isJsonObject(to)) return objectChanges(path, from, to);
  if (Array.isArray(from) && Array.isArray(to)) return listChanges(path, from, to);
  return [{ path, from, to }];
}

/**
 * Item by item if items were replaced in place or appended; otherwise the whole list, because positions would mislead.
 */
function listChanges(path: string, from: readonly unknown[], to: readonly unknown[]): Change[] {
  const grown = to.length > from.length && from.every((item, at) => sameJson(item, to[at]));
  if (to.length !== from.length && !grown) return [{ path, from, to }];
  return to.flatMap((item, at) =>
    at < from.length && sameJson(from[at], item) ? [] : [{ path: `${path}/${at}`, from: from[at] ?? null, to: item }],
  );
}
