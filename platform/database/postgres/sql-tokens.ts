/** The tokens of a statement, so that a translation touches neither strings nor comments. */

export interface SqlToken {
  readonly kind: "space" | "string" | "word" | "placeholder" | "sign";
  readonly text: string;
}

const TOKEN =
  /(?<space>\s+|--[^\n]*)|(?<string>'(?:[^']|'')*'|"(?:[^"]|"")*")|(?<word>[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?)|(?<placeholder>\?\d*)|(?<sign>->>|->|@@|\|\||<=|>=|<>|!=|<<|>>|::|[^\s])/gy;

export function tokensOf(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { groups = {}, 0: text } of sql.matchAll(TOKEN)) {
    const [kind = "sign"] = kinds.filter((each) => groups[each] !== undefined);
    if (kind !== "space") tokens.push({ kind, text });
  }
  return tokens;
}

const kinds = ["space", "string", "word", "placeholder", "sign"] as const;

/** A word in upper case; a sign as it is; empty for the end. */
export function wordOf(token: SqlToken | undefined): string {
  if (token === undefined || token.kind === "string") return "";
  return token.kind === "word" ? token.text.toUpperCase() : token.text;
}

/** The place of the parenthesis that closes the one at `open`. */
export function closingOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at] ?? { kind: "space", text: "" };
    if (kind === "sign" && text === "(") depth += 1;
    if (kind === "sign" && text === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new SyntaxError("a parenthesis of the statement is not closed");
}
