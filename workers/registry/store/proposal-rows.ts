/** How a proposal lies in the table `proposals`, there and back. */
import * as z from "zod";
import { parseStoredJson } from "../../platform/stored-json.ts";
import { verificationStatuses } from "../domain/domain.ts";
import { proposalKinds, type Ballot, type Proposal, type ProposalState } from "../governance/proposal.ts";
import type { Role } from "../scopes.ts";
import { readDigests, readObject, readRules } from "./stored-columns.ts";

/** The columns of an open proposal that its domain does not have already: few enough for one function of SQL. */
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

/** The columns that decide a proposal; its texts and its package can be much larger. */
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

/** What a query selects for `ballotOf`, of the table `proposals`. */
export const ballotColumns = namesOf([...openBallotColumns, ...closing]);
/** What a query selects for `proposalOf`. */
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
