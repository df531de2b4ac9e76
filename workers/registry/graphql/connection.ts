/**
 * A list as PostGraphile's clients know it: nodes, edges, pageInfo and totalCount over one filter and one order. Data
 * is read only if it is selected, and the page is read once.
 */
import type { DomainRecord } from "../domain/domain.ts";
import type { ListCursor } from "../lists/cursor.ts";
import {
  countAll,
  createListReader,
  type ListRange,
  type ListReader,
  type MeteredList,
} from "../lists/metered-reader.ts";
import type { Keyset } from "../lists/order.ts";
import type { Admit } from "../lists/row-budget.ts";
import type { OrderedRow } from "../lists/window-walk.ts";
import { type DomainRow, recordOf } from "../store/domain-rows.ts";
import { readRow } from "../store/stored-columns.ts";
import type { PageRequest } from "./paging.ts";

export interface ConnectionQuery extends MeteredList {
  readonly cursor: ListCursor;
  readonly page: PageRequest;
}

/** A domain and its place in the order. */
export interface Entry {
  readonly domain: DomainRecord;
  readonly cursor: () => string;
}

export interface Connection {
  entries(): Promise<readonly Entry[]>;
  hasNextPage(): Promise<boolean>;
  hasPreviousPage(): Promise<boolean>;
  totalCount(): Promise<number>;
}

export function openConnection(query: ConnectionQuery): Connection {
  const { page, ordering, meter } = query;
  const reader = createListReader<DomainRow>(query);
  const loaded = once(() => meter.work((admit) => loadPage(reader, page, admit)));
  const keysetOf = (row: OrderedRow<DomainRow>): Keyset => ordering.terms.map((_, at) => row[`order_${at}`] ?? null);
  const isAny = (range: ListRange, most = 1) =>
    meter.work(async (admit) => (await reader.count(range, most, admit)) >= most);
  const isCutOff = async ({ to }: PageRequest) => to !== undefined && (await isAny({}, to + 1));

  return {
    entries: once(async () =>
      (await loaded()).rows.flatMap((row) => {
        const domain = readRow("domains", row.id, row, recordOf);
        return domain === undefined ? [] : [{ domain, cursor: () => query.cursor.print(keysetOf(row)) }];
      }),
    ),
    totalCount: once(() => meter.work((admit) => countAll(query, admit))),
    hasNextPage: once(async () => {
      if (!page.backwards && (await loaded()).more) return true;
      if (page.before === undefined) return isCutOff(page);
      return isAny({ after: page.before, inclusive: true });
    }),
    hasPreviousPage: once(async () => {
      const { more, skipped } = await loaded();
      if (page.backwards && more) return true;
      if (page.after !== undefined) return isAny({ before: page.after, inclusive: true, backwards: true });
      return skipped > 0 && (await isAny({}));
    }),
  };
}

interface LoadedPage {
  readonly rows: readonly OrderedRow<DomainRow>[];
  /** There are further rows in the direction of reading. */
  readonly more: boolean;
  /** Rows of the list before the page that an offset skipped. */
  readonly skipped: number;
}

async function loadPage(reader: ListReader<DomainRow>, page: PageRequest, admit: Admit): Promise<LoadedPage> {
  const { after, before, backwards } = page;
  const byPosition = page.from > 0 || page.to !== undefined;
  if (backwards && byPosition) {
    // Counted from the end, positions are known only after counting the list, at most up to the requested end.
    const end = await reader.count({ after, before }, page.to ?? Infinity, admit);
    const start = Math.max(page.from, end - page.size);
    const rows = end > start ? await reader.rows({ after, before }, { limit: end - start, skip: start }, admit) : [];
    return { rows, more: start > page.from, skipped: start };
  }
  const room = page.to === undefined ? Infinity : Math.max(0, page.to - page.from);
  const limit = Math.min(page.size + 1, room);
  const rows = limit > 0 ? await reader.rows({ after, before, backwards }, { limit, skip: page.from }, admit) : [];
  const kept = rows.slice(0, page.size);
  return { rows: backwards ? kept.toReversed() : kept, more: rows.length > page.size, skipped: page.from };
}

function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => (running ??= work());
}
