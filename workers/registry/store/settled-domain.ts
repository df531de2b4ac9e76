/**
 * Domains as they are at `now`, whether or not what is due has been stored (contract/registry.md section 4.1). One
 * statement reads a domain with its open proposal, so that the two belong together.
 */
import type { DomainRecord, DomainStep } from "../domain/domain.ts";
import { millisecondsOf } from "../domain/time.ts";
import type { Ballot } from "../governance/proposal.ts";
import { settle, type Governed, type Settlement } from "../governance/settlement.ts";
import { commit, type Outcome } from "./batch.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";
import { stepStatements } from "./domain-steps.ts";
import { openBallotColumnNames, openBallotOf, type OpenBallotRow } from "./proposal-rows.ts";
import { closingStatements, expectUndecided } from "./proposal-store.ts";

export interface SettledDomain {
  readonly domain: DomainRecord;
  /** The open proposal as it was stored, undefined when there is none or when it is decided by now. */
  readonly openProposal: Ballot | undefined;
  /** What is due and not stored, oldest first; a reader of history puts it on top. */
  readonly steps: readonly DomainStep[];
  /**
   * What a writer puts in front of his own statements: stores what is due, and conflicts when a vote has decided the
   * proposal meanwhile. Empty for most domains. A writer who closes the open proposal needs no more than its tally.
   */
  readonly statements: readonly D1PreparedStatement[];
}

const ballot = openBallotColumnNames.map((name) => `'${name}', proposals.${name}`).join(", ");
const GOVERNED = `
  SELECT ${domainColumns}, (
    SELECT json_object(${ballot}) FROM proposals WHERE proposals.id = domains.open_proposal_id AND state = 'open'
  ) AS open_proposal
  FROM domains`;

type GovernedRow = DomainRow & { readonly open_proposal: string | null };

/** Undefined when there is no such domain. `now` in Unix milliseconds. */
export async function loadSettled(database: D1Database, id: string, now: number): Promise<SettledDomain | undefined> {
  const row = await database.prepare(`${GOVERNED} WHERE domains.id = ?`).bind(id).first<GovernedRow>();
  return row === null ? undefined : settledOf(database, governedOf(row), now);
}

/** The same, with the number of the newest change of any domain: one statement, so that they belong together. */
export async function loadSettledAtRevision(
  database: D1Database,
  id: string,
  now: number,
): Promise<{ readonly settled: SettledDomain; readonly revision: number } | undefined> {
  const row = await database
    .prepare(`SELECT *, (SELECT max(seq) FROM changes) AS revision FROM (${GOVERNED} WHERE domains.id = ?)`)
    .bind(id)
    .first<GovernedRow & { readonly revision: number | null }>();
  return row === null
    ? undefined
    : { settled: await settledOf(database, governedOf(row), now), revision: row.revision ?? 0 };
}

/** Those of the ids that exist, in no particular order. */
export async function loadManySettled(
  database: D1Database,
  ids: readonly string[],
  now: number,
): Promise<readonly SettledDomain[]> {
  const { results } = await database
    .prepare(`${GOVERNED} WHERE domains.id IN (SELECT value FROM json_each(?))`)
    .bind(JSON.stringify(ids))
    .all<GovernedRow>();
  return Promise.all(results.map((row) => settledOf(database, governedOf(row), now)));
}

/** Stores what is due. A conflict means that somebody else has written meanwhile: nothing is lost, read again. */
export async function persistSettlement(database: D1Database, { steps, statements }: SettledDomain): Promise<Outcome> {
  return steps.length === 0 ? "committed" : commit(database, statements);
}

function governedOf(row: GovernedRow): Governed {
  return {
    domain: recordOf(row),
    proposal:
      row.open_proposal === null ? undefined : openBallotOf(JSON.parse(row.open_proposal) as OpenBallotRow, row.id),
  };
}

async function settledOf(database: D1Database, governed: Governed, now: number): Promise<SettledDomain> {
  const settlement = await settle(governed, now);
  const { domain, proposal, steps } = settlement;
  return {
    domain,
    openProposal: proposal?.state === "open" ? proposal : undefined,
    steps,
    statements: [
      ...proposalStatements(database, settlement),
      ...steps.flatMap((step) => stepStatements(database, step, millisecondsOf(step.after.updatedAt))),
    ],
  };
}

function proposalStatements(database: D1Database, { proposal }: Settlement): readonly D1PreparedStatement[] {
  if (proposal === undefined) return [];
  const { state, outcomeReason, decidedAt, decidedEarly } = proposal;
  if (state === "open" || decidedAt === null) return [expectUndecided(database, proposal.id)];
  return closingStatements(database, proposal, { state, outcomeReason, decidedAt, decidedEarly });
}
