/**
 * Lists of proposals, newest first. They show the stored state: a proposal whose voting time has ended may appear as
 * open until the next run of finalise-due.ts. A list is read along one index, one window of rows at a time, with the
 * row meter: a filter outside this index may match few of many proposals.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { Proposal, ProposalKind, ProposalState } from "../governance/proposal.ts";
import { proposalColumns, proposalOf, type ProposalRow } from "../store/proposal-store.ts";
import { allOf, bound, createBindings, type Bindings, type KeysetPage, keysetSql } from "../store/sql.ts";
import { readRow } from "../store/stored-columns.ts";
import type { DomainReading } from "./metered-list.ts";
import { LIST_ROW, PROBE_UNITS, STATEMENT_UNITS } from "./row-budget.ts";

/** Each list means "any of these"; undefined restricts nothing. */
export interface ProposalFilter {
  readonly domain?: readonly string[] | undefined;
  readonly state?: readonly ProposalState[] | undefined;
  readonly kind?: readonly ProposalKind[] | undefined;
  readonly proposer?: readonly string[] | undefined;
  /** A DID whose vote would count on the proposal. */
  readonly elector?: string | undefined;
}

/** The proposal after which a page begins. */
export interface ProposalPosition {
  readonly createdAt: number;
  readonly id: string;
}

const columnOf = { domain: "domain_id", state: "state", kind: "kind", proposer: "proposer" } as const;
type ColumnFilter = keyof typeof columnOf;

/** Indexes that usually match the fewest proposals first. Each has the order of creation after its column. */
const indexes = [
  ["domain", "proposals_by_domain"],
  ["proposer", "proposals_by_proposer"],
  ["state", "proposals_by_state"],
  ["kind", "proposals_by_kind"],
] as const satisfies readonly (readonly [ColumnFilter, string])[];

/** Rows of the first window in addition to the wanted ones, if each is compared with a filter. */
const FIRST_WINDOW = 256;
const GROWTH = 4;
/** Rows of other tables that show whether a DID is an elector of one proposal. */
const ELECTOR_ROWS = 3;

interface WindowRow extends ProposalRow {
  readonly walk_at: number;
  readonly walk_id: string;
  readonly walk_position: number;
  readonly walk_match: 0 | 1;
}

export async function listProposals(
  { database, meter }: DomainReading,
  filter: ProposalFilter,
  page: { readonly after: ProposalPosition | undefined; readonly limit: number },
): Promise<readonly Proposal[]> {
  const walk = walkOf(filter);
  const units = LIST_ROW * (walk.values?.length ?? 1) * (filter.elector === undefined ? 1 : 1 + ELECTOR_ROWS);
  const most = Math.max(page.limit, Math.floor(STATEMENT_UNITS / units));
  return meter.work(async (admit) => {
    const found: Proposal[] = [];
    let { after } = page;
    let rows = walk.compares ? page.limit * 2 + FIRST_WINDOW : page.limit;
    for (let [looked, isScan] = [0, false]; ; rows *= GROWTH) {
      const missing = page.limit - found.length;
      const wanted = Math.min(most, rows);
      // Reads beyond a probe take turns with other scans.
      isScan ||= looked + wanted * units > PROBE_UNITS;
      if (isScan) await admit(wanted * units);
      const window = meter.allow(wanted, units);
      const statement = windowStatement(database, filter, walk, { after, rows: window, limit: missing + 1 });
      const { results } = await meter.run(isScan, () => statement.all<WindowRow>());
      const last = results.at(-1);
      // A window that ended early has no further rows, or the page was full.
      const seen = last?.walk_position ?? 0;
      meter.charge(Math.max(1, seen) * units);
      looked += seen * units;
      for (const row of results.slice(0, missing)) {
        const value = row.walk_match === 1 ? readRow("proposals", row.walk_id, row, proposalOf) : undefined;
        if (value !== undefined) found.push(value);
      }
      if (last === undefined || found.length >= page.limit) return found;
      if (results.length <= missing && seen < window) return found;
      const end = results[Math.min(results.length, missing) - 1] ?? last;
      after = { createdAt: end.walk_at, id: end.walk_id };
    }
  });
}

/** The index along which a list is read. */
interface Walk {
  readonly index: string;
  readonly column: ColumnFilter | undefined;
  /** The wanted values of that column; undefined for all. */
  readonly values: readonly string[] | undefined;
  /** Whether each row must be compared with remaining filters. */
  readonly compares: boolean;
}

function walkOf(filter: ProposalFilter): Walk {
  const [column, index] = indexes.find(([name]) => filter[name] !== undefined) ?? [undefined, "proposals_by_creation"];
  const compares =
    filter.elector !== undefined || indexes.some(([name]) => name !== column && filter[name] !== undefined);
  const values = column === undefined ? undefined : [...new Set(filter[column])];
  return { index, column, values, compares };
}

