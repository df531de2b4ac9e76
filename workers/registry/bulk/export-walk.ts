/**
 * All domains that a list would show, page by page in keyset order, with as much in memory as one page (contract/registry.md
 * section 4.2; decisions 5.4). Stored state: what is due may lag by a minute, as in lists.
 */
import type { DomainListQuery } from "../domain/list-query.ts";
import { representationOf } from "../domain/representation.ts";
import { listDomains, type ListPosition } from "../store/domain-list.ts";

/** Domains of a page: between these, so that a page has about as many bytes whatever the domains are like. */
const LEAST = 1;
const MOST = 100;
const FIRST = 25;
/** Bytes of a page that is large enough. */
const PAGE_BYTES = 512 * 1024;

export async function* walkDomains(
  database: D1Database,
  query: DomainListQuery,
  after: ListPosition | undefined,
): AsyncGenerator<readonly object[]> {
  let position = after;
  let limit = FIRST;
  do {
    const page = await listDomains(database, { query, limit, after: position });
    const items = page.domains.map(representationOf);
    const bytes = items.reduce((total, item) => total + roughBytes(item), 0);
    if (items.length > 0) yield items;
    position = page.next;
    limit = nextLimit(limit, bytes);
  } while (position !== undefined);
}

/** Exported for its test. */
export function nextLimit(limit: number, bytes: number): number {
  if (bytes > PAGE_BYTES) return Math.max(LEAST, Math.floor(limit / 2));
  return bytes < PAGE_BYTES / 2 ? Math.min(MOST, limit * 2) : limit;
}

/** Of the two members that can be large. */
function roughBytes({ metadata, document }: { readonly metadata: unknown; readonly document: unknown }): number {
  return JSON.stringify(metadata).length + JSON.stringify(document).length;
}
