/**
 * The operators of every ordered column, with SQL null logic: null is neither equal nor unequal; `distinctFrom` treats
 * it as a value. An empty `in` matches nothing.
 */
import type { Bindings, SqlValue } from "../../store/sql.ts";

/** Builds a condition on `expression`, which is our own SQL. `operand` is coerced by the schema and never null. */
export type Operator<Operand = unknown> = (expression: string, operand: Operand, bindings: Bindings) => string;

export const isNull: Operator<boolean> = (expression, operand) => `${expression} IS ${operand ? "NULL" : "NOT NULL"}`;

/** For values that SQLite compares directly: numbers, and texts by their code points. */
export const comparisons = {
  equalTo: (expression, operand, { bind }) => `${expression} = ${bind(operand)}`,
  notEqualTo: (expression, operand, { bind }) => `${expression} <> ${bind(operand)}`,
  distinctFrom: (expression, operand, { bind }) => `${expression} IS NOT ${bind(operand)}`,
  notDistinctFrom: (expression, operand, { bind }) => `${expression} IS ${bind(operand)}`,
  lessThan: (expression, operand, { bind }) => `${expression} < ${bind(operand)}`,
  lessThanOrEqualTo: (expression, operand, { bind }) => `${expression} <= ${bind(operand)}`,
  greaterThan: (expression, operand, { bind }) => `${expression} > ${bind(operand)}`,
  greaterThanOrEqualTo: (expression, operand, { bind }) => `${expression} >= ${bind(operand)}`,
} satisfies Record<string, Operator<SqlValue>>;

export const memberships = {
  in: (expression, operand, { bind }) =>
    `${expression} IN (SELECT value FROM json_each(${bind(JSON.stringify(operand))}))`,
  notIn: (expression, operand, { bind }) =>
    `${expression} NOT IN (SELECT value FROM json_each(${bind(JSON.stringify(operand))}))`,
} satisfies Record<string, Operator<readonly string[]>>;

/** Integers, times (milliseconds) and booleans (0 and 1). */
export interface NumberColumn {
  readonly kind: "integer" | "time" | "boolean";
  readonly sql: string;
}

export const numberOperators = { single: Object.keys(comparisons), list: Object.keys(memberships) } as const;

/** `operand` is a number, a boolean or a list of them, as the schema ensures. */
export function numberCondition(column: NumberColumn, operator: string, operand: unknown, bindings: Bindings): string {
  if (operator === "isNull") return isNull(column.sql, operand as boolean, bindings);
  if (operator === "in" || operator === "notIn") {
    const values = bindings.bind(JSON.stringify((operand as unknown[]).map(Number)));
    // On PostgreSQL, the values of a list are texts.
    return `${column.sql} ${operator === "in" ? "IN" : "NOT IN"} (SELECT CAST(value AS INTEGER) FROM json_each(${values}))`;
  }
  return comparisons[operator as keyof typeof comparisons](column.sql, Number(operand), bindings);
}
