/**
 * Pages of domains for REST, the export and the other surfaces. If an index answers the page in the order of the list,
 * it takes one statement per segment of the order, and none for parts that are not shown. If filters remain that no
 * index answers, the list is walked with the request's row meter (metered-reader.ts).
 */
import type { DomainRecord } from "../domain/domain.ts";
import { PAGE_LENGTH } from "../limits.ts";
import { recordsOf, type DomainRow } from "../store/domain-rows.ts";
import type { AccessPath } from "./access-paths.ts";
import { segmentsOfQuery } from "./domain-order.ts";
import type { DomainListQuery } from "./domain-query.ts";
import { countDomains } from "./domain-total.ts";
import { fewFiltered, narrowedSearch, tooManyToSort, type FewFiltered } from "./filtered-search.ts";
import { matchesOfWords, meteredList, weightOf, type DomainReading } from "./metered-list.ts";
import { createListReader, FEW, fewestOf, walking, type ListReader } from "./metered-reader.ts";
import { placeOf, type Keyset } from "./order.ts";
import { indexOf, pagedStatement, pageStatement, pathsOf, restOf, type PagedRow } from "./page-statements.ts";
import { PROBE_UNITS, type Admit } from "./row-budget.ts";
import { unorderedSearch } from "./unordered-search.ts";

export interface DomainPage {
  readonly domains: readonly DomainRecord[];
  /** The position where the page ended; undefined if nothing follows. */
  readonly next: Keyset | undefined;
  readonly total?: number;
}

export interface PageRequest {
  readonly query: DomainListQuery;
  readonly limit: number;
  readonly after: Keyset | undefined;
  /** Bytes of JSON after which the page ends, however few domains it has; it contains at least one. */
  readonly bytes?: number;
}

export async function listDomains(reading: DomainReading, request: PageRequest): Promise<DomainPage> {
  const { query, limit } = request;
  // Both announce their cost before either reads more than a probe.
  const [rows, total] = await Promise.all([
    reading.meter.work((admit) => readPage(reading, request, admit)),
    query.count ? reading.meter.work((admit) => countDomains(reading, query, admit)) : undefined,
  ]);
  const page = rows.found.slice(0, limit);
  return {
    domains: recordsOf(page.map(({ row }) => row as DomainRow)),
    next: rows.isCut || rows.found.length > page.length ? page.at(-1)?.keyset : undefined,
    ...(total === undefined ? {} : { total }),
  };
}

interface PageRows {
  /** One more row than the page size, if there is one. */
  readonly found: readonly { readonly row: PagedRow; readonly keyset: Keyset }[];
  /** The page reached its byte limit first. */
  readonly isCut: boolean;
}

async function readPage(reading: DomainReading, request: PageRequest, admit: Admit): Promise<PageRows> {
  const way = await chooseWay(reading, request.query);
  return "reader" in way
    ? pageByReader(reading, request, way.reader, admit)
    : pageBySegments(reading, request, way, admit);
}

/** Reads segments until the page is full. Most lists have one segment, and a page seldom spans two. */
async function pageBySegments(
  { database, meter }: DomainReading,
  { query, limit, after, bytes = PAGE_LENGTH }: PageRequest,
  { path, matches }: IndexedWay,
  admit: Admit,
): Promise<PageRows> {
  const segments = segmentsOfQuery(query);
  const start = after === undefined ? undefined : placeOf(after, segments);
  const found: PageRows["found"][number][] = [];
  // Each row of the page, or all rows that a path matches.
  const units = (matches ?? (limit + 1) * (path?.values?.length ?? 1)) * weightOf(query).units;
  const isScan = units > PROBE_UNITS;
  if (isScan) await admit(units);
  let [read, isCut] = [0, false];
  for (const [number, segment] of segments.entries()) {
    if (number < (start?.segment ?? 0) || found.length > limit || isCut) continue;
    const place = number === start?.segment ? { after: start.values } : {};
    const room = { limit: limit + 1 - found.length, bytes: bytes - read };
    const statement = pageStatement(database, { query, path, segment, ...place, ...room });
    meter.allow(1, units);
    const { results } = await meter.run(isScan, () => statement.all<PagedRow>());
    meter.charge(units);
    for (const row of results) {
      read += row.bytes;
      if (row.id === null) isCut = true;
      else
        found.push({ row, keyset: [...segment.prefix, ...segment.columns.map((_, at) => row[`key_${at}`] ?? null)] });
    }
  }
  return { found, isCut };
}

