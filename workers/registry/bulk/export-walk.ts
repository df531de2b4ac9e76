/**
 * All domains that a list would show, page by page in keyset order, with as much in memory as one page. Stored state: what is due
 * may lag by a minute, as in lists.
 */
import type { DomainListQuery } from "../lists/domain-query.ts";
import { representationOf } from "../domain/representation.ts";
import { listDomains } from "../lists/domain-page.ts";
import type { RowMeter } from "../lists/row-budget.ts";
import type { Keyset } from "../lists/order.ts";

/** Domains of a page at the most, and bytes of JSON after which it ends. */
const MOST = 100;
export const PAGE_BYTES = 512 * 1024;

/** Each page is metered like a request of its own. */
export async function* walkDomains(
  { database, meterOf }: { readonly database: D1Database; readonly meterOf: () => RowMeter },
  query: DomainListQuery,
  after: Keyset | undefined,
): AsyncGenerator<readonly object[]> {
  let position = after;
  do {
    const meter = meterOf();
    let page;
    try {
      page = await listDomains({ database, meter }, { query, limit: MOST, bytes: PAGE_BYTES, after: position });
    } finally {
      await meter.close();
    }
    if (page.domains.length > 0) yield page.domains.map(representationOf);
    position = page.next;
  } while (position !== undefined);
}
