/** Older versions of a domain, those among them that are due and not stored yet (contract/registry.md section 4.1). */
import type { DomainStep } from "../domain/domain.ts";
import { historyEntryOf } from "../domain/history-entry.ts";
import { millisecondsOf } from "../domain/time.ts";
import { readVersion, type HistoricVersion, type VersionWanted } from "./history-store.ts";
import type { SettledDomain } from "./settled-domain.ts";

export async function settledVersion(
  database: D1Database,
  { domain, steps }: SettledDomain,
  wanted: VersionWanted,
): Promise<HistoricVersion | undefined> {
  const due = steps.findLast((step) => isWanted(step, wanted));
  if (due !== undefined) return { entry: historyEntryOf(due), record: due.after };
  return readVersion(database, domain.id, wanted);
}

function isWanted({ after }: DomainStep, wanted: VersionWanted): boolean {
  if ("version" in wanted) return after.version === wanted.version;
  if ("versionId" in wanted) return after.versionId === wanted.versionId;
  return millisecondsOf(after.updatedAt) <= wanted.at;
}
