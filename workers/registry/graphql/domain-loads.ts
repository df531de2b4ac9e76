/**
 * What the fields of one request read, batched: domains by id as they are now, and what they inherit. `entity(id)` reads
 * the settled domain, lists the stored one (contract/registry.md section 6.5).
 */
import { ANCESTORS, classChain, compositeDocument } from "../domain/composite.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { isDomainId } from "../domain/did.ts";
import { domainColumns, recordOf, type DomainRow } from "../store/domain-rows.ts";
import { loadManySettled } from "../store/settled-domain.ts";
import { createBatchLoader } from "./batch-loader.ts";

export type CompositeDocument = ReturnType<typeof compositeDocument>;

export interface DomainLoads {
  /** Undefined when there is none; what is no id of a domain is not asked for. */
  settled(id: string): Promise<DomainRecord | undefined>;
  composite(domain: DomainRecord): Promise<CompositeDocument>;
}

/** `now` in Unix milliseconds: all of one request is read as of one instant. */
export function createDomainLoads(database: D1Database, now: number): DomainLoads {
  const settled = createBatchLoader(async (ids) => {
    const found = await loadManySettled(database, ids, now);
    return new Map(found.map(({ domain }) => [domain.id, domain]));
  });
  // The value is the same for all keys: everything found above any of them.
  const ancestors = createBatchLoader(async (classes) => {
    const stored = await readAncestors(database, classes);
    return new Map(classes.map((each) => [each, stored]));
  });
  const composites = new WeakMap<DomainRecord, Promise<CompositeDocument>>();

  async function compose(domain: DomainRecord): Promise<CompositeDocument> {
    const stored = (await ancestors(domain.class)) ?? new Map<string, DomainRecord>();
    return compositeDocument(domain, classChain(domain, stored).domains);
  }

  return {
    settled: async (id) => (isDomainId(id) ? settled(id) : undefined),
    composite(domain) {
      const composite = composites.get(domain) ?? compose(domain);
      composites.set(domain, composite);
      return composite;
    },
  };
}

/** The classes that are stored, with all above them, in one statement; a circle ends with its depth. */
async function readAncestors(
  database: D1Database,
  classes: readonly string[],
): Promise<ReadonlyMap<string, DomainRecord>> {
  const { results } = await database
    .prepare(
      `WITH RECURSIVE chain (id, depth) AS (
         SELECT value, 1 FROM json_each(?1)
         UNION SELECT domains.class, depth + 1 FROM chain JOIN domains ON domains.id = chain.id WHERE depth < ?2
       )
       SELECT ${domainColumns} FROM domains WHERE id IN (SELECT id FROM chain)`,
    )
    .bind(JSON.stringify(classes), ANCESTORS)
    .all<DomainRow>();
  return new Map(results.map((row) => [row.id, recordOf(row)]));
}
