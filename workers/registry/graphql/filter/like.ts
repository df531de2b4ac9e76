/**
 * `like` over SQLite (contract/registry.md section 7.2): `%` is any text, `_` one character, a backslash makes the next
 * character plain; case counts. SQLite's own LIKE ignores case and takes patterns of 50 bytes, so patterns without `_`
 * are walked piece by piece, of any length and exactly; the others use GLOB within its bound.
 */
import { refusal } from "../refusal.ts";
import type { Bindings } from "./bindings.ts";
import { allOf } from "./conditions.ts";

/** Bytes of a pattern that GLOB takes (a limit of D1). */
export const GLOB_BYTES = 50;

const wildcards = { anyText: Symbol("%"), anyCharacter: Symbol("_") } as const;
type Token = string | (typeof wildcards)[keyof typeof wildcards];

export function like(expression: string, pattern: string, bindings: Bindings): string {
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

/** Pieces between two `%`, each searched for in every row; none when GLOB compares the pattern at once. */
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
  // GLOB reads either side up to its first NUL.
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
    throw refusal("validation_failed", `A like pattern with _ may have at most ${GLOB_BYTES} bytes; ${way}`);
  }
  return `(${expression} GLOB ${bind(pattern)} AND instr(${expression}, char(0)) = 0)`;
}

/** Leftmost matches of the pieces between two `%` in turn: if any choice of places fits, that one does. */
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
  // Bytes, because functions on text stop at NUL. `rest` is what stands between the two ends.
  const pieces = bind(JSON.stringify(inner));
  const rest = `substr(CAST(${expression} AS BLOB), ${bind(size(first) + 1)}, length(CAST(${expression} AS BLOB)) - ${bind(size(first) + size(last))})`;
  const found = `instr(rest, CAST(piece.value AS BLOB))`;
  const walked = `(WITH RECURSIVE walk (step, rest) AS (
    SELECT 0, ${rest}
    UNION ALL
    SELECT step + 1, substr(rest, ${found} + length(CAST(piece.value AS BLOB)))
    FROM walk JOIN json_each(${pieces}) AS piece ON piece.key = step WHERE ${found} > 0
  ) SELECT max(step) FROM walk) = ${bind(inner.length)}`;
  return allOf([...ends, walked]);
}

/** The plain texts before, between and after the `%`s; one alone when there is no `%`. */
function piecesOf(tokens: readonly Token[]): string[] {
  const pieces = [""];
  for (const token of tokens) {
    if (typeof token === "string") pieces.push((pieces.pop() ?? "") + token);
    else pieces.push("");
  }
  return pieces;
}

export function endsWith(expression: string, ending: string, { bind }: Pick<Bindings, "bind">): string {
  // The last 0 bytes would be all of them.
  if (ending === "") return `${expression} = ${expression}`;
  const bytes = `CAST(${bind(ending)} AS BLOB)`;
  const end = `substr(CAST(${expression} AS BLOB), -length(${bytes})) = ${bytes}`;
  // Of no bytes at all substr makes null.
  return `(${expression} <> '' AND ${end})`;
}
