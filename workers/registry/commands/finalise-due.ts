/**
 * Stores what time has decided: proposals whose vote is over and services whose domain is not valid any more. Runs every
 * minute, at once with other runs and writes: each domain is one batch that either finds what was read or changes nothing.
 * Readers do not wait for it, only lists do.
 */
import { dueDomains, type EffectiveDomain, loadEffective, storeDue } from "../store/effective-domain.ts";

/** Domains of one run: their batches fit into a minute many times over; the rest waits for the next. */
export const FINALISED_PER_RUN = 200;

/** Domains read at once: a domain may have 300 KB, and all of a run together would not fit into an isolate. */
const READ_AT_ONCE = 20;

export interface FinalisedRun {
  readonly finalised: number;
  /** A concurrent write came first, and has either finalised them or left it to the next run. */
  readonly conflicts: number;
}

/** `now` in Unix milliseconds. Throws, after all others, for domains that could not be stored. */
export async function finaliseDue(database: D1Database, now: number, limit = FINALISED_PER_RUN): Promise<FinalisedRun> {
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
  // One domain that cannot be stored keeps none of the others waiting; the run fails all the same.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domains could not be finalised`);
  return { finalised, conflicts };
}
