/** Operators on lists of texts. Only `equalTo` depends on the order. */
import { allOf, type Bindings } from "../../store/sql.ts";
import { isNull } from "./comparison.ts";

export interface TextListColumn {
  readonly kind: "text-list";
  /** An expression whose value is a JSON list of texts. */
  readonly sql: string;
  /** The condition "has one of", where `values` is a subquery of texts. Present if an index answers it. */
  readonly hasOneOf?: (values: string) => string;
}

export const textListOperators = {
  list: ["equalTo", "notEqualTo", "contains", "containedBy", "overlaps"],
  text: ["anyEqualTo", "anyNotEqualTo"],
} as const;

export function textListCondition(
  { sql, hasOneOf = (values) => anyItem(sql, `IN (${values})`) }: TextListColumn,
  operator: string,
  operand: unknown,
  bindings: Bindings,
): string {
  const { bind } = bindings;
  const wanted = () => bind(JSON.stringify(operand));
  switch (operator) {
    case "isNull":
      return isNull(sql, operand as boolean, bindings);
    case "equalTo":
      return equals(sql, wanted());
    case "notEqualTo":
      return `NOT ${equals(sql, wanted())}`;
    case "contains": {
      const [first] = operand as unknown[];
      const likely = first === undefined ? [] : [hasOneOf(`SELECT json_extract(${wanted()}, '$[0]')`)];
      return allOf([...likely, `NOT EXISTS (${itemsOf(wanted())} EXCEPT ${itemsOf(sql)})`]);
    }
    case "containedBy":
      return `NOT EXISTS (${itemsOf(sql)} EXCEPT ${itemsOf(wanted())})`;
    case "overlaps":
      return hasOneOf(itemsOf(wanted()));
    case "anyEqualTo":
      return hasOneOf(`SELECT ${bind(operand as string)}`);
    case "anyNotEqualTo":
      return anyItem(sql, `<> ${bind(operand as string)}`);
    default:
      throw new Error("the schema accepted an operator that the list does not support");
  }
}

function equals(one: string, other: string): string {
  const items = (list: string) => `SELECT key, value FROM json_each(${list})`;
  return `(json_array_length(${one}) = json_array_length(${other})
    AND NOT EXISTS (${items(one)} EXCEPT ${items(other)}))`;
}

function itemsOf(list: string): string {
  return `SELECT value FROM json_each(${list})`;
}

function anyItem(sql: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${sql}) AS item WHERE item.value ${condition})`;
}
