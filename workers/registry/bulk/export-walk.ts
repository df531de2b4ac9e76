/**
 * All domains that a list would contain, page by page in keyset order, with one page in memory. It reads the stored
 * state, so a decision that has fallen due may appear up to a minute late, as in lists.
 */
import type { Database } from "../../../platform/database/database.ts";
import type { DomainListQuery } from "../lists/domain-query.ts";
import { representationOf } from "../domain/representation.ts";
import { listDomains } from "../lists/domain-page.ts";
import type { RowMeter } from "../lists/row-budget.ts";
import type { Keyset } from "../lists/order.ts";

/** Maximum domains per page, and bytes of JSON after which a page ends. */
const MOST = 100;
export const PAGE_BYTES = 512 * 1024;

/** Each page is metered like a separate request. */
export async function* walkDomains(
  { database, meterOf }: { readonly database: Database; readonly meterOf: () => RowMeter },
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
