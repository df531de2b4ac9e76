/** The plans of PostgreSQL for statements of ours. */
import type { Database } from "../../../platform/database/database.ts";

export interface Plan {
  /** The tables that are read from their first row to their last one. */
  readonly scanned: readonly string[];
  /** By steps of the plan; without rows if the statement did not run. */
  readonly reads: readonly TableRead[];
}

export interface TableRead {
  readonly table: string;
  /** Rows or entries that were read, including those that a filter removed. */
  readonly rows: number;
  /** Only the index was read. */
  readonly isIndexOnly: boolean;
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
    reads: ofTables.map((node) => ({
      table: node["Relation Name"] ?? "",
      rows: rowsOf(node),
      isIndexOnly: node["Node Type"] === "Index Only Scan",
    })),
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
