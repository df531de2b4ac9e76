/** How a proposal lies in the table `proposals` (migrations/0002_registry.sql), there and back. */
import type { JsonObject } from "../../platform/json.ts";
import type { VerificationStatus } from "../domain/domain.ts";
import type { Ballot, Proposal, ProposalKind, ProposalState } from "../governance/proposal.ts";
import type { Role } from "../scopes.ts";
import { readDigests, readRules } from "./stored-columns.ts";

/** The columns that decide a proposal; its texts and its package can be much larger. */
export interface BallotRow {
  readonly id: string;
  readonly domain_id: string;
  readonly kind: ProposalKind;
  readonly state: ProposalState;
  readonly outcome_reason: string | null;
  readonly rules: string;
  readonly total_power: number;
  readonly yes: number;
  readonly no: number;
  readonly abstain: number;
  readonly no_with_veto: number;
  readonly created_at: number;
  readonly ends_at: number;
  readonly due_at: number;
  readonly decided_at: number | null;
  readonly decided_early: number;
  readonly domain_version: number | null;
  readonly content: string | null;
  readonly previous_status: VerificationStatus;
}

export interface ProposalRow extends BallotRow {
  readonly title: string;
  readonly summary: string;
  readonly proposer: string;
  readonly proposer_role: Role;
  readonly package: string | null;
  readonly reason: string | null;
}

/** The columns of an open proposal that its domain does not tell already: few enough for one function of SQL. */
export const openBallotColumnNames = [
  "id",
  "kind",
  "rules",
  "total_power",
  "yes",
  "no",
  "abstain",
  "no_with_veto",
  "created_at",
  "ends_at",
  "due_at",
  "domain_version",
  "content",
  "previous_status",
] as const satisfies readonly (keyof BallotRow)[];

export type OpenBallotRow = Pick<BallotRow, (typeof openBallotColumnNames)[number]>;

export function openBallotOf(row: OpenBallotRow, domainId: string): Ballot {
  const open = { state: "open", outcome_reason: null, decided_at: null, decided_early: 0 } as const;
  return ballotOf({ ...row, ...open, domain_id: domainId });
}

/** What a query selects for `proposalOf`, of the table or alias `proposals`. */
export const proposalColumns = [
  ...openBallotColumnNames,
  "domain_id",
  "state",
  "outcome_reason",
  "decided_at",
  "decided_early",
  "title",
  "summary",
  "proposer",
  "proposer_role",
  "package",
  "reason",
]
  .map((name) => `proposals.${name}`)
  .join(", ");

function ballotOf(row: BallotRow): Ballot {
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
    package: row.package === null ? null : (JSON.parse(row.package) as JsonObject),
    reason: row.reason,
  };
}

/** Every column of a new proposal. */
export function columnsOfProposal(proposal: Proposal): Readonly<Record<string, string | number | null>> {
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
