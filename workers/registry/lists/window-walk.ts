/**
 * Reads a list along an index, one window of rows at a time. A filter that few rows satisfy would otherwise be one
 * statement over the whole table: a window limits the rows of each statement, and the meter limits their sum.
 */
import type { WalkPlace } from "./order.ts";
import { PROBE_UNITS, rowsOfStatement } from "./row-budget.ts";
import {
  matchedSql,
  placeOf,
  readWindow,
  windowSql,
  type WalkedList,
  type Window,
  type WindowLimit,
  type WindowRow,
} from "./window.ts";
import type { SqlValue } from "../store/sql.ts";

/** The columns read of a domain, with the values of its position in the order. */
export type OrderedRow<Content> = Content & Readonly<Record<`order_${number}`, SqlValue>>;

export interface WalkRange {
  readonly from?: WalkPlace | undefined;
  readonly to?: WalkPlace | undefined;
  /** The range includes its end positions. */
  readonly inclusive?: boolean;
  /** Walks from `to` towards `from`. */
  readonly backwards?: boolean;
}

/** Rows that the first window has in addition to those that are wanted: most pages are full by then. */
const FIRST_WINDOW = 256;
const GROWTH = 4;

/** The first `limit` matches in the direction of the walk, after skipping `skip`. */
export async function walkRows<Content>(
  list: WalkedList,
  range: WalkRange,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<readonly OrderedRow<Content>[]> {
  const start = skip === 0 ? undefined : await advance(list, range, skip);
  if (start !== undefined && start.place === undefined) return [];
  const found: OrderedRow<Content>[] = [];
  // No ORDER BY in SQLite: it would read and sort all matches of the window. CROSS JOIN keeps the window's order.
  await walk(list, start === undefined ? range : continuedAt(range, start.place), limit, async (wanted) => {
    const missing = limit - found.length;
    const { rows, window, units } = await readWindow(
      list,
      wanted,
      (statement) => statement.all<OrderedRow<Content> & WindowRow>(),
      (given, bindings) => {
        const { prefix, columns } = given.segment;
        const values = [...prefix.map((value) => bindings.bind(value)), ...columns.map((_, at) => `w.walk_${at}`)];
        const keys = values.map((sql, at) => `${sql} AS order_${at}`).join(", ");
        return `SELECT ${list.content}, ${keys}, w.* FROM (${windowSql(list, given, bindings)}) AS w
        CROSS JOIN domains ON domains.number = w.walk_number
        WHERE w.walk_match OR w.walk_position = ${bindings.bind(given.rows)}
        -- PostgreSQL: ORDER BY w.walk_position
        LIMIT ${bindings.bind(missing + 1)}`;
      },
    );
    const matches = rows.filter(({ walk_match: match }) => match === 1).slice(0, missing);
    found.push(...matches);
    const last = rows.at(-1);
    const looked = { units, examined: last?.walk_position ?? 0, matched: matches.length };
    if (found.length >= limit || last?.walk_position !== window.rows) return { done: found.length >= limit, ...looked };
    return { done: false, place: placeOf(last, window), ...looked };
  });
  return found;
}

/** The number of matches, counted up to `limit`. */
export async function walkCount(list: WalkedList, range: WalkRange, limit: number): Promise<number> {
  return (await advance(list, range, limit)).matched;
}

/** Continues until `limit` matches have passed. Without a place, the range ended before. */
async function advance(
  list: WalkedList,
  range: WalkRange,
  limit: number,
): Promise<{ readonly matched: number; readonly place: WalkPlace | undefined }> {
  let matched = 0;
  let place: WalkPlace | undefined;
  await walk(list, range, limit, async (wanted) => {
    const { rows, window, units } = await readWindow(
      list,
      wanted,
      (statement) => statement.all<Passed>(),
      (given, bindings) => {
        const keys = given.segment.columns.map((_, at) => `walk_${at}`).join(", ");
        const isWhole = limit === Infinity && keys === "walk_0" && !given.segment.descending && !given.backwards;
        if (isWhole) {
          return `SELECT count(*) AS examined, total(walk_match) AS matched, max(walk_0) AS walk_0
          FROM (${matchedSql(list, given, bindings)})`;
        }
        // The last row. With a single max(), SQLite takes plain columns from the row with the maximum, without a sort.
        return `SELECT
        -- PostgreSQL, not the next line: walk_position AS examined, walk_nth AS matched, ${keys}
        count(*) AS examined, total(walk_match) AS matched, max(walk_position) AS walk_position, ${keys}
        FROM (${windowSql(list, given, bindings)}) WHERE walk_nth <= ${bindings.bind(Math.min(limit - matched, LARGE))}
        -- PostgreSQL: ORDER BY walk_position DESC LIMIT 1
        `;
      },
    );
    return passed(rows, window, units);
  });
  return { matched, place: matched >= limit ? place : undefined };

  function passed([row]: readonly Passed[], window: Window, units: number): Step {
    const { examined = 0, matched: more = 0 } = row ?? {};
    const looked = { units, examined, matched: more };
    matched += more;
    const next = row === undefined || examined === 0 ? undefined : placeOf(row, window);
    if (matched >= limit) {
      place = next ?? place;
      return { done: true, ...looked };
    }
    return examined < window.rows || next === undefined
      ? { done: false, ...looked }
      : { done: false, place: next, ...looked };
  }
}

/** The result of a window that was passed. */
interface Passed extends WindowRow {
  readonly examined: number;
  readonly matched: number;
}

/** More rows than any table has; a number that SQLite accepts. */
const LARGE = 1_000_000_000;

/** `place`: where this segment continues; undefined when it has ended. The other members are the window's costs and rows. */
interface Step {
  readonly done: boolean;
  readonly place?: WalkPlace;
  readonly units: number;
  readonly examined: number;
  readonly matched: number;
}

/** Processes windows in turn until one is done. Reads beyond a probe are admitted first, by an estimate of the rest. */
async function walk(
  list: WalkedList,
  { from, to, inclusive = false, backwards = false }: WalkRange,
  wanted: number,
  take: (window: Window) => Promise<Step>,
): Promise<void> {
  const { weight } = list;
  const most = rowsOfStatement(weight);
  const probe = Math.max(1, Math.floor((PROBE_UNITS - weight.fixed) / weight.units));
  let rows = Math.min(most, probe, wanted * 2 + FIRST_WINDOW);
  const looked = { units: 0, examined: 0, matched: 0 };
  let admitted = 0;
  const all = wanted === Infinity ? await unitsAhead(list, looked, wanted) : 0;
  if (all > PROBE_UNITS) {
    await list.admit(all);
    admitted = all;
    rows = most;
  }
  const [first, last] = [from?.segment ?? 0, to?.segment ?? list.segments.length - 1];
  const numbers = list.segments.map((_, number) => number).filter((number) => first <= number && number <= last);
  for (const number of backwards ? numbers.toReversed() : numbers) {
    const segment = list.segments[number];
    if (segment === undefined) return;
    const limitAt = (place: WalkPlace | undefined): WindowLimit | undefined =>
      place?.segment === number ? { values: place.values, inclusive } : undefined;
    let [after, before] = [limitAt(from), limitAt(to)];
    for (;;) {
      if (looked.units + rows * weight.units + weight.fixed > PROBE_UNITS + admitted) {
        const rest = await unitsAhead(list, looked, wanted);
        const more = admitted === 0 ? rest : looked.units + rest - PROBE_UNITS - admitted;
        if (looked.units + rest > PROBE_UNITS + admitted) {
          await list.admit(more);
          admitted += more;
        }
      }
      const window = { segment, number, backwards, after, before, rows, isScan: admitted > 0, jsonUnits: 0 };
      const { done, place, units, examined, matched } = await take(window);
      looked.units += units;
      looked.examined += examined;
      looked.matched += matched;
      if (done) return;
      if (place === undefined) break;
      if (backwards) before = { values: place.values, inclusive: false };
      else after = { values: place.values, inclusive: false };
      rows = Math.min(most, rows * GROWTH);
    }
  }
}

/** The estimated cost of the rest: extrapolated from the matches so far, or all remaining rows if none has matched. */
async function unitsAhead(
  { weight, most }: WalkedList,
  looked: { readonly units: number; readonly examined: number; readonly matched: number },
  wanted: number,
): Promise<number> {
  const { units, examined, matched } = looked;
  const left = Math.max(0, (await most()) - examined);
  const perMatch = matched === 0 ? Infinity : examined / matched;
  const rows = wanted === Infinity ? left : Math.min(left, Math.ceil((wanted - matched) * perMatch));
  const perRow = Math.max(weight.units, examined === 0 ? 0 : units / examined);
  return Math.ceil(rows * perRow);
}

function continuedAt(range: WalkRange, place: WalkPlace | undefined): WalkRange {
  if (place === undefined) return range;
  return range.backwards === true ? { ...range, to: place } : { ...range, from: place };
}