/** The columns that a walk reads of a domain; content is read once the page is known. */
interface Place {
  readonly number: number;
}

type PageReader = Pick<ListReader<Place>, "rows">;

/** Finds the page's domains, then reads their content up to `bytes`. */
async function pageByReader(
  { database, meter }: DomainReading,
  { limit, after, bytes = PAGE_LENGTH }: PageRequest,
  reader: PageReader,
  admit: Admit,
): Promise<PageRows> {
  const places = await reader.rows({ after }, { skip: 0, limit: limit + 1 }, admit);
  const statement = pagedStatement(
    database,
    places.map(({ number }) => number),
    bytes,
  );
  const { results } = await statement.all<PagedRow>();
  meter.charge(places.length);
  const found = results.flatMap((row, at) => {
    const place = places[at];
    const [first, second] = [place?.order_0 ?? null, place?.order_1];
    return row.id === null ? [] : [{ row, keyset: second === undefined ? [first] : [first, second] }];
  });
  return { found, isCut: found.length < results.length };
}

/** A page is read along an index: one in the order of the list, or one that matches few rows. */
interface IndexedWay {
  readonly path: AccessPath | undefined;
  /** Number of rows that the path matches, if all of them are read. */
  readonly matches?: number;
}

/**
 * Chooses the access path. A filter that matches few rows is best; otherwise a filter whose index has the order of the
 * list; otherwise the order alone. The remaining filters are compared row by row, with the meter.
 */
async function chooseWay(
  reading: DomainReading,
  query: DomainListQuery,
): Promise<IndexedWay | { readonly reader: PageReader }> {
  if (query.words !== undefined) return searchWay(reading, query);
  const { field } = query.sort;
  // In its own order, a range is already part of the walk.
  const paths = pathsOf(query).filter(({ member }) => member !== field);
  const [only] = paths;
  const isLeft = (path: AccessPath | undefined) => restOf(query, path) > 0;
  if (only === undefined && !isLeft(undefined)) return { path: undefined };
  if (only !== undefined && paths.length === 1 && indexOf(only, field) !== undefined && !isLeft(only))
    return { path: only };
  const list = meteredList(reading, query);
  const best = await fewestOf(list, paths);
  if (best !== undefined) return best;
  const path = paths.find((each) => indexOf(each, field) !== undefined && !isLeft(each));
  return path === undefined ? { reader: createListReader(list, paths.length === list.paths.length) } : { path };
}

/** The rows of a filter that the words match. */
function fewReader(reading: DomainReading, query: DomainListQuery, few: FewFiltered): PageReader {
  return {
    async rows(range, slice, admit) {
      const narrowed = await narrowedSearch(reading, query, few, admit);
      if (narrowed === undefined) return [];
      const segments = segmentsOfQuery(query).map(narrowed.between);
      return walking<Place>(narrowed.list, segments).rows(range, slice, admit);
    },
  };
}

/**
 * A search by relevance walks its index. With filters it reads each match; in any other order, there must be few matches.
 */
async function searchWay(
  reading: DomainReading,
  query: DomainListQuery,
): Promise<IndexedWay | { readonly reader: PageReader }> {
  if (reading.database.hasUnorderedSearch === true) return { reader: unorderedSearch(reading, query) };
  const isLeft = restOf(query, undefined) > 0;
  const isRelevance = query.sort.field === "relevance";
  if (isRelevance && !isLeft) return { path: undefined };
  const matches = await matchesOfWords(reading, query);
  if (matches <= FEW) return { path: undefined, matches };
  const few = isRelevance ? await fewFiltered(reading, query) : undefined;
  if (few !== undefined) return { reader: fewReader(reading, query, few) };
  if (isRelevance) return { reader: walking(meteredList(reading, query), segmentsOfQuery(query)) };
  throw tooManyToSort();
}
