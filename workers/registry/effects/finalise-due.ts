/**
 * Stores what time has decided (contract/registry.md section 6.5): proposals whose vote is over and services whose domain
 * is not valid any more. Runs every minute, beside itself and beside writes: each domain is one batch that either finds
 * what was read or changes nothing. Readers do not wait for it, only lists do.
 */
import { loadManySettled, persistSettlement, type SettledDomain } from "../store/settled-domain.ts";
import { dueDomains } from "../store/due-domains.ts";

/** Domains of one run: their batches fit into a minute many times over; the rest waits for the next. */
export const FINALISED_PER_RUN = 200;

/** Domains read at once: a domain may have 300 KB, and all of a run together would not fit into an isolate. */
const READ_AT_ONCE = 20;

export interface FinalisedRun {
  readonly finalised: number;
  /** Somebody else was faster, and has either finalised them or left it to the next run. */
  readonly conflicts: number;
}

/** `now` in Unix milliseconds. Throws, after all others, for domains that could not be stored. */
export async function finaliseDue(database: D1Database, now: number, limit = FINALISED_PER_RUN): Promise<FinalisedRun> {
  const ids = await dueDomains(database, now, limit);
  const failures: unknown[] = [];
  let finalised = 0;
  let conflicts = 0;
  const finalise = async (settled: SettledDomain): Promise<void> => {
    if (settled.steps.length === 0) return;
    if ((await persistSettlement(database, settled)) === "committed") finalised += 1;
    else conflicts += 1;
  };
  for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
    const due = await loadManySettled(database, ids.slice(start, start + READ_AT_ONCE), now);
    for (const settled of due) {
      try {
        await finalise(settled);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  }
  // One domain that cannot be stored keeps none of the others waiting; the run is told as failed all the same.
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domains could not be finalised`);
  return { finalised, conflicts };
}
