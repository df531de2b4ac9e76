/** Operators on integers, times (milliseconds) and booleans (0 and 1). */
import type { Bindings } from "./bindings.ts";
import { comparisons, isNull, memberships } from "./comparison.ts";

export interface NumberColumn {
  readonly kind: "integer" | "time" | "boolean";
  readonly sql: string;
}

export const numberOperators = { single: Object.keys(comparisons), list: Object.keys(memberships) } as const;

/** `operand` is a number, a boolean or a list of them: the schema has seen to it. */
export function numberCondition(column: NumberColumn, operator: string, operand: unknown, bindings: Bindings): string {
  if (operator === "isNull") return isNull(column.sql, operand as boolean, bindings);
  if (operator === "in" || operator === "notIn") {
    return memberships[operator](column.sql, (operand as unknown[]).map(Number), bindings);
  }
  return comparisons[operator as keyof typeof comparisons](column.sql, Number(operand), bindings);
}
