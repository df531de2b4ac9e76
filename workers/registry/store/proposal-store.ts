/**
 * All SQL about proposals except their votes (vote-store.ts) and lists. A statement that closes a proposal expects it
 * to be open with exactly the tally that its writer read, so that nothing can overtake a deciding vote.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import * as z from "zod";
import { parseStoredJson } from "../../../platform/json.ts";
import { verificationStatuses } from "../domain/domain.ts";
import { type Ballot, type Proposal, proposalKinds, type ProposalState } from "../governance/proposal.ts";
import type { Tally } from "../../../shared/vote-tally.ts";
import type { Role } from "../caller.ts";
import { requireThat } from "./batch.ts";
import { readDigests, readObject, readRules } from "./stored-columns.ts";

/** The columns of an open proposal that its domain lacks: few enough for one SQL function. */
const openBallotRow = z.object({
  id: z.string(),
  kind: z.enum(proposalKinds),
  rules: z.string(),
  total_power: z.number(),
  yes: z.number(),
  no: z.number(),
  abstain: z.number(),
  no_with_veto: z.number(),
  created_at: z.number(),
  ends_at: z.number(),
  due_at: z.number(),
  domain_version: z.number().nullable(),
  content: z.string().nullable(),
  previous_status: z.enum(verificationStatuses),
});
type OpenBallotRow = z.output<typeof openBallotRow>;
export const openBallotColumns = Object.keys(openBallotRow.shape);

/** The deciding columns of a proposal; its texts and its package can be much larger. */
export interface BallotRow extends OpenBallotRow {
  readonly domain_id: string;
  readonly state: ProposalState;
  readonly outcome_reason: string | null;
  readonly decided_at: number | null;
  readonly decided_early: number;
}

export interface ProposalRow extends BallotRow {
  readonly title: string;
  readonly summary: string;
  readonly proposer: string;
  readonly proposer_role: Role;
  readonly package: string | null;
  readonly reason: string | null;
}

/** `json`: an object of these columns. */
export function openBallotOf(json: string, domainId: string): Ballot {
  const row = parseStoredJson(openBallotRow, json, "open proposal");
  const open = { state: "open", outcome_reason: null, decided_at: null, decided_early: 0 } as const;
  return ballotOf({ ...row, ...open, domain_id: domainId });
}

const namesOf = (columns: readonly string[]) => columns.map((name) => `proposals.${name}`).join(", ");
const closing = ["domain_id", "state", "outcome_reason", "decided_at", "decided_early"];
const texts = ["title", "summary", "proposer", "proposer_role", "package", "reason"];

/** The columns that a query selects for `ballotOf`, from the table `proposals`. */
export const ballotColumns = namesOf([...openBallotColumns, ...closing]);
/** The columns that a query selects for `proposalOf`. */
export const proposalColumns = namesOf([...openBallotColumns, ...closing, ...texts]);

export function ballotOf(row: BallotRow): Ballot {
  return {
    id: row.id,
    domainId: row.domain_id,
    kind: row.kind,
    state: row.state,
    outcomeReason: row.outcome_reason,
    rules: readRules(row.rules),
    totalPower: row.total_power,
    tally: { yes: row.yes, no: row.no, abstain: row.abstain, noWithVeto: row.no_with_veto },
    createdAt: row.created_at,
    endsAt: row.ends_at,
    dueAt: row.due_at,
    decidedAt: row.decided_at,
    decidedEarly: row.decided_early === 1,
    domainVersion: row.domain_version,
    content: row.content === null ? null : readDigests(row.content),
    previousStatus: row.previous_status,
  };
}

export function proposalOf(row: ProposalRow): Proposal {
  return {
    ...ballotOf(row),
    title: row.title,
    summary: row.summary,
    proposer: row.proposer,
    proposerRole: row.proposer_role,
    package: row.package === null ? null : readObject(row.package, "entity package"),
    reason: row.reason,
  };
}

/** Every column of a new proposal. */
function columnsOfProposal(proposal: Proposal): Readonly<Record<string, string | number | null>> {
  const { tally } = proposal;
  return {
    id: proposal.id,
    domain_id: proposal.domainId,
    kind: proposal.kind,
    title: proposal.title,
    summary: proposal.summary,
    proposer: proposal.proposer,
    proposer_role: proposal.proposerRole,
    package: proposal.package === null ? null : JSON.stringify(proposal.package),
    reason: proposal.reason,
    state: proposal.state,
    outcome_reason: proposal.outcomeReason,
    rules: JSON.stringify(proposal.rules),
    total_power: proposal.totalPower,
    yes: tally.yes,
    no: tally.no,
    abstain: tally.abstain,
    no_with_veto: tally.noWithVeto,
    created_at: proposal.createdAt,
    ends_at: proposal.endsAt,
    due_at: proposal.dueAt,
    decided_at: proposal.decidedAt,
    decided_early: proposal.decidedEarly ? 1 : 0,
    domain_version: proposal.domainVersion,
    content: proposal.content === null ? null : JSON.stringify(proposal.content),
    previous_status: proposal.previousStatus,
  };
}

