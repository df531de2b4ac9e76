/**
 * Operators on JSON. Equality compares values: the order of an object's members and the spelling of a number are
 * ignored.
 */
import { depthOf, isJsonObject, type JsonValue } from "../../../../platform/json.ts";
import { refusedQuery } from "../../store/refused-query.ts";
import { allOf, anyOf, type Bindings } from "../../store/sql.ts";
import { isNull } from "./comparison.ts";

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
      throw new Error("the schema accepted an operator that JSON does not support");
  }
}

/** How often the operator opens the row's JSON: once per compared value, and once for any number of names. */
export function valuesOf(operator: string, operand: unknown): number {
  if (operator === "contains") return leavesOf(operand as JsonValue);
  return jsonOperators.list.some((each) => each === operator) ? Math.max(1, (operand as readonly unknown[]).length) : 1;
}

/** The nodes of a value: path, type, scalar. The numbers 1 and 1.0 are equal. */
function nodesOf(json: string): string {
  return `SELECT fullkey, replace(type, 'real', 'integer'), atom FROM json_tree(${json})`;
}

/**
 * Two values are equal if they have the same number of nodes and all nodes of one occur in the other. `list` contains JSON
 * texts. PostgreSQL first compares the whole values, which is much cheaper.
 */
function equalsAny(sql: string, list: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${list}) AS wanted WHERE json_type(${sql}) IS NOT NULL
    -- PostgreSQL: AND sqlite_same_json(${sql.replaceAll(/\s+/g, " ")}, wanted.value)
    AND (SELECT count(*) FROM json_tree(${sql})) = (SELECT count(*) FROM json_tree(wanted.value))
    AND NOT EXISTS (${nodesOf("wanted.value")} EXCEPT ${nodesOf(sql)}))`;
}

/** A key of an object, or a text in a list. The row's JSON is walked once for all names. */
function hasKeys(sql: string, names: string, how: "ANY" | "ALL"): string {
  const keys = `SELECT CASE json_type(${sql}) WHEN 'object' THEN key ELSE atom END AS name FROM json_each(${sql})
    WHERE json_type(${sql}) = 'object' OR (json_type(${sql}) = 'array' AND type = 'text')`;
  const wanted = `SELECT value FROM json_each(${names})`;
  return how === "ANY"
    ? `EXISTS (SELECT 1 FROM (${keys}) AS held WHERE held.name IN (${wanted}))`
    : `NOT EXISTS (${wanted} EXCEPT ${keys})`;
}

/** Levels and values of an operand: each is a subquery for every row. An empty list or object counts as a value. */
export const CONTAINS_DEPTH = 5;
export const CONTAINS_LEAVES = 20;

/**
 * `contains`, a subset test: recursive for members of an object; each wanted item of a list must occur somewhere in the
 * list. The caller's names and scalars are passed as a parameter and never form a path.
 */
function contains(sql: string, wanted: JsonValue, { bind }: Bindings): string {
  // Check the depth first, because counting the leaves recurses.
  if (depthOf(wanted) > CONTAINS_DEPTH || leavesOf(wanted) > CONTAINS_LEAVES) {
    const bounds = `${CONTAINS_DEPTH} levels deep and for ${CONTAINS_LEAVES} values`;
    throw refusedQuery("query_too_costly", `contains may look at most ${bounds}`);
  }
  const operands = [...new Set(operandsOf(wanted))];
  const list = operands.length === 0 ? "" : bind(JSON.stringify(operands));
  const operand = (value: string | number) => `json_extract(${list}, '$[${operands.indexOf(value)}]')`;
  let aliases = 0;

  /** `value` is SQL for a scalar's value, `json` for the text of a list or an object. */
  function holds(type: string, value: string, json: string, part: JsonValue): string {
    // Do not open a scalar: SQLite may evaluate this before the test of the type.
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

  // Not the text itself: for "equals a constant" in WHERE, SQLite would substitute the constant in json_type as well.
  return holds(`json_type(${sql})`, `json_extract(${sql}, '$')`, sql, wanted);
}

/** Number of values in the operand, each of which is a subquery. Only for bounded depth, because it recurses. */
function leavesOf(value: JsonValue): number {
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