/** Milliseconds by which the clocks of two writers may differ. */
const CLOCK_SLACK = 3_600_000;

/** SQL on `proposals`: the electorate contains the DID. */
const hasElector = (did: string) =>
  `EXISTS (SELECT 1 FROM proposal_electors WHERE proposal_id = proposals.id AND did = ${did})`;

/**
 * SQL on `proposals`: the time range in which proposals with this elector were opened. The range is bounded by the time
 * that the DID was on the roll or, for electors that older releases copied, by the times of those proposals; neither
 * grows for a DID that is not on the roll.
 */
function timesOfElector(did: string, slack: string): readonly string[] {
  const times = `SELECT at, replaced_by IS NULL AND weight IS NOT NULL AS stands, weight FROM roll_changes WHERE did = ${did}`;
  const copied = "SELECT created_at AS at FROM proposals INDEXED BY proposals_copied WHERE roll_version IS NULL";
  return [
    `proposals.created_at >= (SELECT min(at) FROM (
       SELECT min(at) - ${slack} AS at FROM (${times}) WHERE weight IS NOT NULL UNION ALL SELECT min(at) FROM (${copied})))`,
    `proposals.created_at <= (SELECT max(at) FROM (
       SELECT max(iif(stands, ${Number.MAX_SAFE_INTEGER}, at + ${slack})) AS at FROM (${times})
       UNION ALL SELECT max(at) FROM (${copied})))`,
  ];
}

/** Whether a row of the walk matches. */
function matchSql(filter: ProposalFilter, { column: walked }: Walk, { bind }: Bindings): string {
  return allOf([
    ...indexes.flatMap(([name]) => {
      const wanted = filter[name];
      if (wanted === undefined || name === walked) return [];
      return [`${columnOf[name]} IN (SELECT value FROM json_each(${bind(JSON.stringify(wanted))}))`];
    }),
    ...(filter.elector === undefined ? [] : [hasElector(bind(filter.elector))]),
  ]);
}

/**
 * `rows` of the walk after `after`. The statement returns the matching ones, at most `limit`, and the last row; only
 * matches have content, which may be long.
 */
function windowStatement(
  database: Database,
  filter: ProposalFilter,
  walk: Walk,
  {
    after,
    rows,
    limit,
  }: { readonly after: ProposalPosition | undefined; readonly rows: number; readonly limit: number },
): Statement {
  const bindings = createBindings();
  const { bind } = bindings;
  const page: KeysetPage = {
    columns: `created_at AS walk_at, id AS walk_id, proposals.rowid AS walk_row,
      (${matchSql(filter, walk, bindings)}) IS TRUE AS walk_match`,
    source: `proposals INDEXED BY ${walk.index}`,
    where: () => [
      ...(walk.column === undefined || walk.values?.length !== 1
        ? []
        : [`${columnOf[walk.column]} = ${bind(walk.values[0] ?? "")}`]),
      ...(filter.elector === undefined ? [] : timesOfElector(bind(filter.elector), bind(CLOCK_SLACK))),
    ],
    order: ["created_at", "id"],
    descending: true,
    after: after && [after.createdAt, after.id],
    limit: rows,
  };
  const walked =
    walk.column === undefined || walk.values?.length === 1
      ? keysetSql(page, bindings)
      : mergedSql(page, walk.column, walk.values ?? [], bindings);
  const text = `SELECT w.*, ${proposalColumns}
    FROM (SELECT *, row_number() OVER (ROWS UNBOUNDED PRECEDING) AS walk_position FROM (${walked})) AS w
    LEFT JOIN proposals ON proposals.rowid = w.walk_row AND w.walk_match
    WHERE w.walk_match OR w.walk_position = ${bind(rows)}
    -- PostgreSQL: ORDER BY w.walk_position
    LIMIT ${bind(limit)}`;
  return bound(database, text, bindings);
}

/** One walk per value, each at most as long as the window; their rows are then merged in order. */
function mergedSql(page: KeysetPage, column: ColumnFilter, values: readonly string[], bindings: Bindings): string {
  const own = keysetSql(
    {
      ...page,
      columns: "proposals.rowid",
      where: (inner) => [`${columnOf[column]} = wanted.value`, ...page.where(inner)],
    },
    bindings,
  );
  const wanted = bindings.bind(JSON.stringify(values));
  const chosen = `SELECT chosen.rowid FROM json_each(${wanted}) AS wanted
    -- PostgreSQL, not the next line: CROSS JOIN LATERAL (
    CROSS JOIN proposals AS chosen ON chosen.rowid IN (
      ${own})
    -- PostgreSQL: AS chosen
    `;
  return keysetSql(
    { ...page, source: "proposals", where: () => [`proposals.rowid IN (${chosen})`], after: undefined },
    bindings,
  );
}
