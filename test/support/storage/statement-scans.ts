/** The steps of a statement whose cost grows with its tables, on the engine of the test (test-database.ts). */
import type { Database } from "../../../platform/database/database.ts";
import { planOf } from "./postgres-plans.ts";
import { isPostgres } from "./engine.ts";

/** Scans and sorts of a statement, over tables that the test has filled. */
export async function costlySteps(
  database: Database,
  statement: { readonly text: string; readonly values: readonly unknown[] },
): Promise<readonly string[]> {
  if (isPostgres) {
    // Its plans depend on what it knows of the rows.
    await database.prepare("ANALYZE").run();
    return (await planOf(database, statement)).scanned;
  }
  const explained = database.prepare(`EXPLAIN QUERY PLAN ${statement.text}`).bind(...statement.values);
  const { results } = await explained.all<{ detail: string }>();
  return results.map(({ detail }) => detail).filter((step) => step.startsWith("SCAN") || step.includes("TEMP B-TREE"));
}
