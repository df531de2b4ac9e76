/**
 * A list as PostGraphile's clients know it: nodes, edges, pageInfo and totalCount over one filter and one order
 * (contract/registry.md sections 7.2 and 7.3). Nothing is read before it is selected; the page is read once.
 */
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordOf, type DomainRow } from "../store/domain-rows.ts";
import type { AnswerBudget } from "./answer-budget.ts";
import { printCursor } from "./cursor.ts";
import { createBindings, type Bindings, type SqlValue } from "./filter/bindings.ts";
import { allOf, TRUE } from "./filter/conditions.ts";
import { beyond, type Keyset } from "./keyset.ts";
import { orderClause, type Ordering } from "./ordering.ts";
import type { PageRequest } from "./paging.ts";
import { refusal } from "./refusal.ts";

export interface ListQuery {
  readonly database: D1Database;
  readonly budget: AnswerBudget;
  /** Compiles the filter and condition anew for each statement. */
  readonly where: (bindings: Bindings) => string;
  readonly ordering: Ordering;
  readonly page: PageRequest;
}

/** A domain and its place in the order. */
export interface Entry {
  readonly domain: DomainRecord;
  readonly cursor: () => string;
}

type OrderedRow = DomainRow & Readonly<Record<`order_${number}`, SqlValue>>;

export interface Connection {
  entries(): Promise<readonly Entry[]>;
  hasNextPage(): Promise<boolean>;
  hasPreviousPage(): Promise<boolean>;
  totalCount(): Promise<number>;
}

export function openConnection(query: ListQuery): Connection {
  const { page, ordering } = query;
  const loaded = once(() => loadPage(query));
  const keysetOf = (row: OrderedRow): Keyset => ordering.terms.map((_, at) => row[`order_${at}`] ?? null);

  return {
    entries: once(async () =>
      (await loaded()).rows.map((row) => ({
        domain: recordOf(row),
        cursor: () => printCursor(ordering, keysetOf(row)),
      })),
    ),
    totalCount: once(() => count(query)),
    hasNextPage: once(async () => {
      if (!page.backwards && (await loaded()).more) return true;
      return page.before === undefined ? isCutOff(query) : existsBeside(query, "before", page.before);
    }),
    hasPreviousPage: once(async () => {
      const { more, skipped } = await loaded();
      if (page.backwards && more) return true;
      if (page.after !== undefined) return existsBeside(query, "after", page.after);
      return skipped > 0 && (await exists(query, () => TRUE));
    }),
  };
}

interface LoadedPage {
  readonly rows: readonly OrderedRow[];
  /** There are rows beyond the page in the direction it was read in. */
  readonly more: boolean;
  /** Rows of the list in front of the page that were skipped by position. */
  readonly skipped: number;
}

async function loadPage(query: ListQuery): Promise<LoadedPage> {
  const { page } = query;
  const byPosition = page.from > 0 || page.to !== undefined;
  if (page.backwards && byPosition) {
    // From the end, positions are known only when the list is counted, at most up to where it shall end.
    const end = await count(query, page.to);
    const start = Math.max(page.from, end - page.size);
    const rows = end > start ? await readRows(query, { limit: end - start, offset: start, backwards: false }) : [];
    return { rows, more: start > page.from, skipped: start };
  }
  const room = page.to === undefined ? Infinity : Math.max(0, page.to - page.from);
  const limit = Math.min(page.size + 1, room);
  const rows = limit > 0 ? await readRows(query, { limit, offset: page.from, backwards: page.backwards }) : [];
  const kept = rows.slice(0, page.size);
  return { rows: page.backwards ? kept.toReversed() : kept, more: rows.length > page.size, skipped: page.from };
}

interface Slice {
  readonly limit: number;
  readonly offset: number;
  readonly backwards: boolean;
}

async function readRows(query: ListQuery, { limit, offset, backwards }: Slice): Promise<readonly OrderedRow[]> {
  const { database, budget, ordering, page } = query;
  const bindings = createBindings();
  const keys = ordering.terms.map(({ sql }, at) => `${sql} AS order_${at}`).join(", ");
  const where = allOf([
    query.where(bindings),
    ...(page.after === undefined ? [] : [beyond("after", ordering, page.after, bindings)]),
    ...(page.before === undefined ? [] : [beyond("before", ordering, page.before, bindings)]),
  ]);
  const text = `SELECT ${domainColumns}, ${keys} FROM domains WHERE ${where}
    ORDER BY ${orderClause(ordering, backwards)} LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(offset)}`;
  const statement = bound(database, text, bindings);
  return budget.read(async () => (await statement.all<OrderedRow>()).results);
}

/** Of the whole list, wherever the page is; not beyond `limit`. */
async function count(query: ListQuery, limit?: number): Promise<number> {
  const bindings = createBindings();
  const rows = `SELECT 1 FROM domains WHERE ${query.where(bindings)}`;
  const bounded = limit === undefined ? rows : `${rows} LIMIT ${bindings.bind(limit)}`;
  const text = `SELECT count(*) AS number FROM (${bounded})`;
  const found = await bound(query.database, text, bindings).first<{ number: number }>();
  return found?.number ?? 0;
}

/** Whether the list has rows outside of what `after` or `before` leave. */
function existsBeside(query: ListQuery, side: "after" | "before", keyset: Keyset): Promise<boolean> {
  return exists(query, (bindings) => `(${beyond(side, query.ordering, keyset, bindings)}) IS NOT TRUE`);
}

/** Whether the list goes on behind the position that it was cut off at. */
async function isCutOff(query: ListQuery): Promise<boolean> {
  const { to } = query.page;
  return to !== undefined && (await count(query, to + 1)) > to;
}

async function exists(query: ListQuery, condition: (bindings: Bindings) => string): Promise<boolean> {
  const bindings = createBindings();
  const where = allOf([query.where(bindings), condition(bindings)]);
  const text = `SELECT EXISTS (SELECT 1 FROM domains WHERE ${where}) AS found`;
  const row = await bound(query.database, text, bindings).first<{ found: number }>();
  return row?.found === 1;
}

/** Bytes of a statement (a limit of D1); ours are ASCII, and long only where a filter looks for much in JSON. */
const STATEMENT_BYTES = 100_000;

function bound(database: D1Database, text: string, { values }: Bindings): D1PreparedStatement {
  if (text.length > STATEMENT_BYTES) {
    throw refusal("query_too_costly", "The filter looks for too much at once; ask for less in one list");
  }
  return database.prepare(text).bind(...values);
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= work());
}
