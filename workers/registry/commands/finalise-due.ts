/**
 * Stores decisions that time has made: proposals whose vote has ended, and services whose domain is no longer valid. It
 * runs every minute, concurrently with other runs and writes: each domain is one batch, which changes nothing if the
 * domain has changed since it was read. Only lists depend on it; other reads compute due decisions.
 */
import type { Database } from "../../../platform/database/database.ts";
import { dueDomains, type EffectiveDomain, loadEffective, storeDue } from "../store/effective-domain.ts";

/** Maximum domains per run. Their batches take a fraction of a minute; the rest waits for the next run. */
export const FINALISED_PER_RUN = 200;

/** Domains read at once. A domain may have 300 KB, so an isolate could not hold all domains of a run. */
const READ_AT_ONCE = 20;

export interface FinalisedRun {
  readonly finalised: number;
  /** Domains that a concurrent write changed first. It finalised them, or the next run does. */
  readonly conflicts: number;
}

/** `now` in Unix milliseconds. Throws at the end if some domains could not be stored. */
export async function finaliseDue(database: Database, now: number, limit = FINALISED_PER_RUN): Promise<FinalisedRun> {
  const ids = await dueDomains(database, now, limit);
  const failures: unknown[] = [];
  let finalised = 0;
  let conflicts = 0;
  const finalise = async (domain: EffectiveDomain): Promise<void> => {
    if (domain.due.length === 0) return;
    if ((await storeDue(database, domain)) === "committed") finalised += 1;
    else conflicts += 1;
  };
  const load = async (slice: readonly string[]): Promise<readonly EffectiveDomain[]> => {
    try {
      return await loadEffective(database, slice, now);
    } catch (thrown) {
      failures.push(thrown);
      return [];
    }
  };
  for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
    const due = await load(ids.slice(start, start + READ_AT_ONCE));
    for (const domain of due) {
      try {
        await finalise(domain);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  }
  // A domain that cannot be stored does not delay the others, but the run fails.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domains could not be finalised`);
  return { finalised, conflicts };
}
