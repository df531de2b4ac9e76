/** The plans of PostgreSQL for statements of ours. */
import type { Database } from "../../../platform/database/database.ts";

export interface Plan {
  /** The tables that are read from their first row to their last one. */
  readonly scanned: readonly string[];
  /** Rows that were read from tables and indexes, including those that a filter removed; 0 if the statement did not run. */
  readonly rowsRead: number;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement if it only reads. */
export async function planOf(
  database: Database,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<Plan> {
  const isRead = /^\s*(?:SELECT|WITH)\b/.test(text);
  const options = isRead ? "ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON" : "FORMAT JSON";
  const explained = database.prepare(`EXPLAIN (${options}) ${text}`).bind(...values);
  const [row] = await explained.raw<[string]>();
  const [root] = JSON.parse(row?.[0] ?? "[]") as readonly { readonly Plan: PlanNode }[];
  const nodes = root === undefined ? [] : nodesOf(root.Plan);
  const ofTables = nodes.filter((node) => node["Relation Name"] !== undefined);
  return {
    scanned: ofTables.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"] ?? ""),
    rowsRead: ofTables.reduce((sum, node) => sum + rowsOf(node), 0),
  };
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The number of rows is an average over the loops. */
function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return ((node["Actual Rows"] ?? 0) + removed) * (node["Actual Loops"] ?? 0);
}
