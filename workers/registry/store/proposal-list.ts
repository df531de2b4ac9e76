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
type ColumnFilter = keyof typeof columnOf;

/** Those that usually match the fewest proposals first; each index has the order of creation behind its column. */
const indexes = [
  ["domain", "proposals_by_domain"],
  ["proposer", "proposals_by_proposer"],
  ["state", "proposals_by_state"],
  ["kind", "proposals_by_kind"],
] as const satisfies readonly (readonly [ColumnFilter, string])[];

export async function listProposals(
  database: D1Database,
  filter: ProposalFilter,
  page: { readonly after: ProposalPosition | undefined; readonly limit: number },
): Promise<readonly Proposal[]> {
  const { results } = await listStatement(database, filter, page).all<ProposalRow>();
  return results.map(proposalOf);
}

/** Exported for the test that holds its plans to what they must be. */
export function listStatement(
  database: D1Database,
  filter: ProposalFilter,
  { after, limit }: { readonly after: ProposalPosition | undefined; readonly limit: number },
): D1PreparedStatement {
  const [walked, index] = indexes.find(([name]) => filter[name] !== undefined) ?? [undefined, "proposals_by_creation"];
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [name] of indexes) {
    const wanted = filter[name];
    if (wanted === undefined || name === walked) continue;
    // The sign keeps its index out of the plan: the walk is in the order of the list.
    conditions.push(`+${columnOf[name]} IN (SELECT value FROM json_each(?))`);
    values.push(JSON.stringify(wanted));
  }
  if (filter.elector !== undefined) {
    conditions.push("EXISTS (SELECT 1 FROM proposal_electors WHERE proposal_id = proposals.id AND did = ?)");
    values.push(filter.elector);
  }
  if (after !== undefined) {
    conditions.push("(created_at, id) < (?, ?)");
    values.push(after.createdAt, after.id);
  }
  const order = "ORDER BY created_at DESC, id DESC LIMIT ?";
  if (walked === undefined) {
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const text = `SELECT ${proposalColumns} FROM proposals INDEXED BY ${index} ${where} ${order}`;
    return database.prepare(text).bind(...values, limit);
  }
  // One walk for each value, each as long as the page at most; their rows are then put in order.
  const own = [`${columnOf[walked]} = wanted.value`, ...conditions].join(" AND ");
  const chosen = `SELECT chosen.rowid FROM (SELECT DISTINCT value FROM json_each(?)) AS wanted
    CROSS JOIN proposals AS chosen ON chosen.rowid IN (
      SELECT proposals.rowid FROM proposals INDEXED BY ${index} WHERE ${own} ${order})`;
  return database
    .prepare(`SELECT ${proposalColumns} FROM proposals WHERE proposals.rowid IN (${chosen}) ${order}`)
    .bind(JSON.stringify(filter[walked]), ...values, limit, limit);
}
