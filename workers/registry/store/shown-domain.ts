/**
 * Domains and proposals for whoever shows them. What a vote or the time has decided is stored before anybody is told of
 * it: a write whose clock is behind then meets a decision in the database, and cannot undo what somebody has seen.
 */
import type { DomainRecord } from "../domain/domain.ts";
import { settledBallot, type Proposal } from "../governance/proposal.ts";
import { pauseAfterConflict } from "./batch.ts";
import { readProposal } from "./proposal-store.ts";
import {
  loadManySettled,
  loadSettled,
  loadSettledAtRevision,
  persistSettlement,
  type SettledDomain,
} from "./settled-domain.ts";

/** Each conflict is somebody else's success, so that a reader hardly ever needs a second look. */
const LOOKS = 12;

/** With nothing due: `steps` is empty. Undefined when there is no such domain. `now` in Unix milliseconds. */
export async function loadShown(database: D1Database, id: string, now: number): Promise<SettledDomain | undefined> {
  return storedFirst(database, async () => {
    const settled = await loadSettled(database, id, now);
    return { value: settled, due: settled === undefined ? [] : [settled] };
  });
}

/** The same, with the number of the newest change of any domain. */
export async function showDomainAtRevision(
  database: D1Database,
  id: string,
  now: number,
): Promise<{ readonly domain: DomainRecord; readonly revision: number } | undefined> {
  const found = await storedFirst(database, async () => {
    const value = await loadSettledAtRevision(database, id, now);
    return { value, due: value === undefined ? [] : [value.settled] };
  });
  return found && { domain: found.settled.domain, revision: found.revision };
}

/** Those of the ids that exist, in no particular order. */
export async function showDomains(
  database: D1Database,
  ids: readonly string[],
  now: number,
): Promise<readonly DomainRecord[]> {
  const found = await storedFirst(database, async () => {
    const value = await loadManySettled(database, ids, now);
    return { value, due: value };
  });
  return found.map(({ domain }) => domain);
}

export async function showProposal(database: D1Database, id: string, now: number): Promise<Proposal | undefined> {
  const proposal = await readProposal(database, id);
  if (proposal?.state !== "open" || settledBallot(proposal, now).state === "open") return proposal;
  await loadShown(database, proposal.domainId, now);
  return readProposal(database, id);
}

interface Look<Value> {
  readonly value: Value;
  readonly due: readonly SettledDomain[];
}

async function storedFirst<Value>(database: D1Database, look: () => Promise<Look<Value>>): Promise<Value> {
  for (let attempt = 0; attempt < LOOKS; attempt += 1) {
    const { value, due } = await look();
    const unstored = due.filter(({ steps }) => steps.length > 0);
    if (unstored.length === 0) return value;
    const outcomes = await Promise.all(unstored.map((settled) => persistSettlement(database, settled)));
    if (outcomes.includes("conflict")) await pauseAfterConflict(attempt);
  }
  throw new Error("what is due could not be stored: others were faster each time");
}
