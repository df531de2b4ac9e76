/**
 * Merges the segments of D1's full-text index. A changed domain adds a segment with its words, and its earlier words stay
 * in the index until the segments are merged.
 */
import type { Database } from "../../../platform/database/database.ts";

/** Pages of 4 KB that one run writes, at most. */
const MERGED_PAGES = 500;

/** Merges two segments of one size, if there are two. PostgreSQL cleans its own index. */
const mergeSql = `
  -- PostgreSQL, not the next line: SELECT 1
  INSERT INTO domain_search (domain_search, rank) VALUES ('merge', ${MERGED_PAGES})`;

export async function mergeSearch(database: Database): Promise<void> {
  await database.prepare(mergeSql).run();
}
