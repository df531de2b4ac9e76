/**
 * `contains` on JSON (contract/registry.md section 7.2), a subset test: an object's members recursively, each wanted item
 * of a list somewhere in the list. Names and scalars of the caller are a parameter; no path is ever built of them.
 */
import { depthOf, isJsonObject, type JsonValue } from "../../../platform/json.ts";
import { refusal } from "../refusal.ts";
import type { Bindings } from "./bindings.ts";
import { allOf, anyOf } from "./conditions.ts";

/** Levels and values of what is looked for: each is a subquery for every row. An empty list or object counts as a value. */
export const CONTAINS_DEPTH = 5;
export const CONTAINS_LEAVES = 20;

export function contains(sql: string, wanted: JsonValue, { bind }: Bindings): string {
  // The depth first: what counts the leaves recurses.
  if (depthOf(wanted) > CONTAINS_DEPTH || leavesOf(wanted) > CONTAINS_LEAVES) {
    const bounds = `${CONTAINS_DEPTH} levels deep and for ${CONTAINS_LEAVES} values`;
    throw refusal("query_too_costly", `contains may look at most ${bounds}`);
  }
  const operands = [...new Set(operandsOf(wanted))];
  const list = operands.length === 0 ? "" : bind(JSON.stringify(operands));
  const operand = (value: string | number) => `json_extract(${list}, '$[${operands.indexOf(value)}]')`;
  let aliases = 0;

  /** `value` is SQL for a scalar's value, `json` for the text of a list or an object. */
  function holds(type: string, value: string, json: string, part: JsonValue): string {
    // Of a scalar nothing is opened: SQLite may evaluate this before the test of the type.
    const items = `json_each(CASE WHEN ${type} IN ('array', 'object') THEN ${json} ELSE '[]' END)`;
    const some = (condition: (alias: string) => string) => {
      const alias = `item_${(aliases += 1)}`;
      return `EXISTS (SELECT 1 FROM ${items} AS ${alias} WHERE ${condition(alias)})`;
    };
    const holdsItem = (alias: string, each: JsonValue) =>
      holds(`${alias}.type`, `${alias}.value`, `${alias}.value`, each);
    if (isList(part)) {
      return allOf([`${type} = 'array'`, ...part.map((each) => some((alias) => holdsItem(alias, each)))]);
    }
    if (isJsonObject(part)) {
      const members = membersOf(part).map(([name, each]) =>
        some((alias) => allOf([`${alias}.key = ${operand(name)}`, holdsItem(alias, each)])),
      );
      return allOf([`${type} = 'object'`, ...members]);
    }
    if (part === null) return `${type} = 'null'`;
    if (typeof part === "boolean") return `${type} = '${part ? "true" : "false"}'`;
    const types = typeof part === "string" ? ["text"] : ["integer", "real"];
    return allOf([anyOf(types.map((each) => `${type} = '${each}'`)), `${value} = ${operand(part)}`]);
  }

  // Not the text itself: "equals a constant" in WHERE makes SQLite put the constant into json_type as well.
  return holds(`json_type(${sql})`, `json_extract(${sql}, '$')`, sql, wanted);
}

/** Values that are looked for, each by a subquery. Only for what is not too deep, since it recurses. */
export function leavesOf(value: JsonValue): number {
  const items = itemsOf(value);
  return items.length === 0 ? 1 : items.reduce((sum: number, item) => sum + leavesOf(item), 0);
}

function* operandsOf(value: JsonValue): Generator<string | number> {
  if (typeof value === "string" || typeof value === "number") yield value;
  if (isJsonObject(value)) yield* Object.keys(value);
  for (const item of itemsOf(value)) yield* operandsOf(item);
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (isList(value)) return value;
  return isJsonObject(value) ? membersOf(value).map(([, item]) => item) : [];
}

function membersOf(value: object): readonly (readonly [string, JsonValue])[] {
  return Object.entries(value) as [string, JsonValue][];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
