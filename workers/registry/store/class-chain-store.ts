/** Chains of classes, each read in one statement; `domain/composite.ts` walks them. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { ANCESTORS } from "../domain/composite.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { DOMAIN_ID_LENGTH } from "../domain/domain-id.ts";
import { didOf } from "../did.ts";
import { domainColumns, recordsOf, type DomainRow } from "./domain-rows.ts";

/** The domain that a class refers to: a DID URL refers to the domain of its DID. An index on `domains.id` finds it. */
const namedDomain = (column: string) =>
  `CASE WHEN substr(${column}, ${DOMAIN_ID_LENGTH + 1}, 1) IN ('', '/', '?', '#')
     THEN substr(${column}, 1, ${DOMAIN_ID_LENGTH}) ELSE ${column} END`;

/** A limit that no chain reaches: PostgreSQL accepts no negative one. */
const UNLIMITED = 1_000_000_000;

/**
 * The stored domains above `id`, by their ids: one more than a composite shows, so that a longer chain can be
 * recognised. A cycle ends the walk at that depth.
 */
export async function readClassChain(database: Database, id: string): Promise<ReadonlyMap<string, DomainRecord>> {
  const { results } = await database
    .prepare(
      `WITH RECURSIVE chain (depth, id, class) AS (
         SELECT 0, id, class FROM domains WHERE id = ?1
         UNION ALL
         SELECT chain.depth + 1, domains.id, domains.class FROM chain JOIN domains ON domains.id = ${namedDomain("chain.class")}
         WHERE chain.depth <= ${ANCESTORS}
       )
       SELECT ${domainColumns} FROM domains WHERE domains.id IN (SELECT id FROM chain WHERE depth > 0)`,
    )
    .bind(id)
    .all<DomainRow>();
  return new Map(recordsOf(results).map((record) => [record.id, record]));
}

export interface AncestorRow extends DomainRow {
  /** Bytes of all domains that the statement found, returned or not. */
  readonly bytes: number;
}

/**
 * Selects the stored domains among `classes` and all domains above them, as `AncestorRow`s; a cycle ends at the maximum
 * depth. Users can make chains of any length: if they have more than `most` bytes together, a single row reports that.
 */
export function ancestorsStatement(database: Database, classes: readonly string[], most: number): Statement {
  return database
    .prepare(
      `WITH RECURSIVE chain (id, depth) AS (
         SELECT domains.id, 1 FROM json_each(?1) AS asked CROSS JOIN domains ON domains.id = asked.value
         UNION SELECT ${namedDomain("domains.class")}, depth + 1 FROM chain JOIN domains ON domains.id = chain.id WHERE depth < ?2
       ), weight (bytes) AS (
         SELECT SUM(octet_length(metadata) + octet_length(document)) FROM domains WHERE id IN (SELECT id FROM chain)
       )
       SELECT ${domainColumns}, (SELECT bytes FROM weight) AS bytes FROM domains WHERE id IN (SELECT id FROM chain)
       LIMIT (SELECT CASE WHEN bytes > ?3 THEN 1 ELSE ${UNLIMITED} END FROM weight)`,
    )
    .bind(JSON.stringify(classes.map(didOf)), ANCESTORS, most);
}
