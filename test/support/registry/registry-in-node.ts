/** The registry's tables in memory, for unit tests: the real statements store domains, and SQLite evaluates conditions. */
import type { Database } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { stepStatements } from "../../../workers/registry/store/domain-steps.ts";
import { domainTables } from "./slowed-domains.ts";
import { d1Over, registryMigrations, sqliteWith } from "../storage/sqlite-database.ts";

export interface RegistryInNode {
  readonly d1: Database;
  /** The executed statements. */
  readonly texts: string[];
  store(record: DomainRecord): void;
  /** The ids for which a condition on the table `domains` is true, and those for which it is null. */
  judge(condition: string, values: readonly (string | number | null)[]): ReadonlyMap<string, boolean | null>;
  clear(): void;
}

export function registryInNode(): RegistryInNode {
  const database = sqliteWith(registryMigrations);
  const texts: string[] = [];
  const d1 = d1Over(database, (text) => void texts.push(text));
  return {
    d1,
    texts,
    store(record) {
      const step = { before: undefined, after: record, action: "created", actor: "system" } as const;
      // Each statement runs at once, whether or not it is awaited.
      for (const each of stepStatements(d1, step)) void each.run();
    },
    judge(condition, values) {
      const rows = database.prepare(`SELECT id, (${condition}) AS holds FROM domains ORDER BY id`).all(...values);
      // SQLite rewrites conditions in WHERE.
      const chosen = database.prepare(`SELECT id FROM domains WHERE ${condition} ORDER BY id`).all(...values);
      const expected = rows.filter((row) => row["holds"] === 1);
      if (chosen.map((row) => row["id"]).join() !== expected.map((row) => row["id"]).join()) {
        throw new Error(`WHERE judges otherwise: ${condition}`);
      }
      return new Map(rows.map((row) => [String(row["id"]), row["holds"] === null ? null : row["holds"] === 1]));
    },
    clear: () => database.exec(domainTables.map((table) => `DELETE FROM ${table};`).join(" ")),
  };
}
