/**
 * Operators on texts. A column may be compared by a folded value, such as a type by its type key: then the caller's text
 * is folded the same way under every operator. `…Insensitive` ignores the case of the letters A to Z.
 */
import type { Bindings } from "./bindings.ts";
import { comparisons, isNull, memberships, type Operator } from "./comparison.ts";
import { endsWith, like } from "./like.ts";

export interface TextColumn {
  readonly kind: "text";
  /** What whole values are compared with, and how the caller's text becomes one of them. */
  readonly whole: Aspect;
  /** The same for parts of values. */
  readonly part: Aspect;
  /** The same for equality alone, where that is another expression: one that an index answers. */
  readonly exact?: Aspect;
}

export interface Aspect {
  readonly sql: string;
  fold(text: string): string;
}

const parts = {
  includes: (sql, operand, { bind }) => `instr(${sql}, ${bind(operand)}) > 0`,
  notIncludes: (sql, operand, { bind }) => `instr(${sql}, ${bind(operand)}) = 0`,
  startsWith: (sql, operand, { bind }) => `instr(${sql}, ${bind(operand)}) = 1`,
  notStartsWith: (sql, operand, { bind }) => `instr(${sql}, ${bind(operand)}) <> 1`,
  endsWith,
  notEndsWith: (sql, operand, bindings) => `NOT (${endsWith(sql, operand, bindings)})`,
  like,
  notLike: (sql, operand, bindings) => `NOT (${like(sql, operand, bindings)})`,
} satisfies Record<string, Operator<string>>;

const INSENSITIVE = "Insensitive";

const wholeNames = Object.keys(comparisons) as (keyof typeof comparisons)[];
const listNames = Object.keys(memberships) as (keyof typeof memberships)[];
const partNames = Object.keys(parts) as (keyof typeof parts)[];

/** Names of the operators by what they take. */
export const textOperators = {
  text: [...wholeNames, ...partNames].flatMap(bothCases),
  list: listNames.flatMap(bothCases),
} as const;

function bothCases(name: string): string[] {
  return [name, `${name}${INSENSITIVE}`];
}

/** `operand` is a text, a list of texts, or for `isNull` a boolean: the schema has seen to it. */
export function textCondition(column: TextColumn, operator: string, operand: unknown, bindings: Bindings): string {
  if (operator === "isNull") return isNull(column.whole.sql, operand as boolean, bindings);
  const ignoresCase = operator.endsWith(INSENSITIVE);
  const name = ignoresCase ? operator.slice(0, -INSENSITIVE.length) : operator;
  const { sql, fold } = ignoresCase ? caseless(aspectOf(column, name)) : aspectOf(column, name);
  if (isPart(name)) return parts[name](sql, fold(operand as string), bindings);
  if (isList(name)) return memberships[name](sql, (operand as string[]).map(fold), bindings);
  return comparisons[name as keyof typeof comparisons](sql, fold(operand as string), bindings);
}

function aspectOf({ whole, part, exact = whole }: TextColumn, name: string): Aspect {
  if (isPart(name)) return part;
  return ["equalTo", "notDistinctFrom", "in"].includes(name) ? exact : whole;
}

function caseless({ sql, fold }: Aspect): Aspect {
  return { sql: `lower(${sql})`, fold: (text) => lowerLatin(fold(text)) };
}

/** As SQLite's lower() does it. */
function lowerLatin(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isPart(name: string): name is keyof typeof parts {
  return Object.hasOwn(parts, name);
}

function isList(name: string): name is keyof typeof memberships {
  return Object.hasOwn(memberships, name);
}
