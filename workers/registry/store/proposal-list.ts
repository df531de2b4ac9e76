/**
 * Lists of proposals, the newest first. They show what is stored: a proposal whose time is over may be in them as open until
 * the next run of finalise-due.ts.
 */
import type { Proposal, ProposalKind, ProposalState } from "../governance/proposal.ts";
import { proposalColumns, proposalOf, type ProposalRow } from "./proposal-store.ts";
import { bound, createBindings, type KeysetPage, keysetSql } from "./sql.ts";
import { readFullPage } from "./stored-columns.ts";

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
  const pageBehind = (last: ProposalRow | undefined, limit: number) =>
    listStatement(database, filter, {
      after: last === undefined ? page.after : { createdAt: last.created_at, id: last.id },
      limit,
    });
  return readFullPage("proposals", page.limit, pageBehind, proposalOf);
}

/** Milliseconds by which the clocks of two writers may differ. */
const CLOCK_SLACK = 3_600_000;

/**
 * SQL of `proposals`: those whose electorate has the DID. The walk is bounded by the time that the DID was on the roll, and for
 * electors that older releases copied by the proposals of that time; neither grows for someone who is not on the roll.
 */
function ofElector(did: string, slack: string): readonly string[] {
  const times = `SELECT at, replaced_by IS NULL AND weight IS NOT NULL AS stands, weight FROM roll_changes WHERE did = ${did}`;
  const copied = "SELECT created_at AS at FROM proposals INDEXED BY proposals_copied WHERE roll_version IS NULL";
  return [
    `EXISTS (SELECT 1 FROM proposal_electors WHERE proposal_id = proposals.id AND did = ${did})`,
    `proposals.created_at >= (SELECT min(at) FROM (
       SELECT min(at) - ${slack} AS at FROM (${times}) WHERE weight IS NOT NULL UNION ALL SELECT min(at) FROM (${copied})))`,
    `proposals.created_at <= (SELECT max(at) FROM (
       SELECT max(iif(stands, ${Number.MAX_SAFE_INTEGER}, at + ${slack})) AS at FROM (${times})
       UNION ALL SELECT max(at) FROM (${copied})))`,
  ];
}

function listStatement(
  database: D1Database,
  filter: ProposalFilter,
  { after, limit }: { readonly after: ProposalPosition | undefined; readonly limit: number },
): D1PreparedStatement {
  const [walked, index] = indexes.find(([name]) => filter[name] !== undefined) ?? [undefined, "proposals_by_creation"];
  const bindings = createBindings();
  const page: KeysetPage = {
    columns: proposalColumns,
    source: `proposals INDEXED BY ${index}`,
    where: ({ bind }) => [
      ...indexes.flatMap(([name]) => {
        const wanted = filter[name];
        if (wanted === undefined || name === walked) return [];
        // The sign keeps its index out of the plan: the walk is in the order of the list.
        return [`+${columnOf[name]} IN (SELECT value FROM json_each(${bind(JSON.stringify(wanted))}))`];
      }),
      ...(filter.elector === undefined ? [] : ofElector(bind(filter.elector), bind(CLOCK_SLACK))),
    ],
    order: ["created_at", "id"],
    descending: true,
    after: after && [after.createdAt, after.id],
    limit,
  };
  if (walked === undefined) return bound(database, keysetSql(page, bindings), bindings);
  // One walk for each value, each as long as the page at most; their rows are then put in order.
  const own = keysetSql(
    {
      ...page,
      columns: "proposals.rowid",
      where: (inner) => [`${columnOf[walked]} = wanted.value`, ...page.where(inner)],
    },
    bindings,
  );
  const wanted = bindings.bind(JSON.stringify(filter[walked]));
  const chosen = `SELECT chosen.rowid FROM (SELECT DISTINCT value FROM json_each(${wanted})) AS wanted
    CROSS JOIN proposals AS chosen ON chosen.rowid IN (${own})`;
  const outer: KeysetPage = {
    ...page,
    source: "proposals",
    where: () => [`proposals.rowid IN (${chosen})`],
    after: undefined,
  };
  return bound(database, keysetSql(outer, bindings), bindings);
}
