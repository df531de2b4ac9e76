/** The one way to a new version of a record: version, versionId, updatedAt and name follow from what changed. */
import type { DomainAction, DomainRecord, DomainStep } from "./domain.ts";
import { nameOf } from "./metadata.ts";
import { sameJson } from "./same-json.ts";
import { millisecondsOf, printTime } from "./time.ts";
import { versionIdOf } from "./version-id.ts";

export type ChangedMembers = Partial<
  Omit<DomainRecord, "id" | "type" | "owner" | "name" | "version" | "versionId" | "createdAt" | "updatedAt">
>;

export interface NextVersion {
  readonly before: DomainRecord;
  readonly changed: ChangedMembers;
  readonly action: DomainAction;
  /** The DID of who did it, or `system`. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly reason?: string | undefined;
  readonly proposalId?: string | undefined;
}

/** Undefined when nothing changed: then there is no version, no history and no new updatedAt. */
export async function stepOf({ before, changed, action, actor, at, reason, proposalId }: NextVersion) {
  const merged: DomainRecord = { ...before, ...changed };
  if (sameJson(merged, before)) return undefined;
  const { versionId: _, ...next } = {
    ...merged,
    name: nameOf(merged.metadata),
    version: before.version + 1,
    // Versions of one record never go back in time, even where two clocks differ by a little.
    updatedAt: printTime(Math.max(at, millisecondsOf(before.updatedAt))),
  };
  return step(before, { ...next, versionId: await versionIdOf(next) }, { action, actor, reason, proposalId });
}

/** A record's first step. */
export async function firstStep(
  record: Omit<DomainRecord, "versionId" | "name" | "version">,
  actor: string,
): Promise<DomainStep> {
  const next = { ...record, name: nameOf(record.metadata), version: 1 };
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
