/**
 * The operators that every ordered column has (contract/registry.md section 7.2): SQL null logic, so that a null value
 * is neither equal nor unequal; `distinctFrom` counts it as a value of its own. An empty `in` matches nothing.
 */
import type { Bindings, SqlValue } from "./bindings.ts";

/** Makes a condition on `expression`, which is SQL of ours. `operand` is as the schema has coerced it, never null. */
export type Operator<Operand = unknown> = (expression: string, operand: Operand, bindings: Bindings) => string;

export const isNull: Operator<boolean> = (expression, operand) => `${expression} IS ${operand ? "NULL" : "NOT NULL"}`;

/** Of values that SQLite compares as they are: numbers, and texts by their code points. */
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
} satisfies Record<string, Operator<readonly SqlValue[]>>;
