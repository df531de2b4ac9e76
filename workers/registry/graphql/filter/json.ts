/**
 * Operators on JSON (contract/registry.md section 7.2). Equality is of values: the order of an object's members and the
 * spelling of a number do not count.
 */
import type { JsonValue } from "../../../platform/json.ts";
import type { Bindings } from "./bindings.ts";
import { isNull } from "./comparison.ts";
import { allOf } from "./conditions.ts";
import { contains, leavesOf } from "./json-contains.ts";

export interface JsonColumn {
  readonly kind: "json";
  /** An expression whose value is JSON text. */
  readonly sql: string;
  /** A condition that holds for every row that contains the item, and that an index answers. */
  readonly impliedBy?: (wanted: JsonValue, bindings: Bindings) => string | undefined;
}

export const jsonOperators = {
  value: ["equalTo", "notEqualTo", "distinctFrom", "notDistinctFrom", "contains"],
  list: ["in", "notIn"],
  name: ["containsKey"],
  names: ["containsAllKeys", "containsAnyKeys"],
} as const;

export function jsonCondition(column: JsonColumn, operator: string, operand: unknown, bindings: Bindings): string {
  const { sql } = column;
  const { bind } = bindings;
  const oneOf = (values: readonly unknown[]) =>
    equalsAny(sql, bind(JSON.stringify(values.map((each) => JSON.stringify(each)))));
  switch (operator) {
    case "isNull":
      return isNull(sql, operand as boolean, bindings);
    case "equalTo":
    case "notDistinctFrom":
      return oneOf([operand]);
    case "notEqualTo":
    case "distinctFrom":
      return `NOT ${oneOf([operand])}`;
    case "in":
      return oneOf(operand as unknown[]);
    case "notIn":
      return `NOT ${oneOf(operand as unknown[])}`;
    case "containsKey":
      return hasKeys(sql, bind(JSON.stringify([operand])), "ANY");
    case "containsAnyKeys":
      return hasKeys(sql, bind(JSON.stringify(operand)), "ANY");
    case "containsAllKeys":
      return hasKeys(sql, bind(JSON.stringify(operand)), "ALL");
    case "contains": {
      const wanted = operand as JsonValue;
      const implied = column.impliedBy?.(wanted, bindings);
      return allOf([...(implied === undefined ? [] : [implied]), contains(sql, wanted, bindings)]);
    }
    default:
      throw new Error("the schema let an operator pass that JSON has not");
  }
}

/** How often the operator opens the row's JSON: for each value that it compares with, once for any number of names. */
export function valuesOf(operator: string, operand: unknown): number {
  if (operator === "contains") return leavesOf(operand as JsonValue);
  return jsonOperators.list.some((each) => each === operator) ? Math.max(1, (operand as readonly unknown[]).length) : 1;
}

/** The nodes of a value: where, of which type, with which scalar. A number is one whether it is written 1 or 1.0. */
function nodesOf(json: string): string {
  return `SELECT fullkey, replace(type, 'real', 'integer'), atom FROM json_tree(${json})`;
}

/** Two values are equal when they have as many nodes, and all those of the one. `list` holds JSON texts. */
function equalsAny(sql: string, list: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${list}) AS wanted WHERE json_type(${sql}) IS NOT NULL
    AND (SELECT count(*) FROM json_tree(${sql})) = (SELECT count(*) FROM json_tree(wanted.value))
    AND NOT EXISTS (${nodesOf("wanted.value")} EXCEPT ${nodesOf(sql)}))`;
}

/** A key of an object, or a text in a list. The row's JSON is walked once, however many names there are. */
function hasKeys(sql: string, names: string, how: "ANY" | "ALL"): string {
  const keys = `SELECT CASE json_type(${sql}) WHEN 'object' THEN key ELSE atom END AS name FROM json_each(${sql})
    WHERE json_type(${sql}) = 'object' OR (json_type(${sql}) = 'array' AND type = 'text')`;
  const wanted = `SELECT value FROM json_each(${names})`;
  return how === "ANY"
    ? `EXISTS (SELECT 1 FROM (${keys}) AS held WHERE held.name IN (${wanted}))`
    : `NOT EXISTS (${wanted} EXCEPT ${keys})`;
}
