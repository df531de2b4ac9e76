/**
 * The order of REST's list of domains: as segments of indexes or of the full-text index, as the content of its cursors,
 * and as the position of a domain.
 */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import { allOf, SEARCH_ROWID, type SqlValue } from "../store/sql.ts";
import { cursorOf, type ListCursor } from "./cursor.ts";
import type { DomainListQuery, SortField } from "./domain-query.ts";
import { orderingOf, segmentsOf, type Keyset, type Ordering, type Segment } from "./order.ts";

export function segmentsOfQuery({ sort: { field, descending }, words }: DomainListQuery): readonly Segment[] {
  const match = words === undefined ? "" : matchOf(words);
  if (field === "relevance") {
    return tiersOf(match).map((text, tier) => ({
      source: searchSource,
      where: ({ bind }) => `domain_search MATCH ${bind(text)}`,
      columns: [SEARCH_ROWID],
      descending: true,
      prefix: [tier],
    }));
  }
  const ordering = orderingOf([orderNameOf(field, descending)]);
  const segments = segmentsOf(ordering) ?? [];
  if (words === undefined) return segments;
  return segments.map((segment) => ({
    ...segment,
    source: searchSource,
    where: (bindings) => allOf([`domain_search MATCH ${bindings.bind(match)}`, segment.where(bindings)]),
  }));
}

/** First domains with all words in the name, then domains with all words anywhere; newest first in each group. */
export function tiersOf(match: string): readonly string[] {
  return [inName(match), `(${match}) NOT (${inName(match)})`];
}

export const inName = (match: string) => `{name} : (${match})`;

/** The order in the form that metered lists use. Relevance is the order of the full-text index. */
export function orderingOfQuery({ sort: { field, descending } }: DomainListQuery): Ordering {
  if (field !== "relevance") return orderingOf([orderNameOf(field, descending)]);
  return { terms: [{ sql: SEARCH_ROWID, nullable: false, descending: true }] };
}

export const searchSource = "domain_search CROSS JOIN domains ON domains.number = domain_search.rowid";

function orderNameOf(field: Exclude<SortField, "relevance">, descending: boolean): string {
  return `${orderNames[field]}_${descending ? "DESC" : "ASC"}`;
}

const orderNames: Readonly<Record<Exclude<SortField, "relevance">, string>> = {
  createdAt: "CREATED_AT",
  updatedAt: "UPDATED_AT",
  name: "NAME",
  type: "TYPE",
  validFrom: "START_DATE",
  validUntil: "END_DATE",
  id: "ID",
};

/** Minimum letters of a last word for a prefix search: shorter prefixes match too many words, and have no index. */
const SHORTEST_PREFIX = 2;

/** Words are letters and digits, so a quoted word contains no syntax of the index. */
export function matchOf(words: readonly string[]): string {
  const isPrefix = Array.from(words.at(-1) ?? "").length >= SHORTEST_PREFIX;
  return `${words.map((word) => `"${word}"`).join(" AND ")}${isPrefix ? " *" : ""}`;
}

/** Its cursors are bound to the filters and the order. */
export function cursorOfDomains({ equal, times, words, sort }: DomainListQuery): ListCursor {
  return cursorOf(["domains", equal, times, words, sort]);
}

/** The content of the list's cursors. */
export function keysetSchema({ sort: { field } }: DomainListQuery) {
  if (field === "id") return z.tuple([z.string()]);
  if (field === "relevance") return z.tuple([z.int().min(0).max(1), z.int()]);
  const isText = field === "name" || field === "type";
  return z.tuple([(isText ? z.string() : z.int()).nullable(), z.string()]);
}

/** The position of a domain in this list; undefined if no domain has that id. */
export async function keysetOfDomain(
  database: Database,
  { sort, words = [] }: DomainListQuery,
  id: string,
): Promise<Keyset | undefined> {
  if (sort.field === "relevance") {
    const hit = "SELECT 1 FROM domain_search WHERE domain_search.rowid = domains.number AND domain_search MATCH ?";
    const row = await database
      .prepare(`SELECT number, EXISTS (${hit}) AS named FROM domains WHERE id = ?`)
      .bind(inName(matchOf(words)), id)
      .first<{ number: number; named: number }>();
    return row === null ? undefined : [row.named === 1 ? 0 : 1, row.number];
  }
  const { terms } = orderingOf([orderNameOf(sort.field, sort.descending)]);
  const keys = terms.map(({ sql }, at) => `${sql} AS key_${at}`).join(", ");
  const found = await database
    .prepare(`SELECT ${keys} FROM domains WHERE id = ?`)
    .bind(id)
    .first<Record<string, SqlValue>>();
  return found === null ? undefined : terms.map((_, at) => found[`key_${at}`] ?? null);
}
