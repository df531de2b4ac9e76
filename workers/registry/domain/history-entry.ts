/** A history entry as a client reads it (contract/registry.md section 1.3). */
import type { Change, DomainAction } from "./domain.ts";

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
