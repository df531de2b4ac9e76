/** The registry's tables for unit tests: the real statements store domains, and the engine evaluates conditions. */
import type { Database } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { stepStatements } from "../../../workers/registry/store/domain-steps.ts";
import { domainTables } from "./slowed-domains.ts";
import { testDatabase } from "../storage/test-database.ts";

export interface RegistryInNode {
  readonly d1: Database;
  /** The executed statements. */
  readonly texts: string[];
  store(record: DomainRecord): Promise<void>;
  /** The ids for which a condition on the table `domains` is true, and those for which it is null. */
  judge(condition: string, values: readonly (string | number | null)[]): Promise<ReadonlyMap<string, boolean | null>>;
  clear(): Promise<void>;
}

export function registryInNode(): RegistryInNode {
  const texts: string[] = [];
  const d1 = testDatabase(undefined, (text) => void texts.push(text));
  return {
    d1,
    texts,
    // SQLite has stored it before the first pause, for callers that cannot wait.
    async store(record) {
      const step = { before: undefined, after: record, action: "created", actor: "system" } as const;
      await d1.batch([...stepStatements(d1, step)]);
    },
    async judge(condition, values) {
      const [judged, chosen] = await d1.batch<JudgedRow>([
        d1.prepare(`SELECT id, (${condition}) AS holds FROM domains ORDER BY id`).bind(...values),
        // SQLite rewrites conditions in WHERE.
        d1.prepare(`SELECT id FROM domains WHERE ${condition} ORDER BY id`).bind(...values),
      ]);
      const rows = judged?.results ?? [];
      const expected = rows.filter(({ holds }) => holds === 1).map(({ id }) => id);
      if (chosen?.results.map(({ id }) => id).join() !== expected.join()) {
        throw new Error(`WHERE judges otherwise: ${condition}`);
      }
      return new Map(rows.map(({ id, holds }) => [id, holds === null ? null : holds === 1]));
    },
    async clear() {
      await d1.batch(domainTables.map((table) => d1.prepare(`DELETE FROM ${table}`)));
    },
  };
}

interface JudgedRow {
  readonly id: string;
  readonly holds: number | null;
}
