/** One window of a walk: the statement over its rows, within the limits that budget and meter leave. */
import type { Database, DatabaseResult, Statement } from "../../../platform/database/database.ts";
import type { Keyset, Segment, WalkPlace } from "./order.ts";
import { STATEMENT_UNITS, unitsOfText, type Admit, type ReadBudget, type RowMeter } from "./row-budget.ts";
import { type RowWeight, JSON_PER_UNIT } from "./row-weight.ts";
import { allOf, behind, bound, createBindings, cursorColumn, type Bindings, type SqlValue } from "../store/sql.ts";

export interface WalkedList {
  readonly database: Database;
  /** SQL of the columns that a page shows of a domain. */
  readonly content: string;
  /** The maximum number of rows from the segments, whether they match or not. */
  readonly most: () => Promise<number>;
  readonly admit: Admit;
  readonly budget: ReadBudget;
  readonly meter: RowMeter;
  readonly weight: RowWeight;
  readonly filter: (bindings: Bindings) => string;
  readonly segments: readonly Segment[];
}

export interface Window {
  readonly segment: Segment;
  readonly number: number;
  readonly backwards: boolean;
  readonly after: WindowLimit | undefined;
  readonly before: WindowLimit | undefined;
  readonly rows: number;
  /** It was admitted, so it takes turns with others. */
  readonly isScan: boolean;
  /** Units for the JSON in these rows. */
  readonly jsonUnits: number;
}

/** An end of the window in the order of its segment. */
export interface WindowLimit {
  readonly values: Keyset;
  readonly inclusive: boolean;
}

export interface WindowRow {
  readonly walk_match: 0 | 1;
  readonly walk_position: number;
  readonly [key: `walk_${number}`]: SqlValue;
}

/** Runs a statement over the window, which the budget may make smaller. One after another, so that each sees how much budget is left. */
export async function readWindow<Row extends object>(
  { database, budget, meter, weight }: WalkedList,
  wanted: Window,
  read: (statement: Statement) => Promise<DatabaseResult<Row>>,
  build: (window: Window, bindings: Bindings) => string,
): Promise<{ readonly rows: readonly Row[]; readonly window: Window; readonly units: number }> {
  let [window, units] = [wanted, 0];
  const load = async () => {
    if (weight.fixed > 0) meter.allow(1, weight.fixed);
    window = { ...wanted, rows: meter.allow(wanted.rows, weight.units) };
    if (weight.jsonReads > 0) window = await withinJson(database, window, weight);
    if (window.jsonUnits > 0) meter.allow(1, window.jsonUnits);
    const bindings = createBindings();
    const text = build(window, bindings);
    const { results, meta } = await read(bound(database, text, bindings));
    // Reads of tables and indexes together, so never fewer than the rows that were looked at.
    const reads = meta.rows_read ?? window.rows;
    const looked = Math.min(window.rows, reads) * weight.units + window.jsonUnits;
    units = weight.fixed + unitsOfText(text) + looked;
    meter.charge(units);
    return results;
  };
  const rows = await budget.read(() => meter.run(wanted.isScan, load));
  return { rows, window, units };
}

/** As many rows as the size of their JSON allows. */
async function withinJson(database: Database, window: Window, { jsonReads }: RowWeight): Promise<Window> {
  const bindings = createBindings();
  const text = `SELECT octet_length(domains.metadata) + octet_length(domains.document) + octet_length(domains.credentials)
    AS bytes ${walkedSql(window, bindings)}`;
  const { results } = await bound(database, text, bindings).all<{ bytes: number }>();
  let [count, jsonUnits] = [0, 0];
  for (const { bytes } of results) {
    const more = Math.ceil((bytes * jsonReads) / JSON_PER_UNIT);
    if (count > 0 && jsonUnits + more > STATEMENT_UNITS) return { ...window, rows: count, jsonUnits };
    count += 1;
    jsonUnits += more;
  }
  // Fewer rows than requested: the segment ends with them.
  return { ...window, jsonUnits };
}

/** The window's rows with their values in the index, and whether they match. */
export function matchedSql(list: WalkedList, window: Window, bindings: Bindings): string {
  const keys = window.segment.columns.map((sql, at) => `${cursorColumn(sql)} AS walk_${at}`).join(", ");
  return `SELECT domains.number AS walk_number, ${keys}, (${list.filter(bindings)}) IS TRUE AS walk_match
    ${walkedSql(window, bindings)}`;
}

/** The same rows with their positions, and the number of matches up to each. */
export function windowSql(list: WalkedList, window: Window, bindings: Bindings): string {
  return `SELECT *, row_number() OVER walked AS walk_position, sum(walk_match) OVER walked AS walk_nth
    FROM (${matchedSql(list, window, bindings)}) WINDOW walked AS (ROWS UNBOUNDED PRECEDING)`;
}

function walkedSql({ segment, backwards, after, before, rows }: Window, bindings: Bindings): string {
  const { source, where, columns, descending } = segment;
  const direction = descending === backwards ? "ASC" : "DESC";
  const conditions = [
    where(bindings),
    ...(after === undefined ? [] : [behind(columns, after.values, descending, bindings, after.inclusive)]),
    ...(before === undefined ? [] : [behind(columns, before.values, !descending, bindings, before.inclusive)]),
  ];
  return `FROM ${source} WHERE ${allOf(conditions)}
    ORDER BY ${columns.map((sql) => `${sql} ${direction}`).join(", ")} LIMIT ${bindings.bind(rows)}`;
}

export function placeOf(row: WindowRow, { segment, number }: Window): WalkPlace {
  return { segment: number, values: segment.columns.map((_, at) => row[`walk_${at}`] ?? null) };
}
