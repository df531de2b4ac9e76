/**
 * Turns the text of a statement into PostgreSQL's. The texts are written once, and most of what they use exists on both engines or
 * as a function of the schema (migrations/postgres/0000_sqlite_functions.sql); this handles the rest: placeholders, hints, and syntax
 * that no function can stand for. docs/decisions/019-databases.md lists it.
 */
import { withoutNul } from "../../../shared/postgres-nul.ts";
import { phrases } from "./phrases.ts";
import { closingOf, tokensOf, wordOf, type SqlToken } from "./sql-tokens.ts";

/** A statement's text in pieces: a number stands for the value with that index, `changes` for the count of the last statement. */
export interface Translated {
  readonly pieces: readonly (string | number | typeof CHANGES)[];
  readonly readsChanges: boolean;
  readonly writes: boolean;
  /** Names of tables that the statement writes. */
  readonly writtenTables: readonly string[];
}

export const CHANGES = Symbol("changes()");

/** Our own functions in place of PostgreSQL's with the same name and another meaning, or with a name that is syntax. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  SUBSTR: "sqlite_substr",
  DATE: "sqlite_date",
  JSON_OBJECT: "json_build_object",
  JSON_ARRAY: "json_build_array",
  CHAR: "sqlite_char",
};

const TRUTHS = new Set(["NULL", "TRUE", "FALSE", "DISTINCT"]);
/** Words that can follow a subquery without an alias. */
const AFTER_SOURCE = new Set(
  "WHERE JOIN CROSS LEFT INNER ON USING GROUP ORDER LIMIT UNION EXCEPT INTERSECT HAVING WINDOW RETURNING".split(" "),
);
const JOIN_ENDS = new Set("JOIN CROSS LEFT INNER WHERE GROUP ORDER LIMIT UNION EXCEPT , )".split(" "));

/** A comment in SQLite: what a planner needs to know that chooses the order of joins itself. */
const FOR_POSTGRES = /-- PostgreSQL: (.*)/g;
/** Instead of a line that only SQLite accepts. */
const INSTEAD = /-- PostgreSQL, not the next line: (.*)\n.*/g;

export function translate(sql: string): Translated {
  const own = sql.replaceAll(INSTEAD, "$1").replaceAll(FOR_POSTGRES, "$1");
  const tokens = tokensOf(phrases.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), own));
  const pieces: (string | number | typeof CHANGES)[] = [];
  /** What follows the token at a place. */
  const suffixes = new Map<number, string>();
  const replaced = new Map<number, string>();
  let highest = 0;
  let aliases = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const [word, next, afterNext] = [wordOf(token), wordOf(tokens[at + 1]), wordOf(tokens[at + 2])];
    if (token.kind === "placeholder") {
      const number = token.text === "?" ? highest + 1 : Number(token.text.slice(1));
      highest = Math.max(highest, number);
      pieces.push(number - 1, suffixes.get(at) ?? "", " ");
      continue;
    }
    if (word === "INDEXED" && next === "BY") {
      at += 2;
      continue;
    }
    if (word === "CHANGES" && next === "(" && afterNext === ")") {
      pieces.push(CHANGES, " ");
      at += 2;
      continue;
    }
    if (word === "IS" && !TRUTHS.has(next) && !(next === "NOT" && TRUTHS.has(afterNext))) {
      pieces.push(next === "NOT" ? "IS DISTINCT FROM " : "IS NOT DISTINCT FROM ");
      if (next === "NOT") at += 1;
      continue;
    }
    if (word === "MATCH") {
      // The left side is the full-text index, which is the last piece.
      const table = pieces.pop();
      pieces.push(`${String(table).trimEnd()}.words @@ search_query(`);
      suffixes.set(at + 1, ")");
      continue;
    }
    if (word === "CROSS" && next === "JOIN" && hasCondition(tokens, at + 2)) continue;
    if (word === "CAST" && next === "(") {
      const end = closingOf(tokens, at + 1);
      const type = wordOf(tokens[end - 1]);
      if (type === "BLOB") {
        pieces.push("convert_to");
        replaced.set(end - 2, ",");
        replaced.set(end - 1, "'UTF8'");
        continue;
      }
      if (type === "INTEGER") replaced.set(end - 1, "BIGINT");
    }
    if ((word === "FROM" || word === "JOIN") && next === "(" && ["SELECT", "WITH", "VALUES"].includes(afterNext)) {
      const end = closingOf(tokens, at + 1);
      const follower = tokens[end + 1];
      const isNamed = follower?.kind === "word" && !AFTER_SOURCE.has(wordOf(follower));
      if (!isNamed) suffixes.set(end, ` AS unnamed_${(aliases += 1)}`);
    }
    const own = next === "(" ? FUNCTIONS[word] : undefined;
    const text = replaced.get(at) ?? (word === "GLOB" ? "@~" : (own ?? nameOf(token)));
    pieces.push(`${text}${suffixes.get(at) ?? ""}${isTight(token, tokens[at + 1]) ? "" : " "}`);
  }
  const writtenTables = tablesOf(tokens);
  return {
    pieces: joined(pieces),
    readsChanges: pieces.includes(CHANGES),
    writes: writtenTables.length > 0,
    writtenTables,
  };
}

