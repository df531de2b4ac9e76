/** The one way to a new version of a record: derives version, versionId, updatedAt and name from the changes. */
import { changedContent, changedSince, versionIdOf } from "./content.ts";
import type { DomainAction, DomainRecord, DomainStep } from "./domain.ts";
import { sameJson } from "./json-values.ts";
import { nameOf } from "./metadata.ts";
import { millisecondsOf, printTime } from "./time.ts";

export type ChangedMembers = Partial<
  Omit<
    DomainRecord,
    "id" | "type" | "owner" | "name" | "version" | "contentVersion" | "versionId" | "createdAt" | "updatedAt"
  >
>;

export interface NextVersion {
  readonly before: DomainRecord;
  readonly changed: ChangedMembers;
  readonly action: DomainAction;
  /** The DID of the actor, or `system`. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly reason?: string | undefined;
  readonly proposalId?: string | undefined;
}

/** Undefined if nothing changed: no version, no history entry, no new updatedAt. */
export async function stepOf(wanted: NextVersion) {
  const { before, action, actor, at, reason, proposalId, changed } = await withConsequences(wanted);
  const merged: DomainRecord = { ...before, ...changed };
  if (sameJson(merged, before)) return undefined;
  const version = before.version + 1;
  const { versionId: _, ...next } = {
    ...merged,
    name: nameOf(merged.metadata),
    version,
    contentVersion: changedContent(before, merged).length > 0 ? version : before.contentVersion,
    // Times of one record's versions never decrease, even if two clocks differ a little.
    updatedAt: printTime(Math.max(at, millisecondsOf(before.updatedAt))),
  };
  return step(before, { ...next, versionId: await versionIdOf(next) }, { action, actor, reason, proposalId });
}

/**
 * The effect of a content change on the verification: a vote to verify is superseded, because its voters saw other
 * content; a verified domain is marked.
 */
async function withConsequences(wanted: NextVersion): Promise<NextVersion> {
  const { before, changed } = wanted;
  const merged: DomainRecord = { ...before, ...changed };
  const fields = changedContent(before, merged);
  if (fields.length === 0) return wanted;
  if (before.verificationStatus === "UnderVote") {
    return {
      ...wanted,
      changed: { ...changed, verificationStatus: "AwaitingVerification", openProposalId: null },
      action: "proposal-superseded",
      reason: `changed: ${fields.join(", ")}`,
      proposalId: before.openProposalId ?? undefined,
    };
  }
  if (merged.verificationStatus !== "Verified") return wanted;
  const marks = { marked: before.changedSinceVerification, changed: fields };
  const changedSinceVerification = await changedSince(before.verifiedContent, merged, marks);
  return { ...wanted, changed: { ...changed, changedSinceVerification } };
}

/** A record's first step. */
export async function firstStep(
  record: Omit<DomainRecord, "versionId" | "name" | "version" | "contentVersion">,
  actor: string,
): Promise<DomainStep> {
  const next = { ...record, name: nameOf(record.metadata), version: 1, contentVersion: 1 };
  return step(undefined, { ...next, versionId: await versionIdOf(next) }, { action: "created", actor });
}

interface Circumstances {
  readonly action: DomainAction;
  readonly actor: string;
  readonly reason?: string | undefined;
  readonly proposalId?: string | undefined;
}

function step(before: DomainRecord | undefined, after: DomainRecord, circumstances: Circumstances): DomainStep {
  const { action, actor, reason, proposalId } = circumstances;
  return {
    before,
    after,
    action,
    actor,
    ...(reason === undefined ? {} : { reason }),
    ...(proposalId === undefined ? {} : { proposalId }),
  };
}
