/** A history entry as a client reads it (contract/registry.md section 1.3). */
import { changesBetween } from "./changes.ts";
import type { Change, DomainAction, DomainStep } from "./domain.ts";

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

/** Every step sets updatedAt to its own time, so an entry needs no other clock. */
export function historyEntryOf({ before, after, action, actor, reason, proposalId }: DomainStep): HistoryEntry {
  return {
    version: after.version,
    versionId: after.versionId,
    at: after.updatedAt,
    actor,
    action,
    changes: changesBetween(before, after),
    reason: reason ?? null,
    proposalId: proposalId ?? null,
  };
}
