/**
 * Batches the reads of all fields of one request: domains by id in their effective state, and the content that they
 * inherit. Lists show the stored state.
 */
import type { Database } from "../../../platform/database/database.ts";
import { classChain, compositeDocument } from "../domain/composite.ts";
import { isDomainId } from "../domain/domain-id.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { type AncestorRow, ancestorsStatement } from "../store/class-chain-store.ts";
import { recordsOf } from "../store/domain-rows.ts";
import { readEffectiveDomains } from "../store/effective-domain.ts";
import { refusedQuery } from "../store/refused-query.ts";
import { type AnswerBudget, READ_LENGTH } from "./answer-budget.ts";

export type CompositeDocument = ReturnType<typeof compositeDocument>;

export interface DomainLoads {
  /** Undefined if there is no such domain; invalid ids are not looked up. */
  effective(id: string): Promise<DomainRecord | undefined>;
  composite(domain: DomainRecord): Promise<CompositeDocument>;
}

/** `now` in Unix milliseconds: all reads of one request refer to one instant. */
export function createDomainLoads(database: Database, now: number, budget: AnswerBudget): DomainLoads {
  const effective = createBatchLoader(async (ids) => {
    const found = await readEffectiveDomains(database, ids, now);
    return new Map(found.map((domain) => [domain.id, domain]));
  });
  // One value for all keys: all classes found above any of them.
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

/** All stored domains above any of the classes, including the classes. */
async function readAncestors(
  database: Database,
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

/** `load` returns the existing values in any order; a missing key has no value. */
export function createBatchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const known = new Map<string, Promise<Value | undefined>>();
  let waiting: { readonly keys: string[]; readonly answer: Promise<ReadonlyMap<string, Value>> } | undefined;

  function join(key: string): Promise<ReadonlyMap<string, Value>> {
    if (waiting === undefined) {
      const keys: string[] = [];
      // After the microtasks of the resolvers that run now.
      const answer = Promise.resolve().then(() => {
        waiting = undefined;
        return load(keys);
      });
      waiting = { keys, answer };
    }
    waiting.keys.push(key);
    return waiting.answer;
  }

  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = join(key).then((values) => values.get(key));
    known.set(key, value);
    return value;
  };
}
