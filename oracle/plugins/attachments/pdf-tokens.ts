/** The tokens of PDF objects, read as the PDF library reads them: comments are skipped, and escapes in names are resolved. */

export interface Token {
  readonly kind: "word" | "name" | "string" | "mark";
  /** Empty for a string. */
  readonly text: string;
}

const TOKEN =
  /[\0\t\n\f\r ]+|%[^\r\n]*|<<|>>|[[\]{}>)]|\(|<[^>]*>?|\/[^\0\t\n\f\r ()<>[\]{}/%]*|[^\0\t\n\f\r ()<>[\]{}/%]+/y;
const SPACE_OR_COMMENT = /^[\0\t\n\f\r %]/;
const PARENTHESES = /\\[^]|[()]/g;
const STRING: Token = { kind: "string", text: "" };

export function* tokensOf(text: string): Generator<Token, void> {
  // The expressions are shared by interleaved generators, so each generator keeps its own position.
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const [written = ""] = TOKEN.exec(text) ?? [];
    at += written.length;
    if (SPACE_OR_COMMENT.test(written)) continue;
    if (written === "(") at = endOfString(text, at);
    yield tokenOf(written);
  }
}

function tokenOf(written: string): Token {
  if (written === "(" || (written.startsWith("<") && written !== "<<")) return STRING;
  if (written.startsWith("/")) return { kind: "name", text: withoutEscapes(written.slice(1)) };
  return { kind: /^[^[\]{}<>)]/.test(written) ? "word" : "mark", text: written };
}

/** `at`: the index after the opening parenthesis. Parentheses in a string are balanced or escaped. */
function endOfString(text: string, at: number): number {
  let open = 1;
  PARENTHESES.lastIndex = at;
  for (let found = PARENTHESES.exec(text); found !== null; found = PARENTHESES.exec(text)) {
    if (found[0] === "(") open += 1;
    if (found[0] === ")") open -= 1;
    if (open === 0) return PARENTHESES.lastIndex;
  }
  return text.length;
}

/** Any character of a name may be written as `#` and two digits. */
export function withoutEscapes(name: string): string {
  return name.replace(/#([\dA-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
