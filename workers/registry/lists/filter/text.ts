/**
 * Operators on texts. A column may be compared by a folded value, such as a type by its type key; the caller's text is
 * then folded in the same way for every operator. `…Insensitive` ignores the case of the letters A to Z.
 */
import { allOf, type Bindings } from "../../store/sql.ts";
import { refusedQuery } from "../../store/refused-query.ts";
import { comparisons, isNull, memberships, type Operator } from "./comparison.ts";

export interface TextColumn {
  readonly kind: "text";
  /** The form in which whole values are compared, and how the caller's text is converted to it. */
  readonly whole: Aspect;
  /** The form in which parts of values are compared. */
  readonly part: Aspect;
  /** The form for equality alone, if an index answers that expression. */
  readonly exact?: Aspect;
}

export interface Aspect {
  readonly sql: string;
  fold(text: string): string;
}

const wildcards = { anyText: Symbol("%"), anyCharacter: Symbol("_") } as const;
type Token = string | (typeof wildcards)[keyof typeof wildcards];

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

/** Names of the operators by operand type. */
export const textOperators = {
  text: [...wholeNames, ...partNames].flatMap(bothCases),
  list: listNames.flatMap(bothCases),
} as const;

function bothCases(name: string): string[] {
  return [name, `${name}${INSENSITIVE}`];
}

/** `operand` is a text, a list of texts, or for `isNull` a boolean, as the schema ensures. */
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

/** Like SQLite's lower(). */
function lowerLatin(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isPart(name: string): name is keyof typeof parts {
  return Object.hasOwn(parts, name);
}

function isList(name: string): name is keyof typeof memberships {
  return Object.hasOwn(memberships, name);
}

/**
 * `like`: `%` matches any text, `_` one character, and a backslash escapes the next character; case matters. SQLite's
 * own LIKE ignores case and accepts patterns of 50 bytes, so patterns without `_` are matched piece by piece, at any
 * length and exactly; the others use GLOB within its limit.
 */
function like(expression: string, pattern: string, bindings: Bindings): string {
  const tokens = tokensOf(pattern);
  return tokens.includes(wildcards.anyCharacter)
    ? glob(expression, tokens, bindings)
    : walk(expression, tokens, bindings);
}

function tokensOf(pattern: string): readonly Token[] {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === "\\") {
      at += 1;
      tokens.push(characters[at] ?? "\\");
    } else if (character === "%") tokens.push(wildcards.anyText);
    else if (character === "_") tokens.push(wildcards.anyCharacter);
    else tokens.push(character);
  }
  return tokens;
}

/** Number of pieces between two `%`, each searched for in every row; 0 if GLOB compares the whole pattern. */
export function likePieces(pattern: string): number {
  const tokens = tokensOf(pattern);
  if (tokens.includes(wildcards.anyCharacter)) return 0;
  return Math.max(
    0,
    piecesOf(tokens)
      .slice(1, -1)
      .filter((piece) => piece !== "").length,
  );
}

function glob(expression: string, tokens: readonly Token[], { bind }: Bindings): string {
  // GLOB reads both sides only up to the first NUL.
  if (tokens.includes("\0")) return `${expression} <> ${expression}`;
  const pattern = tokens
    .map((token) => {
      if (token === wildcards.anyText) return "*";
      if (token === wildcards.anyCharacter) return "?";
      return typeof token === "string" && "*?[".includes(token) ? `[${token}]` : token;
    })
    .join("");
  if (new TextEncoder().encode(pattern).byteLength > GLOB_BYTES) {
    const way = "use startsWith, endsWith or includes, or leave out _";
    throw refusedQuery("validation_failed", `A like pattern with _ may have at most ${GLOB_BYTES} bytes; ${way}`);
  }
  return `(${expression} GLOB ${bind(pattern)} AND instr(${expression}, char(0)) = 0)`;
}

/** Matches the pieces between two `%` leftmost first: if any placement fits, this one does. */
function walk(expression: string, tokens: readonly Token[], { bind }: Bindings): string {
  const [first = "", ...others] = piecesOf(tokens);
  const last = others.pop();
  if (last === undefined) return `${expression} = ${bind(first)}`;
  const inner = others.filter((piece) => piece !== "");
  const size = (piece: string) => new TextEncoder().encode(piece).byteLength;
  const ends = [
    `instr(${expression}, ${bind(first)}) = 1`,
    endsWith(expression, last, { bind }),
    `length(CAST(${expression} AS BLOB)) >= ${bind(size(first) + size(last))}`,
  ];
  if (inner.length === 0) return allOf(ends);
  // Bytes, because functions on text stop at NUL. `rest` is the text between prefix and suffix.
  const pieces = bind(JSON.stringify(inner));
  const rest = `substr(CAST(${expression} AS BLOB), ${bind(size(first) + 1)}, length(CAST(${expression} AS BLOB)) - ${bind(size(first) + size(last))})`;
  const found = `instr(rest, CAST(piece.value AS BLOB))`;
  const walked = `(WITH RECURSIVE walk (step, rest) AS (
    SELECT 0, ${rest}
    UNION ALL
    SELECT step + 1, substr(rest, ${found} + length(CAST(piece.value AS BLOB)))
    FROM walk JOIN json_each(${pieces}) AS piece ON CAST(piece.key AS INTEGER) = step WHERE ${found} > 0
  ) SELECT max(step) FROM walk) = ${bind(inner.length)}`;
  return allOf([...ends, walked]);
}

/** The literal texts before, between and after the `%`s; a single one if there is no `%`. */
function piecesOf(tokens: readonly Token[]): string[] {
  const pieces = [""];
  for (const token of tokens) {
    if (typeof token === "string") pieces.push((pieces.pop() ?? "") + token);
    else pieces.push("");
  }
  return pieces;
}

function endsWith(expression: string, ending: string, { bind }: Pick<Bindings, "bind">): string {
  // The last 0 bytes would be the whole text.
  if (ending === "") return `${expression} = ${expression}`;
  const bytes = `CAST(${bind(ending)} AS BLOB)`;
  const end = `substr(CAST(${expression} AS BLOB), -length(${bytes})) = ${bytes}`;
  // substr of an empty text returns null.
  return `(${expression} <> '' AND ${end})`;
}

/** Maximum bytes of a GLOB pattern (a limit of D1). */
export const GLOB_BYTES = 50;
