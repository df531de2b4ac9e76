/** Reads a chain of classes in one statement (contract/registry.md section 4.3); `domain/composite.ts` walks it. */
import { ANCESTORS } from "../domain/composite.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { domainColumns, recordOf, type DomainRow } from "./domain-rows.ts";

/**
 * The domains above `id`, by their ids, as they are stored: one more than a composite shows, so that a longer chain can
 * be told. A cycle only ends the walk at that depth.
 */
export async function readClassChain(database: D1Database, id: string): Promise<ReadonlyMap<string, DomainRecord>> {
  const { results } = await database
    .prepare(
      `WITH RECURSIVE chain (depth, id, class) AS (
         SELECT 0, id, class FROM domains WHERE id = ?1
         UNION ALL
         SELECT chain.depth + 1, domains.id, domains.class FROM chain JOIN domains ON domains.id = chain.class
         WHERE chain.depth <= ${ANCESTORS}
       )
       SELECT ${domainColumns} FROM domains WHERE domains.id IN (SELECT id FROM chain WHERE depth > 0)`,
    )
    .bind(id)
    .all<DomainRow>();
  return new Map(results.map((row) => [row.id, recordOf(row)]));
}