/** PostgreSQL folds a name to lower case unless it is quoted. */
function nameOf({ kind, text }: SqlToken): string {
  return kind === "word" && /[a-z]/.test(text) && /[A-Z]/.test(text) ? `"${text}"` : text;
}

/** No space inside `a.b`. */
function isTight(token: SqlToken, next: SqlToken | undefined): boolean {
  return token.text === "." || next?.text === "." || (token.kind === "word" && next?.text === "(");
}

/** Whether a join that begins here has its own condition. */
function hasCondition(tokens: readonly SqlToken[], from: number): boolean {
  for (let at = from; at < tokens.length; at += 1) {
    const word = wordOf(tokens[at]);
    if (word === "ON" || word === "USING") return true;
    if (JOIN_ENDS.has(word)) return false;
    if (word === "(") at = closingOf(tokens, at);
  }
  return false;
}

function tablesOf(tokens: readonly SqlToken[]): readonly string[] {
  const words = tokens.map(wordOf);
  return words.flatMap((word, at) => {
    if (word === "INTO" || (word === "DELETE" && words[at + 1] === "FROM")) {
      return [tokens[at + (word === "INTO" ? 1 : 2)]?.text ?? ""];
    }
    // Not the UPDATE of ON CONFLICT, whose table is named already.
    return word === "UPDATE" && words[at + 1] !== "SET" && words[at - 1] !== "DO" ? [tokens[at + 1]?.text ?? ""] : [];
  });
}

function joined(pieces: Translated["pieces"]): Translated["pieces"] {
  const result: (string | number | typeof CHANGES)[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === "string" && typeof last === "string") result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result;
}

/** A text for PostgreSQL and its values. Each value has the type that it has in SQLite, whatever the context would infer. */
export function bindValues(
  { pieces }: Translated,
  values: readonly unknown[],
  changes: number,
): { readonly text: string; readonly values: readonly unknown[] } {
  const used = new Map<number, number>();
  const text = pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    if (piece === CHANGES) return `${changes}`;
    if (piece >= values.length) throw new TypeError(`the statement has no value for its placeholder ${piece + 1}`);
    const value = values[piece] ?? null;
    if (value === null) return "NULL";
    const number = used.get(piece) ?? used.size + 1;
    used.set(piece, number);
    return `$${number}::${typeOf(value)}`;
  });
  return { text: text.join(""), values: [...used.keys()].map((at) => plain(values[at])) };
}

function typeOf(value: unknown): "bigint" | "double precision" | "text" | "bytea" {
  if (typeof value === "number") return Number.isSafeInteger(value) ? "bigint" : "double precision";
  if (typeof value === "boolean") return "bigint";
  if (typeof value === "string") return "text";
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return "bytea";
  throw new TypeError(`a statement takes no value of the type ${typeof value}`);
}

function plain(value: unknown): unknown {
  if (typeof value === "string") return withoutNul(value);
  return typeof value === "boolean" ? Number(value) : value;
}