export async function readProposal(database: Database, id: string): Promise<Proposal | undefined> {
  const row = await database
    .prepare(`SELECT ${proposalColumns} FROM proposals WHERE id = ?`)
    .bind(id)
    .first<ProposalRow>();
  return row === null ? undefined : proposalOf(row);
}

const ELECTORATE = "voters WHERE did NOT IN (SELECT value FROM json_each(?1))";

/** The current voters without the excluded DIDs. */
export async function readElectorate(
  database: Database,
  excluded: readonly string[] = [],
): Promise<{ readonly totalPower: number; readonly voterCount: number }> {
  const row = await database
    .prepare(`SELECT COALESCE(SUM(weight), 0) AS totalPower, COUNT(*) AS voterCount FROM ${ELECTORATE}`)
    .bind(JSON.stringify(excluded))
    .first<{ totalPower: number; voterCount: number }>();
  return row ?? { totalPower: 0, voterCount: 0 };
}

/** The voters on a new proposal: the current roll without the excluded voters. */
export interface Electorate {
  readonly excluded: readonly string[];
  readonly voterCount: number;
}

/**
 * The proposal stores the version of the roll. A second open proposal of the domain fails on a unique index; a roll
 * that has changed meanwhile fails on its total.
 */
export function openingStatements(
  database: Database,
  proposal: Proposal,
  electorate: Electorate,
): readonly Statement[] {
  const columns = columnsOfProposal(proposal);
  const names = Object.keys(columns);
  const placeholders = names.map(() => "?").join(", ");
  return [
    requireThat(
      database,
      `(SELECT COALESCE(SUM(weight), 0) || ' ' || COUNT(*) FROM ${ELECTORATE}) IS ?2`,
      JSON.stringify(electorate.excluded),
      `${proposal.totalPower} ${electorate.voterCount}`,
    ),
    database
      .prepare(
        `INSERT INTO proposals (${names.join(", ")}, elector_count, excluded, roll_version)
         VALUES (${placeholders}, ?, ?, (SELECT max(version) FROM roll_changes))`,
      )
      .bind(...Object.values(columns), electorate.voterCount, JSON.stringify(electorate.excluded)),
  ];
}

interface Closing {
  readonly state: Exclude<ProposalState, "open">;
  readonly outcomeReason: string | null;
  readonly decidedAt: number;
  readonly decidedEarly: boolean;
}

/** `tally` is the tally that the writer read. */
export function closingStatements(
  database: Database,
  { id, kind, tally }: Pick<Ballot, "id" | "kind" | "tally">,
  { state, outcomeReason, decidedAt, decidedEarly }: Closing,
): readonly Statement[] {
  return [
    expectTally(database, id, tally),
    ...(kind === "verify" && state === "passed" ? [expectSameContent(database, id)] : []),
    database
      .prepare(
        `UPDATE proposals SET state = ?2, outcome_reason = ?3, decided_at = ?4, decided_early = ?5
         WHERE id = ?1 AND state = 'open'`,
      )
      .bind(id, state, outcomeReason, decidedAt, decidedEarly ? 1 : 0),
  ];
}

/**
 * For a change of the domain that ends the vote, because votes were cast on other content. `at` in Unix milliseconds.
 */
export function supersedeStatements(
  database: Database,
  proposal: Pick<Ballot, "id" | "kind" | "tally">,
  at: number,
  reason: "material_change" | "content_changed" | "deactivated",
): readonly Statement[] {
  return closingStatements(database, proposal, {
    state: "superseded",
    outcomeReason: reason,
    decidedAt: at,
    decidedEarly: false,
  });
}

/** The proposal is open and undecided. Every write of its domain that leaves the proposal open expects this state. */
export function expectUndecided(database: Database, proposalId: string): Statement {
  const condition = "EXISTS (SELECT 1 FROM proposals WHERE id = ?1 AND state = 'open' AND due_at = ends_at)";
  return requireThat(database, condition, proposalId);
}

/**
 * SQL on `proposals` and its `domains`: the content still equals what the voters saw. No version is stored for a
 * revocation, nor for a verification that an older release opened during a deployment.
 */
export const hasSameContent =
  "(proposals.domain_version IS NULL OR domains.content_version <= proposals.domain_version)";

/** Prevents a decision about content that the voters did not see. */
function expectSameContent(database: Database, id: string): Statement {
  return requireThat(
    database,
    `EXISTS (SELECT 1 FROM proposals JOIN domains ON domains.id = proposals.domain_id
       WHERE proposals.id = ?1 AND ${hasSameContent})`,
    id,
  );
}

function expectTally(database: Database, id: string, { yes, no, abstain, noWithVeto }: Tally): Statement {
  return requireThat(
    database,
    `EXISTS (SELECT 1 FROM proposals WHERE id = ?1 AND state = 'open'
       AND yes = ?2 AND no = ?3 AND abstain = ?4 AND no_with_veto = ?5)`,
    id,
    yes,
    no,
    abstain,
    noWithVeto,
  );
}
