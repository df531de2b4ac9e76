/** Puts SQL conditions together. Balanced, since SQLite bounds the depth of an expression (100 levels in D1). */

export const TRUE = "1";
export const FALSE = "0";

export function allOf(conditions: readonly string[]): string {
  return balanced(conditions, "AND", TRUE);
}

export function anyOf(conditions: readonly string[]): string {
  return balanced(conditions, "OR", FALSE);
}

function balanced(conditions: readonly string[], operator: "AND" | "OR", none: string): string {
  const [only = none] = conditions;
  if (conditions.length <= 1) return only;
  const middle = conditions.length >> 1;
  const [left, right] = [conditions.slice(0, middle), conditions.slice(middle)];
  return `(${balanced(left, operator, none)} ${operator} ${balanced(right, operator, none)})`;
}
