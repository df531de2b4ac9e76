/**
 * Compiles a filter or a condition to one SQL condition. All members of a filter must hold; null members and empty
 * lists of `and` and `or` restrict nothing. The schema has coerced the input.
 */
import { entityColumns, iidFilterColumns, type Column } from "../columns.ts";
import { refusedQuery } from "../../store/refused-query.ts";
import { allOf, anyOf, TRUE, type Bindings } from "../../store/sql.ts";
import { numberCondition } from "./comparison.ts";
import { jsonCondition, valuesOf } from "./json.ts";
import { textCondition } from "./text.ts";
import { textListCondition } from "./text-list.ts";

/** A coerced input object: absent and null members are equivalent. */
export type FilterInput = Readonly<Record<string, unknown>>;

/**
 * Operators and levels of one filter: each costs work for every row, and SQLite limits the depth of an expression. An
 * operator on JSON counts once per value, because each opens the row's JSON.
 */
export const FILTER_OPERATORS = 80;
export const FILTER_DEPTH = 10;

/** `columns` are the filterable columns of the list. */
export function compileFilter(
  filter: FilterInput | null | undefined,
  columns: Readonly<Record<string, Column>>,
  bindings: Bindings,
): string {
  return compileLevel(filter, { columns, bindings, operators: { left: FILTER_OPERATORS } }, 1);
}

/** Equality on each named column; null means "is null". */
export function compileCondition(condition: FilterInput | null | undefined, bindings: Bindings): string {
  const members = Object.entries(condition ?? {}).filter(([, value]) => value !== undefined);
  return allOf(
    members.map(([name, value]) => {
      const [operator, operand] = value === null ? ["isNull", true] : ["equalTo", value];
      return columnCondition(columnNamed(entityColumns, name), operator, operand, bindings);
    }),
  );
}

interface Compilation {
  readonly columns: Readonly<Record<string, Column>>;
  readonly bindings: Bindings;
  /** Remaining operators of the whole filter. */
  readonly operators: { left: number };
}

function compileLevel(filter: FilterInput | null | undefined, compilation: Compilation, depth: number): string {
  if (depth > FILTER_DEPTH)
    throw refusedQuery("query_too_costly", `A filter may be at most ${FILTER_DEPTH} levels deep`);
  const inner = (each: unknown, columns = compilation.columns) =>
    compileLevel(each as FilterInput | null, { ...compilation, columns }, depth + 1);
  return allOf(
    present(filter).map(([name, value]) => {
      if (name === "and") return allOf((value as unknown[]).map((each) => inner(each)));
      if (name === "or")
        return (value as unknown[]).length === 0 ? TRUE : anyOf((value as unknown[]).map((each) => inner(each)));
      if (name === "not") return negated(value, inner);
      if (name === "iidById") return inner(value, iidFilterColumns);
      return operatorsOn(columnNamed(compilation.columns, name), value as FilterInput, compilation);
    }),
  );
}

/** The negation of a filter that restricts nothing restricts nothing either. */
function negated(value: unknown, compile: (value: unknown) => string): string {
  const condition = compile(value);
  return condition === TRUE ? TRUE : `NOT (${condition})`;
}

function operatorsOn(column: Column, filter: FilterInput, { bindings, operators }: Compilation): string {
  return allOf(
    present(filter).map(([operator, operand]) => {
      operators.left -= column.kind === "json" ? valuesOf(operator, operand) : 1;
      if (operators.left < 0) {
        throw refusedQuery(
          "query_too_costly",
          `A filter may have at most ${FILTER_OPERATORS} operators, including values searched for in JSON`,
        );
      }
      return columnCondition(column, operator, operand, bindings);
    }),
  );
}

function columnCondition(column: Column, operator: string, operand: unknown, bindings: Bindings): string {
  switch (column.kind) {
    case "text":
      return textCondition(column, operator, operand, bindings);
    case "json":
      return jsonCondition(column, operator, operand, bindings);
    case "text-list":
      return textListCondition(column, operator, operand, bindings);
    default:
      return numberCondition(column, operator, operand, bindings);
  }
}

function present(input: FilterInput | null | undefined): readonly (readonly [string, unknown])[] {
  return Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null);
}

function columnNamed(columns: Readonly<Record<string, Column>>, name: string): Column {
  const column = columns[name];
  if (column === undefined) throw new Error("the schema accepted a member that is not a column");
  return column;
}
