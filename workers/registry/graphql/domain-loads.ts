/**
 * What the fields of one request read, batched: domains by id as they are now, and what they inherit. `entity(id)` reads
 * the effective domain, lists the stored one.
 */
import { classChain, compositeDocument } from "../domain/composite.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { isDomainId } from "../domain/domain-id.ts";
import { ancestorsStatement, type AncestorRow } from "../store/class-chain-store.ts";
import { recordsOf } from "../store/domain-rows.ts";
import { readEffectiveDomains } from "../store/effective-domain.ts";
import { READ_LENGTH, type AnswerBudget } from "./answer-budget.ts";
import { createBatchLoader } from "./batch-loader.ts";
import { refusedQuery } from "../store/refused-query.ts";

export type CompositeDocument = ReturnType<typeof compositeDocument>;

export interface DomainLoads {
  /** Undefined when there is none; what is no id of a domain is not asked for. */
  effective(id: string): Promise<DomainRecord | undefined>;
  composite(domain: DomainRecord): Promise<CompositeDocument>;
}

/** `now` in Unix milliseconds: all of one request is read as of one instant. */
export function createDomainLoads(database: D1Database, now: number, budget: AnswerBudget): DomainLoads {
  const effective = createBatchLoader(async (ids) => {
    const found = await readEffectiveDomains(database, ids, now);
    return new Map(found.map((domain) => [domain.id, domain]));
  });
  // The value is the same for all keys: everything found above any of them.
  const ancestors = createBatchLoader(async (classes) => {
    const stored = await readAncestors(database, budget, classes);
    return new Map(classes.map((each) => [each, stored]));
  });
  const composites = new WeakMap<DomainRecord, Promise<CompositeDocument>>();

  async function compose(domain: DomainRecord): Promise<CompositeDocument> {
    const stored = (await ancestors(domain.class)) ?? new Map<string, DomainRecord>();
    const composite = compositeDocument(domain, classChain(domain, stored).domains);
    budget.hold(composite);
    return composite;
  }

  return {
    effective: async (id) => (isDomainId(id) ? effective(id) : undefined),
    composite(domain) {
      const composite = composites.get(domain) ?? compose(domain);
      composites.set(domain, composite);
      return composite;
    },
  };
}

/** Everything that is stored above any of the classes, themselves among it. */
async function readAncestors(
  database: D1Database,
  budget: AnswerBudget,
  classes: readonly string[],
): Promise<ReadonlyMap<string, DomainRecord>> {
  const statement = ancestorsStatement(database, classes, READ_LENGTH);
  const rows = await budget.read(async () => (await statement.all<AncestorRow>()).results);
  if (rows.some(({ bytes }) => bytes > READ_LENGTH)) {
    throw refusedQuery(
      "query_too_costly",
      "The classes of these domains are too large together; ask for smaller pages",
    );
  }
  return new Map(recordsOf(rows).map((record) => [record.id, record]));
}
