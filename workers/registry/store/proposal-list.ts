/**
 * Lists of proposals, the newest first (contract/registry.md section 2). They tell what is stored: a proposal whose time
 * is over may stand in them as open until the next run of finalise-due.ts. Keyset paging: nothing twice, no gaps.
 */
import type { Proposal, ProposalKind, ProposalState } from "../governance/proposal.ts";
import { proposalColumns, proposalOf, type ProposalRow } from "./proposal-rows.ts";

/** Every list means "any of these"; undefined restricts nothing. */
export interface ProposalFilter {
  readonly domain?: readonly string[] | undefined;
  readonly state?: readonly ProposalState[] | undefined;
  readonly kind?: readonly ProposalKind[] | undefined;
  readonly proposer?: readonly string[] | undefined;
  /** A DID whose vote the proposal would count. */
  readonly elector?: string | undefined;
}

/** Behind which one a page begins. */
export interface ProposalPosition {
  readonly createdAt: number;
  readonly id: string;
}

const columnOf = { domain: "domain_id", state: "state", kind: "kind", proposer: "proposer" } as const;

export async function listProposals(
  database: D1Database,
  filter: ProposalFilter,
  { after, limit }: { readonly after: ProposalPosition | undefined; readonly limit: number },
): Promise<readonly Proposal[]> {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [name, column] of Object.entries(columnOf)) {
    const wanted = filter[name as keyof typeof columnOf];
    if (wanted === undefined) continue;
    // One value as an equality, so that its index also gives the order.
    const [only] = wanted;
    conditions.push(wanted.length === 1 ? `${column} = ?` : `${column} IN (SELECT value FROM json_each(?))`);
    values.push(wanted.length === 1 && only !== undefined ? only : JSON.stringify(wanted));
  }
  if (filter.elector !== undefined) {
    conditions.push("EXISTS (SELECT 1 FROM proposal_electors WHERE proposal_id = proposals.id AND did = ?)");
    values.push(filter.elector);
  }
  if (after !== undefined) {
    conditions.push("(created_at, id) < (?, ?)");
    values.push(after.createdAt, after.id);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const { results } = await database
    .prepare(`SELECT ${proposalColumns} FROM proposals ${where} ORDER BY created_at DESC, id DESC LIMIT ?`)
    .bind(...values, limit)
    .all<ProposalRow>();
  return results.map(proposalOf);
}
