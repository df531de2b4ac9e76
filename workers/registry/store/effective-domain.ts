/**
 * Domains in their effective state: with the effects of votes and time until `now`. A due step is stored before it is
 * returned, so that a writer whose clock is slow finds the decision in the database and cannot undo a state that has
 * been read. All reads of a single domain use this module; lists show the stored state.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { effectiveState, type EffectiveState, type GovernedDomain } from "../governance/effective-state.ts";
import { type Ballot, effectiveBallot, type Proposal } from "../governance/proposal.ts";
import { commit, type Committed, LOST, untilNotLost } from "./batch.ts";
import { domainColumns, type DomainRow, recordOf } from "./domain-rows.ts";
import { stepStatements } from "./domain-steps.ts";
import { closingStatements, expectUndecided, openBallotColumns, openBallotOf, readProposal } from "./proposal-store.ts";
import { readRow } from "./stored-columns.ts";

export interface EffectiveDomain {
  readonly domain: DomainRecord;
  /** The open proposal; undefined if there is none or if it is decided by now. */
  readonly openProposal: Ballot | undefined;
  /** The due steps that are not stored yet, oldest first. */
  readonly due: readonly DomainStep[];
  /**
   * Statements that a writer puts before its own: they store the due steps, and conflict if a vote has decided the
   * proposal meanwhile. Empty for most domains. A writer who closes the open proposal needs only its tally.
   */
  readonly guard: readonly Statement[];
}

/** Each conflict is another caller's success, so a reader hardly ever needs a second attempt. */
export async function readEffective(database: Database, id: string, now: number): Promise<EffectiveDomain | undefined> {
  const [found] = await storedFirst(database, () => loadEffective(database, [id], now));
  return found;
}

/** The existing domains among the ids, in no particular order. `now` in Unix milliseconds. */
export async function readEffectiveDomains(
  database: Database,
  ids: readonly string[],
  now: number,
): Promise<readonly DomainRecord[]> {
  const found = await storedFirst(database, () => loadEffective(database, ids, now));
  return found.map(({ domain }) => domain);
}

/** Includes the number of the newest change of any domain. One statement reads both, so that they are consistent. */
export async function readEffectiveAtRevision(
  database: Database,
  id: string,
  now: number,
): Promise<{ readonly domain: DomainRecord; readonly revision: number } | undefined> {
  const [found] = await storedFirst(database, async () => {
    const row = await database
      .prepare(`SELECT *, (SELECT max(seq) FROM changes) AS revision FROM (${governedQuery} WHERE domains.id = ?)`)
      .bind(id)
      .first<GovernedRow & { readonly revision: number | null }>();
    return row === null
      ? []
      : [{ ...(await effectiveOf(database, governedOf(row), now)), revision: row.revision ?? 0 }];
  });
  return found;
}

export async function readEffectiveProposal(
  database: Database,
  id: string,
  now: number,
): Promise<Proposal | undefined> {
  const proposal = await readProposal(database, id);
  if (proposal === undefined || effectiveBallot(proposal, now).state === proposal.state) return proposal;
  await readEffective(database, proposal.domainId, now);
  return readProposal(database, id);
}

/** The existing domains among the ids, with their due steps; stores nothing. In a list, a damaged domain is skipped. */
export async function loadEffective(
  database: Database,
  ids: readonly string[],
  now: number,
): Promise<readonly EffectiveDomain[]> {
  const { results } = await database
    .prepare(`${governedQuery} WHERE domains.id IN (SELECT value FROM json_each(?))`)
    .bind(JSON.stringify(ids))
    .all<GovernedRow>();
  const [only] = results;
  if (ids.length === 1) return only === undefined ? [] : [await effectiveOf(database, governedOf(only), now)];
  const governed = results.flatMap((row) => readRow("domains", row.id, row, governedOf) ?? []);
  return Promise.all(governed.map((each) => effectiveOf(database, each, now)));
}

/** Stores the due steps. A conflict means that a concurrent write came first: nothing is lost, read again. */
export async function storeDue(database: Database, { due, guard }: EffectiveDomain): Promise<Committed> {
  return due.length === 0 ? "committed" : commit(database, guard);
}

/** A domain and its open proposal, read in one statement so that they are consistent. */
type GovernedRow = DomainRow & { readonly open_proposal: string | null };

const ballot = openBallotColumns.map((name) => `'${name}', proposals.${name}`).join(", ");
const governedQuery = `
  SELECT ${domainColumns}, (
    SELECT json_object(${ballot}) FROM proposals WHERE proposals.id = domains.open_proposal_id AND state = 'open'
  ) AS open_proposal
  FROM domains`;

function governedOf(row: GovernedRow): GovernedDomain {
  const { open_proposal: open, id } = row;
  return { domain: recordOf(row), proposal: open === null ? undefined : openBallotOf(open, id) };
}

/** Stores the decisions of a state: the end of its proposal, then the steps of its domain. */
export function effectiveStatements(database: Database, { proposal, due }: EffectiveState): readonly Statement[] {
  return [...proposalStatements(database, proposal), ...due.flatMap((step) => stepStatements(database, step))];
}

function proposalStatements(database: Database, proposal: Ballot | undefined): readonly Statement[] {
  if (proposal === undefined) return [];
  const { state, outcomeReason, decidedAt, decidedEarly } = proposal;
  if (state === "open" || decidedAt === null) return [expectUndecided(database, proposal.id)];
  return closingStatements(database, proposal, { state, outcomeReason, decidedAt, decidedEarly });
}

async function effectiveOf(database: Database, governed: GovernedDomain, now: number): Promise<EffectiveDomain> {
  const state = await effectiveState(governed, now);
  const { domain, proposal, due } = state;
  return {
    domain,
    openProposal: proposal?.state === "open" ? proposal : undefined,
    due,
    guard: effectiveStatements(database, state),
  };
}

async function storedFirst<Found extends EffectiveDomain>(
  database: Database,
  load: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const found = await untilNotLost(async () => {
    const loaded = await load();
    const unstored = loaded.filter(({ due }) => due.length > 0);
    if (unstored.length === 0) return loaded;
    await Promise.all(unstored.map((each) => storeDue(database, each)));
    return LOST;
  });
  if (found === undefined) throw new Error("due decisions could not be stored: concurrent writes came first each time");
  return found;
}

/** Each kind is read up to the limit through a partial index, however much is due. */
export const dueDomainsSql = `
  SELECT id FROM (
    SELECT * FROM (
      SELECT domain_id AS id, due_at AS at FROM proposals INDEXED BY proposals_due
      WHERE state = 'open' AND due_at <= ?1 ORDER BY due_at LIMIT ?2
    ) UNION ALL SELECT * FROM (
      SELECT id, valid_until_ms AS at FROM domains INDEXED BY domains_by_service_end
      WHERE (services ->> '$.reporting.enabled' OR services ->> '$.issuance.enabled') AND valid_until_ms <= ?1
      ORDER BY valid_until_ms LIMIT ?2
    ) UNION ALL SELECT * FROM (
      SELECT id, updated_at AS at FROM domains INDEXED BY domains_deactivated_verified
      WHERE status = 'deactivated' AND verification_status = 'Verified' LIMIT ?2
    )
  ) GROUP BY id ORDER BY MIN(at) LIMIT ?2`;

/** Their ids, the longest due first. `now` in Unix milliseconds. */
export async function dueDomains(database: Database, now: number, limit: number): Promise<readonly string[]> {
  const { results } = await database.prepare(dueDomainsSql).bind(now, limit).all<{ readonly id: string }>();
  return results.map(({ id }) => id);
}
