/**
 * D1 over Node's own SQLite with the registry's tables, so that unit tests run the real SQL. It covers what is read with:
 * prepare, bind, all, first, run; what only the platform has (limits, batches) is tested inside workerd.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { DomainRecord } from "../../workers/registry/domain/domain.ts";
import { millisecondsOf } from "../../workers/registry/domain/time.ts";
import { stepStatements } from "../../workers/registry/store/domain-steps.ts";

const migration = readFileSync(join(import.meta.dirname, "../../migrations/0002_registry.sql"), "utf8");

/** Those that storing a domain writes to. */
const tables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes"];

export interface RegistryInNode {
  readonly d1: D1Database;
  /** Statements that were run. */
  readonly texts: string[];
  store(record: DomainRecord): void;
  /** The ids for which a condition of the table `domains` holds, and those for which it is null. */
  judge(condition: string, values: readonly (string | number | null)[]): ReadonlyMap<string, boolean | null>;
  clear(): void;
}

export function registryInNode(): RegistryInNode {
  const database = new DatabaseSync(":memory:");
  database.exec(migration);
  const texts: string[] = [];

  function statement(text: string, values: readonly SQLInputValue[] = []): D1PreparedStatement {
    const run = () => {
      texts.push(text);
      return database
        .prepare(text)
        .all(...values)
        .map((row) => ({ ...row }));
    };
    return {
      bind: (...bound: SQLInputValue[]) => statement(text, bound),
      all: () => Promise.resolve({ results: run() }),
      run: () => Promise.resolve({ results: run() }),
      first: () => Promise.resolve(run()[0] ?? null),
    } as unknown as D1PreparedStatement;
  }

  const d1 = { prepare: (text: string) => statement(text) } as unknown as D1Database;
  return {
    d1,
    texts,
    store(record) {
      const step = { before: undefined, after: record, action: "created", actor: "system" } as const;
      for (const each of stepStatements(d1, step, millisecondsOf(record.createdAt))) void each.run();
    },
    judge(condition, values) {
      const rows = database.prepare(`SELECT id, (${condition}) AS holds FROM domains ORDER BY id`).all(...values);
      // SQLite rewrites what stands in WHERE.
      const chosen = database.prepare(`SELECT id FROM domains WHERE ${condition} ORDER BY id`).all(...values);
      const expected = rows.filter((row) => row["holds"] === 1);
      if (chosen.map((row) => row["id"]).join() !== expected.map((row) => row["id"]).join()) {
        throw new Error(`WHERE judges otherwise: ${condition}`);
      }
      return new Map(rows.map((row) => [String(row["id"]), row["holds"] === null ? null : row["holds"] === 1]));
    },
    clear: () => database.exec(tables.map((table) => `DELETE FROM ${table};`).join(" ")),
  };
}
