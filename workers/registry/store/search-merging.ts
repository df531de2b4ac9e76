/**
 * Merges the segments of D1's full-text index. A changed domain adds a segment with its words, and its earlier words stay
 * in the index until the segments are merged.
 */
import type { Database } from "../../../platform/database/database.ts";

/** Pages of 4 KB that one run writes, at most. */
const MERGED_PAGES = 500;

/** One bounded step of merging; nothing if there is one segment of each size. PostgreSQL does this itself. */
export async function mergeSearch(database: Database): Promise<void> {
  await database
    .prepare(`INSERT INTO domain_search (domain_search, rank) VALUES ('merge', ${MERGED_PAGES})`)
    .run();
}
